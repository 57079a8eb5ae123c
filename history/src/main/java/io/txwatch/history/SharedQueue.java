package io.txwatch.history;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A reference-counted {@link QueueSink}. It is created for the first user. {@value #LINGER_SECONDS}
 * s after the last user has released it, the queued events are delivered, the consumers {@linkplain
 * EventSink#quiesce quiesce}, the thread ends, the shutdown hook is removed and the queue's memory
 * is released. The next user gets a new queue with the same consumers.
 *
 * <p>Two queues never use the consumers at the same time: the thread of the second waits until that
 * of the first has ended, while its events stay queued. So a user that arrives while a queue ends
 * loses no event and does not wait.
 *
 * <p>A lock guards the count of users, which changes when a connection is opened or closed. {@link
 * EventSink#accept} is called on the queue itself and takes no lock. The queue does not end between
 * {@link #acquire} and {@link #release}, so its thread delivers every event.
 */
public final class SharedQueue {

  /**
   * The delay keeps a pool that closes a connection after each statement from starting a thread for
   * each.
   */
  static final int LINGER_SECONDS = 2;

  /**
   * Drops every event. Used when there is no memory for a queue, or a queue already waits for
   * consumers that block; so there are at most two threads.
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

  private final LoadShedding shedding = new LoadShedding();

  private @Nullable QueueSink current;

  /** Open until the latest queue has ended. */
  private CountDownLatch latestEnded = new CountDownLatch(0);

  /** Open until the latest queue may use the consumers. */
  private CountDownLatch latestMayBegin = new CountDownLatch(0);

  private volatile Runnable catchUp = () -> {};

  private boolean reported;

  /**
   * Starts nothing.
   *
   * @param capacity the queue's capacity in events
   * @param consumers called by one thread at a time
   * @param warnings receives lines about failures
   * @param closesAtShutdown whether an existing queue is closed when the JVM shuts down
   */
  public SharedQueue(
      int capacity,
      List<? extends EventSink> consumers,
      Consumer<String> warnings,
      boolean closesAtShutdown) {
    this(capacity, consumers, warnings, closesAtShutdown, TimeUnit.SECONDS.toNanos(LINGER_SECONDS));
  }

  /** Creates a shared queue with the delay between the last release and the end of the queue. */
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

  /** Returns the queue for one more user, who must {@linkplain #release release} it. */
  public synchronized EventSink acquire() {
    QueueSink queue = current;
    if (queue == null || queue.isClosed()) {
      if (latestMayBegin.getCount() > 0) {
        report("events are lost: what takes them blocks since earlier connections were closed");
        return DISCARD;
      }
      try {
        queue = create();
      } catch (OutOfMemoryError e) { // also thrown if no thread can be created
        report("events are lost: there is no memory for a queue: " + e);
        return DISCARD;
      }
      current = queue;
    }
    queue.users++;
    return queue;
  }

  /**
   * Sets what is called before the queue is awaited, and before it is closed as the JVM shuts down:
   * it adds, within a bounded time, the events that are still to be read somewhere.
   */
  public void setCatchUp(Runnable newCatchUp) {
    catchUp = newCatchUp;
  }

  /** Decides what share of the rows transactions emit. */
  public LoadShedding shedding() {
    return shedding;
  }

  private QueueSink create() {
    QueueSink queue =
        new QueueSink(capacity, consumers, warnings, this::nanosToEnd, latestEnded, shedding);
    latestMayBegin = latestEnded;
    latestEnded = queue.ended();
    return closesAtShutdown ? queue.closeAtShutdown(() -> catchUp.run()) : queue;
  }

  private void report(String line) {
    if (!reported) {
      reported = true;
      warnings.accept(line);
    }
  }

  /** Releases the queue; the user must not call {@link EventSink#accept} any more. */
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

  /** Called by the queue's thread. At 0 or less the queue has no users and must end. */
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
   * Ends all queues at once and waits for them, at most five seconds in total. What users that are
   * left add afterwards is dropped; the next user gets a new queue.
   */
  public static void endAll(List<SharedQueue> all) {
    long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(QueueSink.CLOSE_TIMEOUT_MILLIS);
    List<CountDownLatch> ending = all.stream().map(SharedQueue::end).toList();
    try {
      for (CountDownLatch ended : ending) {
        ended.await(until - System.nanoTime(), TimeUnit.NANOSECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized CountDownLatch end() {
    QueueSink queue = current;
    if (queue != null && queue.users > 0) {
      current = null;
      queue.beginClosing();
    } else if (queue != null) {
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
    catchUp.run();
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
   * Closes the current queue, used or not, and its consumers; see {@link QueueSink#close}. The next
   * user gets a new one.
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
