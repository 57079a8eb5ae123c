package io.txwatch.serve;

import io.txwatch.link.Frames;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The bounded way into the analysis: so many messages, and so many bytes in them. A connection asks
 * for the room of a frame before it reads it; while there is none it does not read.
 */
final class Intake {

  private static final int MESSAGES = 1024;
  private static final long MOST_BYTES = 32L << 20;
  private static final int KIBI = 10;

  private final BlockingQueue<Message> queue = new ArrayBlockingQueue<>(MESSAGES);
  private final Semaphore room;

  /** An intake whose events, decoded, take a small part of a heap of that size. */
  Intake(long heap) {
    long bytes = Math.max(2L * Frames.LONGEST, Math.min(MOST_BYTES, heap / 32));
    this.room = new Semaphore((int) (bytes >> KIBI), true);
  }

  /** Waits for room for a frame; the result is what to give back. */
  int reserve(int bytes) throws InterruptedException {
    int weight = (bytes >> KIBI) + 1;
    room.acquire(weight);
    return weight;
  }

  /** Gives room back. */
  void release(int weight) {
    room.release(weight);
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
