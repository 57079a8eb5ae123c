/**
 * Differential transparency: the same statements go raw to a database that nobody prepared and
 * watched to its prepared twin, and everything that an application can see must be the same.
 *
 * <p>Statements come from files ({@code src/test/resources/corpus}), from seeded generators, and
 * from the libraries that applications use: Hibernate, jOOQ, MyBatis, jdbi. {@link
 * io.txwatch.corpus.Twins} runs them, {@link io.txwatch.corpus.Outcome} is what is compared, {@link
 * io.txwatch.corpus.Coverage} counts what was observed and why not.
 */
@NullMarked
package io.txwatch.corpus;

import org.jspecify.annotations.NullMarked;
