package io.txwatch.capture;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generates row ids in the driver: negative numbers with 39 random bits and a 24-bit count. When
 * the count is exhausted, new random bits are drawn. Ids that a DBMS generates by a column's
 * default (sequences, {@code uuid_short()}, {@code random()}) are not negative, so the two kinds
 * never collide; docs/decisions/0005 estimates the probability of collisions between processes.
 */
public final class RowIdGenerator {

  private static final int COUNT_BITS = 24;
  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final RowIdGenerator SHARED = new RowIdGenerator();

  private final AtomicLong next = new AtomicLong(fresh());

  RowIdGenerator() {}

  /** The source of this process. */
  public static RowIdGenerator shared() {
    return SHARED;
  }

  /** Returns the first of {@code count} consecutive new ids. */
  public long take(int count) {
    while (true) {
      long now = next.get();
      long first = (now & COUNT_MASK) + count > COUNT_MASK ? fresh() : now;
      if (next.compareAndSet(now, first + count)) {
        return first;
      }
    }
  }

  /**
   * Draws random bits and starts the count at 1: {@code Long.MIN_VALUE} has no literal on some
   * DBMSs.
   */
  private static long fresh() {
    return Long.MIN_VALUE | RANDOM.nextLong() << COUNT_BITS | 1;
  }
}
