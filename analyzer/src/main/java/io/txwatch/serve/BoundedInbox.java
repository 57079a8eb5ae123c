package io.txwatch.serve;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bounded way into the analysis: so many messages, and so many bytes in them. A connection that
 * has read a frame waits for its room before it reads the next one.
 */
final class BoundedInbox {

  private static final int MAX_MESSAGES = 1024;

  /**
   * KiB of frames. Decoded they take many times as much, and each garbage collection copies them:
   * what there is to wait for waits with the clients, as bytes.
   */
  private static final int MAX_CAPACITY_KIB = 8 << 10;

  /** The room may take this share of the heap, as bytes of frames. */
  private static final int HEAP_DIVISOR = 64;

  private static final int KIB_SHIFT = 10;

  private static final int CAPACITY_KIB =
      (int)
          Math.min(
              MAX_CAPACITY_KIB,
              Math.max(1, (Runtime.getRuntime().maxMemory() >> KIB_SHIFT) / HEAP_DIVISOR));

  private final BlockingQueue<Message> queue = new ArrayBlockingQueue<>(MAX_MESSAGES);
  private final Semaphore capacityKib = new Semaphore(CAPACITY_KIB, true);

  /**
   * Waits for room for a frame, all of it for a very large one; the result is what to give back.
   */
  int reserve(int bytes) throws InterruptedException {
    int weight = Math.min((bytes >> KIB_SHIFT) + 1, CAPACITY_KIB);
    capacityKib.acquire(weight);
    return weight;
  }

  /** Gives room back. */
  void release(int weight) {
    capacityKib.release(weight);
  }

  void put(Message message) throws InterruptedException {
    queue.put(message);
  }

  /** The next message, if there is one within so many milliseconds. */
  @Nullable Message poll(long millis) throws InterruptedException {
    return queue.poll(millis, TimeUnit.MILLISECONDS);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }
}
