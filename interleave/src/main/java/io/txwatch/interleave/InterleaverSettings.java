package io.txwatch.interleave;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * How operations are interleaved.
 *
 * @param reset restores the state before each execution; null if touched tables are restored
 * @param invariants what must hold after each execution
 * @param finalReads reads of the final state, by their names
 * @param preemptions how often an operation may have to stop although it could go on
 * @param executions how many orders are executed at most
 * @param sampled how many random orders are executed beyond that bound
 * @param seed of the random orders
 * @param limit the most time of a call
 * @param cancel ends the statements of operations that do not end within the limit
 * @param kept the schedule that is executed first
 * @param repetitionsForName how often an order that races without a known cycle is executed again
 * @param interruptions the orders that are executed next, as part of those that are at most
 */
record InterleaverSettings(
    @Nullable Runnable reset,
    List<Invariant> invariants,
    Map<String, Callable<List<List<String>>>> finalReads,
    int preemptions,
    int executions,
    int sampled,
    long seed,
    Duration limit,
    Runnable cancel,
    KeptSchedule kept,
    int repetitionsForName,
    List<Interruption> interruptions) {

  /** What must hold after every execution. */
  record Invariant(String name, Callable<Boolean> holds) {}

  InterleaverSettings {
    invariants = List.copyOf(invariants);
    finalReads = Map.copyOf(finalReads);
    interruptions = List.copyOf(interruptions);
  }
}
