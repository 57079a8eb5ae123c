/**
 * How fast histories are analysed: recorded ones by {@code check}, whole processes on one core, and
 * live ones by the analyzer inside an application, with its latency and its memory.
 *
 * <p>The histories are those that checkers are compared by: five operations a transaction, half of
 * them reads, twenty sessions, a thousand keys (Kingsbury and Alvaro, Elle, VLDB 2020, §7). They
 * come from an {@linkplain io.txwatch.bench.analysis.Execution execution under two-phase locking},
 * so they hold no anomaly but those that are planted, and the analyzer has to look at all of it to
 * say so.
 */
@NullMarked
package io.txwatch.bench.analysis;

import org.jspecify.annotations.NullMarked;
