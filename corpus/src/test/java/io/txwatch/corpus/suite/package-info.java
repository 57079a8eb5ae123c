/**
 * The test suites of others, raw against watched, from a checkout that the user names: nothing of
 * theirs is part of this repository.
 *
 * <p>{@link io.txwatch.corpus.suite.LogicTestCommand} sends the statements of sqllogictest to two
 * databases and compares what an application sees. {@link
 * io.txwatch.corpus.suite.JUnitSuiteCommand} runs a command that runs JUnit tests, once without and
 * once with the agent, and compares the reports. {@code corpus/run} starts both.
 */
@NullMarked
package io.txwatch.corpus.suite;

import org.jspecify.annotations.NullMarked;
