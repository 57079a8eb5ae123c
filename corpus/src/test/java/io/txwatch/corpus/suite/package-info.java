/**
 * Runs the test suites of other projects raw and watched, from a checkout that the user names. None
 * of them is part of this repository.
 *
 * <p>{@link io.txwatch.corpus.suite.SqlLogicTestCommand} sends the statements of sqllogictest to
 * two databases and compares what an application sees. {@link
 * io.txwatch.corpus.suite.JUnitSuiteCommand} runs a command that runs JUnit tests, once without and
 * once with the agent, and compares the reports, and if wanted what was sent. {@link
 * io.txwatch.corpus.suite.ProgramCommand} compares what any command sends, and {@link
 * io.txwatch.corpus.suite.SentScriptsCommand} what scripts send. {@code corpus/run} starts them.
 */
@NullMarked
package io.txwatch.corpus.suite;

import org.jspecify.annotations.NullMarked;
