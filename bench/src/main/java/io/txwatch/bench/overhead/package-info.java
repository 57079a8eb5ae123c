/**
 * Whole applications on a real server, with and without something in between: a workload like TPC-C
 * and one like YCSB, on each database, over loopback, where the network hides nothing.
 *
 * <p>Each {@link io.txwatch.bench.overhead.Variant} has a JVM and a database of its own, made from
 * the same seed; {@link io.txwatch.bench.overhead.Interleaving} lets them run in turn, in short
 * slices, A B C C B A …, so that what disturbs the machine disturbs all of them, and compares
 * slices of the same round.
 */
@NullMarked
package io.txwatch.bench.overhead;

import org.jspecify.annotations.NullMarked;
