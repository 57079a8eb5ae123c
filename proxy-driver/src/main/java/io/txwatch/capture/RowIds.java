package io.txwatch.capture;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Row ids that the driver gives: negative numbers of 63 bits, 39 of them random, 24 a count. When
 * the count is used up, new random bits are taken. Those that a DBMS gives by a column's default
 * (sequences, {@code uuid_short()}, {@code random()}) are not negative, so the two never meet;
 * docs/decisions/0005 weighs how likely two processes are to.
 */
public final class RowIds {

  private static final int COUNT_BITS = 24;
  private static final long COUNT_MASK = (1L << COUNT_BITS) - 1;

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final RowIds SHARED = new RowIds();

  private final AtomicLong next = new AtomicLong(fresh());

  RowIds() {}

  /** The source of this process. */
  public static RowIds shared() {
    return SHARED;
  }

  /** The first of {@code count} ids that follow each other, none of which was given before. */
  public long take(int count) {
    while (true) {
      long now = next.get();
      long first = (now & COUNT_MASK) + count > COUNT_MASK ? fresh() : now;
      if (next.compareAndSet(now, first + count)) {
        return first;
      }
    }
  }

  /** New random bits, and a count of 1: {@code Long.MIN_VALUE} has no literal on some DBMSs. */
  private static long fresh() {
    return Long.MIN_VALUE | RANDOM.nextLong() << COUNT_BITS | 1;
  }
}
