/**
 * Histories of registers: a read returns a value, and no list of who wrote before.
 *
 * <p>Values are unique, so it is certain whom a read read from; which of two writers came first
 * mostly is not. What can be said without guessing is said first: reads of what was aborted,
 * intermediate or never written, and cycles of edges that every order of versions has (read-from,
 * session order, initial value, read-modify-write order; {@link io.txwatch.register.CertainEdges}).
 * Where these decide nothing, {@link io.txwatch.register.ExecutionSearch} looks for an execution
 * that explains all reads, within a budget, after Biswas and Enea (OOPSLA 2019).
 */
@NullMarked
package io.txwatch.register;

import org.jspecify.annotations.NullMarked;
