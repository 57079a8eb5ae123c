package io.txwatch.capture;

import io.txwatch.history.Access;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One statement under observation, from just before it is sent until its result has been read.
 *
 * <p>It ends once: when its result is exhausted or closed, when the statement fails, or when its
 * transaction ends, whichever comes first. Rows that are reached later are not in the history; they
 * are counted.
 */
public final class Observation {

  /** More rows than this of one statement are counted, not kept: memory is bounded. */
  static final int MOST_ROWS = 65_536;

  final SessionTracker tracker;
  final SessionState.Transaction transaction;
  final int number;
  final StatementKind kind;
  final String sql;
  final String callSite;

  /** The first row: most statements have no other. */
  private @Nullable RowAccess first;

  /** All rows, if there are several. */
  private @Nullable List<RowAccess> rows;

  private @Nullable List<VersionSet> versionSets;
  private boolean allRowsTold;
  private boolean toldBeside;
  private boolean ended;
  private long beyond;
  private boolean lateRowsTold;
  private @Nullable RowAccess target;
  private @Nullable GapReason gap;
  private String gapDetail = "";
  private @Nullable String token;

  Observation(
      SessionTracker tracker,
      SessionState.Transaction transaction,
      int number,
      StatementKind kind,
      String sql,
      String callSite) {
    this.tracker = tracker;
    this.transaction = transaction;
    this.number = number;
    this.kind = kind;
    this.sql = sql;
    this.callSite = callSite;
  }

  /** The transaction's id. */
  public long transaction() {
    return transaction.id;
  }

  /** The statement's number in its transaction. */
  public int number() {
    return number;
  }

  /** The writer token of this statement. */
  public String token() {
    String known = token;
    if (known == null) {
      known = WriterToken.of(transaction.id, number);
      token = known; // the same for whoever asks
    }
    return known;
  }

  /** Its token is known already. */
  void token(String known) {
    token = known;
  }

  /** Notes that the statement touches rows that will not be seen, and why. */
  public void notSeen(GapReason reason, String detail) {
    synchronized (tracker) {
      gap = reason;
      gapDetail = detail;
    }
  }

  /** The same, unless a reason is known already. */
  public void notSeenBeside(GapReason reason, String detail) {
    synchronized (tracker) {
      if (gap == null) {
        gap = reason;
        gapDetail = detail;
      }
    }
  }

  /**
   * Notes that the statement may write versions that do not bear its token: they go on bearing the
   * name of whoever wrote them before. So of what the transaction reads afterwards it is not known
   * whose version it was.
   */
  public void mayWriteUnnamed() {
    synchronized (tracker) {
      transaction.mayHaveWrittenUnnamed(number);
    }
  }

  /** True if a version that another has named may be this transaction's own. */
  private boolean mayBeOwn(WriterList writers) {
    int newest = writers.size() - 1;
    return number > transaction.unnamedSince
        && !(newest >= 0 && writers.transaction(newest) == transaction.id);
  }

  /** True if the statement is a transaction of its own. */
  public boolean isAlone() {
    return transaction.single;
  }

  /**
   * Notes a row that a read beside the statement told of. If the statement fails, it is as if that
   * read had not been sent.
   */
  public void rowBeside(Access access, String table, long row, String writers, boolean certain) {
    synchronized (tracker) {
      toldBeside = true;
      row(access, table, row, writers, certain);
    }
  }

  /** Notes what a predicate of the statement chose from. */
  public void versionSet(VersionSet set) {
    synchronized (tracker) {
      if (!ended) {
        if (versionSets == null) {
          versionSets = new ArrayList<>(1);
        }
        versionSets.add(set);
      }
    }
  }

  /**
   * Notes a row.
   *
   * @param writers what stands in {@code txw_wl}
   */
  public void row(Access access, String table, long row, String writers) {
    row(access, table, row, writers, true);
  }

  /** The same, with whether it is {@linkplain RowAccess#certain() certain}. */
  public void row(Access access, String table, long row, String writers, boolean certain) {
    synchronized (tracker) {
      if (ended) {
        if (!lateRowsTold) {
          lateRowsTold = true;
          tracker.gap(0, GapReason.OPAQUE, "rows read after their transaction had ended", 1);
        }
        return;
      }
      if (rows != null && rows.size() >= MOST_ROWS) {
        beyond++;
      } else {
        WriterList list = WriterList.ofColumn(writers);
        boolean sure = certain && !(access == Access.READ && mayBeOwn(list));
        add(new RowAccess(access, table, row, list, sure));
      }
    }
  }

  private void add(RowAccess row) {
    RowAccess before = first;
    if (before == null) {
      first = row;
      return;
    }
    List<RowAccess> all = rows;
    if (all == null) {
      all = new ArrayList<>();
      all.add(before);
      rows = all;
    }
    all.add(row);
  }

  /**
   * Notes the row that an UPDATE has found by a key, as {@link Access#TARGET}. It is told only if
   * {@link #succeeded} ends the observation, not where the end of the transaction does: then its
   * event would come after the COMMIT.
   */
  public void target(String table, long row) {
    synchronized (tracker) {
      WriterList own = new WriterList(token(), false);
      target = new RowAccess(Access.TARGET, table, row, own, false);
    }
  }

  /** Adds the row that was found by a key, unless a read beside the statement told of it. */
  void tellTarget() {
    RowAccess found = target;
    if (found == null) {
      return;
    }
    for (RowAccess row : rows()) {
      if (row.access().isWrite() && row.row() == found.row() && row.table().equals(found.table())) {
        return;
      }
    }
    add(found);
  }

  /** True once the statement's event has been sent. */
  public boolean hasEnded() {
    synchronized (tracker) {
      return ended;
    }
  }

  /**
   * Ends the observation of a statement that succeeded. Without effect if it has ended.
   *
   * @param writesSeen true if every row that it wrote was noted
   */
  public void succeeded(boolean writesSeen) {
    tracker.succeeded(this, writesSeen);
  }

  /** Ends the observation of a statement that failed, and notes what that does to the session. */
  public void failed(SQLException error) {
    tracker.failed(this, error);
  }

  /** Marks it ended; false if it was. */
  boolean end() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  /** True if rows stand for themselves, whatever became of the statement. */
  boolean rowsHoldAfterFailure() {
    return !kind.mayWrite() && !toldBeside;
  }

  /** Notes that its result was read to the end: what it did not return does not match. */
  public void allRowsTold() {
    synchronized (tracker) {
      allRowsTold = beyond == 0;
    }
  }

  List<VersionSet> takeVersionSets() {
    List<VersionSet> sets = versionSets;
    versionSets = null;
    if (sets == null) {
      return List.of();
    }
    return allRowsTold
        ? List.copyOf(sets)
        : sets.stream().map(VersionSet::withoutPredicate).toList();
  }

  List<RowAccess> takeRows() {
    List<RowAccess> taken = rows();
    first = null;
    rows = null;
    return taken;
  }

  private List<RowAccess> rows() {
    if (rows != null) {
      return List.copyOf(rows);
    }
    return first == null ? List.of() : List.of(first);
  }

  long rowsBeyond() {
    return beyond;
  }

  @Nullable GapReason gapReason() {
    return gap;
  }

  String gapDetail() {
    return gapDetail;
  }
}
