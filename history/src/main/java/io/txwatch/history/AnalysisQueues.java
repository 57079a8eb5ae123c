package io.txwatch.history;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The queues of this JVM that lead to an analyzer. The analyzer may not import the driver, which
 * creates them; this is how it waits for events that are still on their way.
 */
public final class AnalysisQueues {

  private static final Set<SharedQueue> ALL = ConcurrentHashMap.newKeySet();

  private AnalysisQueues() {}

  /** Adds a queue, for as long as the JVM runs. */
  public static void add(SharedQueue queue) {
    ALL.add(queue);
  }

  /**
   * Waits until all events that were accepted before this call have been delivered.
   *
   * @return false if that took longer than the timeout, or the calling thread was interrupted
   */
  public static boolean awaitDelivered(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean delivered = true;
    for (SharedQueue queue : ALL) {
      delivered &= queue.awaitDelivered(Duration.ofNanos(deadline - System.nanoTime()));
    }
    return delivered;
  }
}
