package io.txwatch.serve;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of messages to the analysis thread, bounded by their number and their bytes. A
 * connection that has read a frame waits until it fits before it reads the next one.
 */
final class BoundedInbox {

  private static final int MAX_MESSAGES = 1024;

  /**
   * In KiB of encoded frames. Decoded they take many times as much, and every garbage collection
   * copies them. A backlog is cheaper as bytes with the clients.
   */
  private static final int MAX_CAPACITY_KIB = 8 << 10;

  /** The queue may contain this fraction of the heap, as encoded bytes. */
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
   * OperationWaits until a frame of that many bytes fits; a frame larger than the queue waits until
   * it is empty. Returns the weight to release.
   */
  int reserve(int bytes) throws InterruptedException {
    int weight = Math.min((bytes >> KIB_SHIFT) + 1, CAPACITY_KIB);
    capacityKib.acquire(weight);
    return weight;
  }

  void release(int weight) {
    capacityKib.release(weight);
  }

  void put(Message message) throws InterruptedException {
    queue.put(message);
  }

  /** The next message, if one arrives within that many milliseconds. */
  @Nullable Message poll(long millis) throws InterruptedException {
    return queue.poll(millis, TimeUnit.MILLISECONDS);
  }

  boolean isEmpty() {
    return queue.isEmpty();
  }
}
