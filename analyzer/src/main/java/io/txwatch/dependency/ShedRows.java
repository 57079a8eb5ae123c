package io.txwatch.dependency;

import io.txwatch.history.RowShare;
import java.util.HashMap;
import java.util.Map;

/**
 * Of which rows accesses may be missing because transactions omitted them under overload ({@link
 * RowShare}).
 *
 * <p>A transaction is observed in full for the rows of its share, and takes part in everything that
 * follows from them. For other rows it is as if a transaction had lost its events: a version that it
 * made there stays open ({@link Transaction#isObservedWrite}). So what follows from the existence
 * of events is the same as without overload, or is missing.
 *
 * <p>What follows from the absence of an event needs more: that each transaction which overlapped
 * with another one has the row in its share, those included of which no event was emitted. That a
 * version set lacks a row proves nothing if an unknown transaction may have deleted or inserted it,
 * and the writer of an unknown id is not "not watched" if it may have omitted its write.
 */
final class ShedRows {

  /** The smallest share of the active transactions of each process, by the ids of its node. */
  private final Map<Long, RowShare> active = new HashMap<>();

  /** The smallest share so far. */
  private RowShare smallest = RowShare.ALL;

  /** When the last transaction ended that had omitted something; on the clock of events. */
  private long until = -1;

  /** The smallest share of the active transactions of a session's process. */
  void shed(long session, RowShare share, long clock) {
    if (share.isAll()) {
      active.remove(session >>> Integer.SIZE);
    } else {
      active.put(session >>> Integer.SIZE, share);
      smallest = smallest.and(share);
    }
    until = clock;
  }

  /** A transaction has this share. */
  void began(long session, RowShare share, long clock) {
    if (!share.isAll()) {
      shed(
          session, share.and(active.getOrDefault(session >>> Integer.SIZE, RowShare.ALL)), clock);
    }
  }

  /**
   * Whether each transaction of which events may have been omitted, and which overlapped with this
   * one, omitted none on a row.
   */
  boolean isComplete(Row row, Transaction overlapping) {
    boolean isLater =
        active.isEmpty() && overlapping.share().isAll() && overlapping.beganAt > until;
    return isLater || smallest.contains(row.table(), row.id());
  }
}
