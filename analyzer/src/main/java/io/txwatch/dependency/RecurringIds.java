package io.txwatch.dependency;

import io.txwatch.history.Database;
import java.util.HashMap;
import java.util.Map;

/**
 * Whether the ids in writer tokens may be in use a second time. PostgreSQL's {@code xmin} has 32
 * bits, so after some four billion transactions ids return. A row that was frozen before still
 * shows its first writer's, and a transaction of today may have the same one.
 *
 * <p>Two things show it: the epoch that a session read when it was opened, and an id that is far
 * below an earlier one of the same server. Where ids may recur, a version belongs to a transaction
 * only if that transaction's own statement returned it.
 */
final class RecurringIds {

  /** The setting of a {@link Database} that counts how often its server has used up all ids. */
  private static final String EPOCH = "xid_epoch";

  private static final long ID_BITS = 0xffff_ffffL;
  private static final long HALF = 1L << 31;

  /** The highest id of each server. */
  private final Map<Long, Long> highest = new HashMap<>();

  private boolean mayRecur;

  boolean mayRecur() {
    return mayRecur;
  }

  /** A session was opened. */
  void opened(Database database) {
    mayRecur |= database.settings().containsKey(EPOCH);
  }

  /** A server gave that id to an observed transaction. */
  void given(long id) {
    if (!mayRecur) {
      long low = id & ID_BITS;
      long before = highest.merge(id >>> Integer.SIZE, low, Math::max);
      mayRecur = before - low > HALF;
    }
  }
}
