package io.txwatch.dependency;

import io.txwatch.history.RowShare;
import java.util.HashMap;
import java.util.Map;

/**
 * Of which rows accesses may be missing because transactions omitted them under overload ({@link
 * RowShare}).
 *
 * <p>A transaction is observed in full for the rows of its share, and takes part in everything that
 * follows from them. For other rows it is as if a transaction had lost its events: a version that
 * it made there stays open ({@link Transaction#isObservedWrite}). So what follows from the
 * existence of events is the same as without overload, or is missing.
 *
 * <p>What follows from the absence of an event needs more: that each transaction which overlapped
 * with another one has the row in its share, those included of which no event was emitted. That a
 * version set lacks a row proves nothing if an unknown transaction may have deleted or inserted it,
 * and the writer of an unknown id is not "not watched" if it may have omitted its write. A process
 * announces when it omits nothing more ({@link io.txwatch.history.LoadShedding}); a transaction of
 * the same process that begins afterwards overlaps with none that did. Those of other processes may
 * arrive in another order, so for them the smallest share counts for good.
 */
final class ShedRows {

  /** What a process has omitted. */
  private static final class ProcessShare {

    /** The smallest share so far. */
    RowShare smallest = RowShare.ALL;

    /** The smallest share of its active transactions. */
    RowShare active = RowShare.ALL;

    /** When the last transaction had ended that omitted something; on the clock of events. */
    long until;
  }

  /** The processes that omitted something, by the ids of their nodes. */
  private final Map<Long, ProcessShare> processes = new HashMap<>();

  /** The smallest share of the active transactions of a session's process. */
  void shed(long session, RowShare share, long clock) {
    ProcessShare process = processes.get(node(session));
    if (process == null) {
      if (share.isAll()) {
        return;
      }
      process = new ProcessShare();
      processes.put(node(session), process);
    }
    process.active = share;
    process.smallest = process.smallest.and(share);
    process.until = clock;
  }

  /** A transaction has this share. */
  void began(long session, RowShare share, long clock) {
    if (!share.isAll()) {
      ProcessShare process = processes.get(node(session));
      shed(session, process == null ? share : share.and(process.active), clock);
    }
  }

  /** Whether no transaction that overlapped with this one can have omitted an access to a row. */
  boolean isComplete(Row row, Transaction overlapping) {
    if (processes.isEmpty()) {
      return true;
    }
    for (Map.Entry<Long, ProcessShare> entry : processes.entrySet()) {
      ProcessShare process = entry.getValue();
      boolean isOver =
          process.active.isAll()
              && entry.getKey() == node(overlapping.id())
              && overlapping.share().isAll()
              && overlapping.beganAt > process.until;
      if (!isOver && !process.smallest.contains(row.table(), row.id())) {
        return false;
      }
    }
    return true;
  }

  private static long node(long id) {
    return id >>> Integer.SIZE;
  }
}
