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

  /**
   * Said by a {@link QueueSink} before anything else. A sink that needs {@link #caughtUp} while no
   * events come runs {@code waker}, on any thread, and is called twice soon after.
   */
  default void setWaker(Runnable waker) {}

  /**
   * No connection is open any more: hands on what is buffered, waiting a bounded time, and releases
   * threads, files and network connections. Never throws.
   *
   * @return true if it keeps what it knows and takes events again later; false if it is closed
   */
  default boolean quiesce() {
    close();
    return false;
  }

  /** Hands on what is buffered, waiting a bounded time, and releases everything. Never throws. */
  @Override
  void close();
}
