/**
 * Register histories, in which a read returns a value and no list of earlier writers.
 *
 * <p>Values are mostly unique, so the writer of each read is known; the order of two writers mostly
 * is not. {@link io.txwatch.register.ReadsFrom} reports reads of aborted, intermediate or never
 * written values. {@link io.txwatch.register.OrderGraph} has an edge for what precedes what, and
 * {@link io.txwatch.register.Saturation} adds what holds in every order of writes, after Cobra (Tan
 * et al., OSDI 2020, section 3) and PolySI (Huang et al., VLDB 2023, section 4). A cycle is an
 * anomaly. Otherwise an order of the writes proves that there is none: {@link
 * io.txwatch.register.ScheduleAttempt} finds most, and {@link io.txwatch.register.WriteOrderSolver}
 * searches for the others with a SAT solver.
 */
@NullMarked
package io.txwatch.register;

import org.jspecify.annotations.NullMarked;
