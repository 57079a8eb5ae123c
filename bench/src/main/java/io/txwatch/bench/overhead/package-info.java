/**
 * Whole applications on a real server, with and without something in between: a workload like TPC-C
 * and one like YCSB, on each database, over loopback, where the network hides nothing.
 *
 * <p>Each {@link io.txwatch.bench.overhead.Variant} has a JVM and a database of its own, made from
 * the same seed; {@link io.txwatch.bench.overhead.Interleaving} lets them run in turn, in short
 * slices, each round in an order of its own, so that what disturbs the machine disturbs all of
 * them, and compares slices of the same round. {@link io.txwatch.bench.overhead.StatementsCommand}
 * has all of them in one JVM, in turns of one transaction, and tells what each call costs more.
 *
 * <p>Application and server have processors of their own, by {@link
 * io.txwatch.bench.overhead.Placement}: else the scheduler's choice is measured.
 */
@NullMarked
package io.txwatch.bench.overhead;

import org.jspecify.annotations.NullMarked;
