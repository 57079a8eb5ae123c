package io.txwatch.cli;

import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Passes events on in batches, so that the time of their consumer can be measured. Batches pay for
 * themselves: reading and analyzing are each compiled separately, and sooner.
 */
final class TimedBatches implements Consumer<Event> {

  private static final int BATCH_SIZE = 512;

  private final Consumer<Event> consumer;
  private final List<Event> batch = new ArrayList<>(BATCH_SIZE);
  private long nanos;

  TimedBatches(Consumer<Event> consumer) {
    this.consumer = consumer;
  }

  @Override
  public void accept(Event event) {
    batch.add(event);
    if (batch.size() == BATCH_SIZE) {
      finish();
    }
  }

  /** Passes on the remaining events. */
  void finish() {
    long start = System.nanoTime();
    batch.forEach(consumer);
    batch.clear();
    nanos += System.nanoTime() - start;
  }

  /** The time that the consumer took, in nanoseconds. */
  long nanos() {
    return nanos;
  }
}
