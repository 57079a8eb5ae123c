/**
 * Differential tests: the same statements are executed raw on an unprepared database and watched on
 * a prepared copy. Everything that is visible through JDBC must be the same.
 *
 * <p>Statements come from files ({@code src/test/resources/corpus}), from seeded generators, and
 * from the libraries that applications use: Hibernate, jOOQ, MyBatis, jdbi. {@link
 * io.txwatch.corpus.DifferentialRunner} runs them and compares their {@link
 * io.txwatch.corpus.Outcome}s; {@link io.txwatch.corpus.Coverage} counts what was observed, and why
 * the rest was not.
 */
@NullMarked
package io.txwatch.corpus;

import org.jspecify.annotations.NullMarked;
