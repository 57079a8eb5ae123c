package io.txwatch.cli;

import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Hands events on some at a time, so that it can be told how long those take that they are for. It
 * pays by itself: of reading and analysing each is compiled for its own, and compiled sooner.
 */
final class Batches implements Consumer<Event> {

  private static final int TOGETHER = 512;

  private final Consumer<Event> consumer;
  private final List<Event> batch = new ArrayList<>(TOGETHER);
  private long nanos;

  Batches(Consumer<Event> consumer) {
    this.consumer = consumer;
  }

  @Override
  public void accept(Event event) {
    batch.add(event);
    if (batch.size() == TOGETHER) {
      finish();
    }
  }

  /** Hands on what is left. */
  void finish() {
    long start = System.nanoTime();
    batch.forEach(consumer);
    batch.clear();
    nanos += System.nanoTime() - start;
  }

  /** How long handing on took, in nanoseconds. */
  long nanos() {
    return nanos;
  }
}
