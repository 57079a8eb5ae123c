package io.txwatch.history;

/**
 * Where events go: the analyzer in this process, a file, an analyzer over TCP.
 *
 * <p>A sink that is handed to the driver never blocks and never throws: what it cannot take it
 * drops, counts, and tells with a {@link Event.Gap} as soon as it can. It may be called by many
 * threads at once unless it says otherwise.
 */
public interface EventSink extends AutoCloseable {

  /** Takes one event. */
  void accept(Event event);

  /**
   * Said by a {@link QueueSink} now and then: all that had come to it when it last said so has been
   * handed over.
   */
  default void caughtUp() {}

  /** True if {@link #caughtUp} must be called again and again, also while no events come. */
  default boolean needsSteadyCalls() {
    return false;
  }

  /** Hands on what is buffered, waiting a bounded time, and releases everything. Never throws. */
  @Override
  void close();
}
