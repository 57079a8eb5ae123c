package io.txwatch.history;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Generates the ids of sessions and transactions: 32 random bits for the node, then a 32-bit count.
 * When the count is exhausted, new random bits are drawn, so ids are unique across nodes and time
 * without coordination.
 */
public final class Ids {

  private final AtomicLong next;

  private Ids(long first) {
    this.next = new AtomicLong(first);
  }

  /** A source with a random node number. */
  public static Ids random() {
    return new Ids((new SecureRandom().nextLong() & 0xffff_ffff_0000_0000L) | 1);
  }

  /** A source with a given node number, for tests that need the same ids each time. */
  public static Ids ofNode(int node) {
    return new Ids(((long) node << 32) | 1);
  }

  /** The next id, never 0. */
  public long next() {
    long id = next.getAndIncrement();
    if ((int) id == 0) {
      next.compareAndSet(id + 1, (new SecureRandom().nextLong() & 0xffff_ffff_0000_0000L) | 1);
      return next.getAndIncrement();
    }
    return id;
  }

  /** Formats an id for display: the node in base 36, a dot, the count. */
  public static String display(long id) {
    return Integer.toUnsignedString((int) (id >>> 32), 36)
        + "."
        + Integer.toUnsignedString((int) id);
  }
}
