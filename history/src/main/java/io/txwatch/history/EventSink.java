package io.txwatch.history;

/**
 * A destination of events: the analyzer in this process, a file, an analyzer over TCP.
 *
 * <p>A sink given to the driver never blocks and never throws: it drops and counts the events that
 * it cannot accept, and emits a {@link Event.Gap} as soon as it can. Implementations are
 * thread-safe unless they document otherwise.
 */
public interface EventSink extends AutoCloseable {

  void accept(Event event);

  /** Decides what share of the rows transactions emit to this sink: all, unless it is a queue. */
  default LoadShedding shedding() {
    return LoadShedding.NEVER;
  }

  /**
   * A {@link QueueSink} calls this periodically: every event that it had accepted before the
   * previous call has been delivered.
   */
  default void caughtUp() {}

  /**
   * A {@link QueueSink} calls this first. A sink that needs {@link #caughtUp} while the queue is
   * idle runs {@code waker}, on any thread; two calls of {@code caughtUp} follow.
   */
  default void setWaker(Runnable waker) {}

  /**
   * Called when no connection is open any more. Delivers what is buffered, waiting a bounded time,
   * and releases threads, files and network connections. Never throws.
   *
   * @return true if it keeps its state and accepts events again later; false if it is closed
   */
  default boolean quiesce() {
    close();
    return false;
  }

  /** Delivers what is buffered, waiting a bounded time, and releases everything. Never throws. */
  @Override
  void close();
}
