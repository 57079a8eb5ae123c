/**
 * Measures the analysis of histories: recorded ones by {@code check}, in a process on one core, and
 * live ones by the analyzer inside an application, with its latency and its memory.
 *
 * <p>The histories are those of the literature on checkers: five operations per transaction, half
 * of them reads, twenty sessions, a thousand keys (Kingsbury and Alvaro, Elle, VLDB 2020, §7). They
 * come from a {@linkplain io.txwatch.bench.analysis.TwoPhaseLockingSimulation simulation of
 * two-phase locking}, so they have only planted anomalies, and the analyzer has to read all of the
 * history to confirm that.
 */
@NullMarked
package io.txwatch.bench.analysis;

import org.jspecify.annotations.NullMarked;
