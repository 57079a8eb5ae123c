package io.txwatch.history;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A {@link QueueSink} that exists as long as it has users. It is created for the first one. When
 * the last one has been gone for {@value #LINGER_SECONDS} s, what waits is delivered, the consumers
 * {@linkplain EventSink#quiesce quiesce}, the thread ends, the shutdown hook is removed and the
 * queue's memory is released. The next user gets a new queue before the same consumers.
 *
 * <p>Two queues never use the consumers at the same time: the thread of the second waits until that
 * of the first has ended, and events wait in the second queue meanwhile. So a user that comes while
 * a queue ends loses nothing and waits for nothing.
 *
 * <p>Users are counted with a lock, when a connection is opened and closed. {@link
 * EventSink#accept} is called on the queue itself and takes no lock. Between {@link #acquire} and
 * {@link #release} the queue does not end, so an event cannot come too late for its thread.
 */
public final class SharedQueue {

  /** A pool that closes a connection after each statement does not start a thread for each. */
  static final int LINGER_SECONDS = 2;

  /**
   * Drops everything: for when there is no memory for a queue, or one waits already for consumers
   * that block. So there are two threads at most.
   */
  private static final EventSink DISCARD =
      new EventSink() {
        @Override
        public void accept(Event event) {}

        @Override
        public void close() {}
      };

  private final int capacity;
  private final List<EventSink> consumers;
  private final Consumer<String> warnings;
  private final boolean closesAtShutdown;
  private final long lingerNanos;

  private @Nullable QueueSink current;

  /** Open until the latest queue has ended. */
  private CountDownLatch latestEnded = new CountDownLatch(0);

  /** Open until the latest queue may use the consumers. */
  private CountDownLatch latestMayBegin = new CountDownLatch(0);

  private boolean reported;

  /**
   * Creates nothing yet.
   *
   * @param capacity of the queue, in events
   * @param consumers are called by one thread at a time
   * @param warnings takes a line for people
   * @param closesAtShutdown whether a queue that is there when the JVM ends is closed
   */
  public SharedQueue(
      int capacity,
      List<? extends EventSink> consumers,
      Consumer<String> warnings,
      boolean closesAtShutdown) {
    this(capacity, consumers, warnings, closesAtShutdown, TimeUnit.SECONDS.toNanos(LINGER_SECONDS));
  }

  /** The same, with the time from the last user to the end of the queue. */
  SharedQueue(
      int capacity,
      List<? extends EventSink> consumers,
      Consumer<String> warnings,
      boolean closesAtShutdown,
      long lingerNanos) {
    this.capacity = capacity;
    this.consumers = List.copyOf(consumers);
    this.warnings = warnings;
    this.closesAtShutdown = closesAtShutdown;
    this.lingerNanos = lingerNanos;
  }

  /** The queue, for one more user, who must {@linkplain #release release} it. */
  public synchronized EventSink acquire() {
    QueueSink queue = current;
    if (queue == null || queue.isClosed()) {
      if (latestMayBegin.getCount() > 0) {
        report("events are lost: what takes them blocks since earlier connections were closed");
        return DISCARD;
      }
      try {
        queue = create();
      } catch (OutOfMemoryError e) { // also: no more threads
        report("events are lost: there is no memory for a queue: " + e);
        return DISCARD;
      }
      current = queue;
    }
    queue.users++;
    return queue;
  }

  private QueueSink create() {
    QueueSink queue = new QueueSink(capacity, consumers, warnings, this::nanosToEnd, latestEnded);
    latestMayBegin = latestEnded;
    latestEnded = queue.ended();
    return closesAtShutdown ? queue.closeAtShutdown() : queue;
  }

  private void report(String line) {
    if (!reported) {
      reported = true;
      warnings.accept(line);
    }
  }

  /** A user is gone, and will not call {@link EventSink#accept} any more. */
  public void release(EventSink acquired) {
    if (acquired instanceof QueueSink queue && isUnusedNow(queue)) {
      queue.wake();
    }
  }

  private synchronized boolean isUnusedNow(QueueSink queue) {
    queue.users--;
    queue.unusedSinceNanos = System.nanoTime();
    return queue.users == 0;
  }

  /** For the queue's thread. At 0 or less the queue is nobody's any more. */
  private synchronized long nanosToEnd(QueueSink queue) {
    if (queue.users > 0) {
      return Long.MAX_VALUE;
    }
    long left = queue.unusedSinceNanos + lingerNanos - System.nanoTime();
    if (left <= 0 && queue.equals(current)) {
      current = null;
    }
    return left;
  }

  /**
   * Has queues end now that have no users, and waits at most five seconds in all until they have.
   */
  public static void endUnused(List<SharedQueue> all) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(QueueSink.CLOSE_TIMEOUT_MILLIS);
    List<CountDownLatch> ending = all.stream().map(SharedQueue::endIfUnused).toList();
    try {
      for (CountDownLatch ended : ending) {
        ended.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized CountDownLatch endIfUnused() {
    QueueSink queue = current;
    if (queue != null && queue.users > 0) {
      return new CountDownLatch(0);
    }
    if (queue != null) {
      queue.unusedSinceNanos = System.nanoTime() - lingerNanos;
      queue.wake();
    }
    return latestEnded;
  }

  /**
   * Waits until all events that users added before this call have been delivered.
   *
   * @return false if that took longer than the timeout, or the calling thread was interrupted
   */
  boolean awaitDelivered(Duration timeout) {
    QueueSink queue;
    CountDownLatch ended;
    synchronized (this) {
      queue = current;
      ended = latestEnded;
    }
    if (queue != null) {
      return queue.awaitDelivered(timeout);
    }
    try {
      return ended.await(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /**
   * Closes the queue that there is, whether it is used or not, and its consumers; see {@link
   * QueueSink#close}. The next user gets a new one.
   */
  public void close() {
    QueueSink queue;
    CountDownLatch ended;
    synchronized (this) {
      queue = current;
      current = null;
      ended = latestEnded;
    }
    if (queue != null) {
      queue.close();
      return;
    }
    try {
      ended.await(QueueSink.CLOSE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
