package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.history.BackgroundThreads;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls the application's listeners, on a daemon thread of its own: a listener that blocks or
 * throws affects neither the analysis nor the other listeners' registration. At most {@value
 * #MAX_WAITING} anomalies wait; more are dropped, and the first drop is reported.
 */
public final class AnomalyListeners {

  /** The listeners of this process. */
  public static final AnomalyListeners INSTANCE =
      new AnomalyListeners(line -> System.err.println("txwatch: " + line));

  static final int MAX_WAITING = 1 << 10;

  /** Wakes the thread, so that it ends. */
  private static final Optional<Anomaly> NOTHING = Optional.empty();

  private static final long POLL_INTERVAL_NANOS = 1_000_000;

  private final Consumer<String> warnings;
  private final List<Listener> listeners = new CopyOnWriteArrayList<>();
  private final BlockingQueue<Optional<Anomaly>> waiting = new ArrayBlockingQueue<>(MAX_WAITING);
  private final AtomicLong queued = new AtomicLong();
  private final AtomicLong delivered = new AtomicLong();
  private volatile boolean dropped;
  private volatile @Nullable Thread thread;

  /**
   * Starts without listeners.
   *
   * @param warnings receives warnings, one line each
   */
  AnomalyListeners(Consumer<String> warnings) {
    this.warnings = warnings;
  }

  /** A listener, of which the first exception is reported. */
  private static final class Listener {
    final Consumer<Anomaly> target;
    boolean failed;

    Listener(Consumer<Anomaly> target) {
      this.target = target;
    }
  }

  /**
   * Adds a listener. The thread exists while there are listeners.
   *
   * @return removes the listener
   */
  public synchronized Runnable add(Consumer<Anomaly> target) {
    Listener listener = new Listener(target);
    listeners.add(listener);
    if (thread == null) {
      Thread started = BackgroundThreads.create("txwatch-listeners", this::run);
      thread = started;
      started.start();
    }
    return () -> remove(listener);
  }

  private synchronized void remove(Listener listener) {
    listeners.remove(listener);
    if (listeners.isEmpty()) {
      thread = null;
      waiting.offer(NOTHING); // if it is full, the thread need not be woken
    }
  }

  /** Queues an anomaly for the listeners. Does not block. */
  void accept(Anomaly anomaly) {
    if (listeners.isEmpty()) {
      return;
    }
    if (waiting.offer(Optional.of(anomaly))) {
      queued.incrementAndGet();
    } else if (!dropped) {
      dropped = true;
      warn("listeners are too slow; some anomalies are not passed to them");
    }
  }

  /**
   * OperationWaits until the listeners have been called for all anomalies that were queued before.
   * Returns at once if a listener calls it.
   *
   * @return false if that took longer than the timeout, or the calling thread was interrupted
   */
  public boolean awaitDelivered(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    long wanted = queued.get();
    while (!listeners.isEmpty() && delivered.get() < wanted && Thread.currentThread() != thread) {
      if (System.nanoTime() - deadline >= 0 || Thread.currentThread().isInterrupted()) {
        return false;
      }
      LockSupport.parkNanos(this, POLL_INTERVAL_NANOS);
    }
    return true;
  }

  private void run() {
    while (Thread.currentThread() == thread) {
      try {
        Optional<Anomaly> anomaly = waiting.take();
        if (anomaly.isPresent()) {
          for (Listener listener : listeners) {
            call(listener, anomaly.get());
          }
          delivered.incrementAndGet();
        }
      } catch (InterruptedException e) {
        // A listener interrupted this thread, which continues.
      }
    }
  }

  private void call(Listener listener, Anomaly anomaly) {
    try {
      listener.target.accept(anomaly);
    } catch (Throwable e) { // whatever it is, this thread must go on
      if (!listener.failed) {
        listener.failed = true;
        warn("a listener threw " + e.getClass().getName() + "; it stays registered");
      }
    }
  }

  private void warn(String line) {
    try {
      warnings.accept(line);
    } catch (Throwable e) {
      // Not even a line can be written.
    }
  }
}
