/**
 * Register histories, in which a read returns a value and no list of earlier writers.
 *
 * <p>Values are unique, so the writer of each read is known; the order of two writers mostly is
 * not. What is certain is reported first: reads of aborted, intermediate or never written values,
 * and cycles of edges that exist in every order of versions (read-from, session order, initial
 * value, read-modify-write order; {@link io.txwatch.register.CertainEdges}). Where these decide
 * nothing, {@link io.txwatch.register.ExecutionSearch} searches for an execution that explains all
 * reads, within a budget, after Biswas and Enea (OOPSLA 2019).
 */
@NullMarked
package io.txwatch.register;

import org.jspecify.annotations.NullMarked;
