/**
 * Measures whole applications on a real server, with and without a layer: a workload like TPC-C and
 * one like YCSB, on each database, over loopback, where no network latency hides the overhead.
 *
 * <p>Each {@link io.txwatch.bench.overhead.Variant} has its own JVM and its own database with the
 * same rows. {@link io.txwatch.bench.overhead.InterleavedRun} runs them in turn, in short slices
 * and in a different order each round, so that disturbances of the machine affect all of them, and
 * compares slices of the same round. {@link io.txwatch.bench.overhead.StatementsCommand} runs all
 * of them in one JVM, in turns of one transaction, and reports the additional cost of each call.
 *
 * <p>{@link io.txwatch.bench.overhead.Placement} gives application and server their own processors;
 * otherwise the scheduler's choices would be measured.
 */
@NullMarked
package io.txwatch.bench.overhead;

import org.jspecify.annotations.NullMarked;
