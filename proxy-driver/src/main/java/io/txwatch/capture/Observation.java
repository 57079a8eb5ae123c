package io.txwatch.capture;

import io.txwatch.history.Access;
import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.KeyValues;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The observation of one statement, from just before it is sent until its result has been read.
 *
 * <p>It ends once: when the result is exhausted or closed, the statement fails, or its transaction
 * ends, whichever comes first. Rows read later are counted but not recorded.
 */
public final class Observation {

  /**
   * The size of a row without its writers, in bytes, as it is encoded. Rows beyond {@link
   * Chunk#MAX_ROWS_BYTES} are only counted.
   */
  static final int ROW_BYTES = 26;

  final SessionTracker tracker;
  final SessionState.Transaction transaction;
  final int number;
  final StatementKind kind;
  final String sql;
  final String callSite;

  /** The first row; most statements have only one. */
  private @Nullable RowAccess first;

  /** All rows, if there are several. */
  private @Nullable List<RowAccess> rows;

  private @Nullable List<VersionSet> versionSets;
  private boolean countsIfEmpty;
  private boolean allRowsReported;
  private boolean seenBySideRead;
  private boolean ended;
  private long rowBytes;
  private long droppedRows;
  private boolean lateRowsReported;
  private @Nullable RowAccess target;
  private @Nullable GapReason gap;
  private String gapDetail = "";
  private @Nullable String token;
  private String columns = "";
  private List<KeyValues> keyValues = List.of();
  private @Nullable ObservedValues values;
  private @Nullable StatementRecording recording;

  /** When it was sent, and when it had returned, unless its values state that; 0 if unknown. */
  private volatile long sentNanos;

  private volatile long returnedNanos;
  private @Nullable Deadlock deadlock;
  private @Nullable LockWaits lockWaits;

  /** The transactions with which it was in a deadlock that ended by its error. */
  record Deadlock(boolean named, List<Event.Deadlocked.Waiter> others) {}

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
      token = known; // cached
    }
    return known;
  }

  /**
   * Records the columns that the statement reads and writes.
   *
   * @param accessed {@link io.txwatch.history.AccessedColumns#text}
   */
  public void accesses(String accessed) {
    columns = accessed;
  }

  /** It is about to be sent. */
  public void sent() {
    sentNanos = System.nanoTime();
  }

  /** The driver has come back from it, with an error or not. */
  public void returned() {
    returnedNanos = System.nanoTime();
  }

  /** True once it was sent, as far as is known. */
  public boolean hasBeenSent() {
    return values != null ? values.sentAt() != 0 : sentNanos != 0;
  }

  /** When it was sent: {@link System#nanoTime}. */
  public long sentAt() {
    return values != null ? values.sentAt() : sentNanos;
  }

  /** When it had returned; now, if it has not. */
  public long returnedAt() {
    if (values != null) {
      return values.returnedSoFar();
    }
    long known = returnedNanos;
    return known == 0 ? System.nanoTime() : known;
  }

  /**
   * True if it was sent and had not returned at that time.
   *
   * @param now not later than now
   */
  boolean isExecuting(long now) {
    return hasBeenSent() && returnedAt() - now >= 0;
  }

  /** A sample was taken of the waits for locks; no holder if the statement does not wait. */
  void sampled(List<Event.Waited.Holder> holders, long nanos) {
    LockWaits known = lockWaits;
    if (known == null && !holders.isEmpty()) {
      known = new LockWaits();
      lockWaits = known;
    }
    if (known != null) {
      known.sampled(holders, nanos);
    }
  }

  /** Its waits for locks, once it has ended. */
  List<Event.Waited> waits(long session) {
    return lockWaits == null ? List.of() : lockWaits.ended(this, session);
  }

  /** Whether it may wait for locks of rows, as far as its text shows. */
  boolean mayLock() {
    return kind.mayWrite() || kind == StatementKind.LOCKING_SELECT;
  }

  /**
   * It is about to {@linkplain #failed fail}, by which the DBMS ends a deadlock.
   *
   * @param named true if the DBMS named the others
   * @param others as in {@link Event.Deadlocked#others}
   */
  public void deadlocked(boolean named, List<Event.Deadlocked.Waiter> others) {
    deadlock = new Deadlock(named, others);
  }

  @Nullable Deadlock deadlock() {
    return deadlock;
  }

  /** Records the values of a key's columns in the rows that the statement chooses or inserts. */
  public void keyValues(List<KeyValues> values) {
    keyValues = values;
  }

  List<KeyValues> keyValues() {
    return keyValues;
  }

  /** Records what the statement shows of its rows by their values. */
  public void values(ObservedValues shown) {
    synchronized (tracker) {
      values = shown;
    }
  }

  /**
   * Whether the values of its transaction's statements are recorded.
   *
   * @param decision decides that with the first statement
   */
  public boolean recordsValues(BooleanSupplier decision) {
    synchronized (tracker) {
      Boolean known = transaction.recordsValues;
      if (known == null) {
        known = decision.getAsBoolean();
        transaction.recordsValues = known;
      }
      return known;
    }
  }

  /** Records what the statement is executed with and returns. */
  public void records(StatementRecording ofIt) {
    synchronized (tracker) {
      recording = ofIt;
    }
  }

  @Nullable StatementRecording recording() {
    return recording;
  }

  @Nullable ObservedValues values() {
    return values;
  }

  String columns() {
    return columns;
  }

  /** Sets the token, if it is known already. */
  void token(String known) {
    token = known;
  }

  /** Records that rows of the statement will not be observed, and why. */
  public void notSeen(GapReason reason, String detail) {
    synchronized (tracker) {
      gap = reason;
      gapDetail = detail;
    }
  }

  /** Records that a side read failed, unless a reason is recorded already. */
  public void sideReadFailed(GapReason reason, String detail) {
    synchronized (tracker) {
      if (gap == null) {
        gap = reason;
        gapDetail = detail;
      }
    }
  }

  /**
   * Records that the statement may write versions without its token: such a version keeps the token
   * of its previous writer. So the writer of what the transaction reads afterwards is uncertain.
   */
  public void mayWriteUnnamed() {
    synchronized (tracker) {
      transaction.mayHaveWrittenUnnamed(number);
    }
  }

  /** Records that the statement may commit what its transaction has done before. */
  public void mayCommit() {
    synchronized (tracker) {
      transaction.mayBeCommitted |= number > 1;
    }
  }

  /** True if a version with another transaction's token may be this transaction's own. */
  private boolean mayBeOwn(WriterList writers) {
    if (number <= transaction.unnamedSince) {
      return false;
    }
    int newest = writers.size() - 1;
    if (newest < 0) {
      return true;
    }
    long own =
        writers.statement(newest) == WriterToken.BY_DBMS
            ? transaction.lastIdByDbms
            : transaction.id;
    return writers.transaction(newest) != own;
  }

  /** The newest writer of a row that an INSERT or UPDATE returned is its own transaction. */
  private void rememberIdByDbms(WriterList writers) {
    int newest = writers.size() - 1;
    if (newest >= 0 && writers.statement(newest) == WriterToken.BY_DBMS) {
      transaction.lastIdByDbms = writers.transaction(newest);
    }
  }

  /** True if the statement is autocommitted. */
  public boolean isAlone() {
    return transaction.single;
  }

  /** Records a row that a side read returned. If the statement fails, the row is discarded. */
  public void sideReadRow(Access access, String table, long row, String writers, boolean certain) {
    synchronized (tracker) {
      seenBySideRead = true;
      row(access, table, row, writers, certain);
    }
  }

  /** Records those rows that the statement, a DELETE that returned all its rows, did not delete. */
  public void skipped(List<RowAccess> matching) {
    synchronized (tracker) {
      if (ended || droppedRows > 0) {
        return;
      }
      Set<Long> deleted = new HashSet<>();
      for (RowAccess row : rows()) {
        if (row.access() == Access.DELETE) {
          deleted.add(row.row());
        }
      }
      for (RowAccess row : matching) {
        if (!deleted.contains(row.row())) {
          add(row);
        }
      }
    }
  }

  /**
   * Records the version set of a predicate.
   *
   * @param limited true if the statement may leave out rows that match: then the set shows nothing
   *     unless no row was found
   */
  public void versionSet(VersionSet set, boolean limited) {
    synchronized (tracker) {
      countsIfEmpty |= limited;
      if (!ended) {
        if (versionSets == null) {
          versionSets = new ArrayList<>(1);
        }
        versionSets.add(set);
      }
    }
  }

  /**
   * Records a row.
   *
   * @param writers the value of {@code txw_wl}
   */
  public void row(Access access, String table, long row, String writers) {
    row(access, table, row, writers, true);
  }

  /** Records a row, {@linkplain RowAccess#certain() certain} or not. */
  public void row(Access access, String table, long row, String writers, boolean certain) {
    synchronized (tracker) {
      if (ended) {
        if (!lateRowsReported) {
          lateRowsReported = true;
          tracker.gapOutside(GapReason.OPAQUE, "rows read after their transaction had ended");
        }
        return;
      }
      WriterList list = WriterList.ofColumn(writers);
      rowBytes += ROW_BYTES + list.tokens().length();
      if (rowBytes > Chunk.MAX_ROWS_BYTES) {
        droppedRows++;
      } else {
        if (access == Access.INSERT || access == Access.UPDATE) {
          rememberIdByDbms(list);
        }
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
   * Records the row that an UPDATE matched by key, as {@link Access#TARGET}. It is emitted only if
   * {@link #succeeded} ends the observation; at the end of the transaction its event would follow
   * the COMMIT.
   */
  public void target(String table, long row) {
    synchronized (tracker) {
      WriterList own = new WriterList(token(), false);
      target = new RowAccess(Access.TARGET, table, row, own, false);
    }
  }

  /** Adds the row matched by key, unless a side read returned it. */
  void reportTarget() {
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

  /** True once the statement's event has been emitted. */
  public boolean hasEnded() {
    synchronized (tracker) {
      return ended;
    }
  }

  /**
   * Ends the observation of a successful statement. Does nothing if it has ended.
   *
   * @param writesSeen true if every row that it wrote was recorded
   */
  public void succeeded(boolean writesSeen) {
    tracker.succeeded(this, writesSeen);
  }

  /**
   * Ends the observation of a failed statement and applies the effect of the error to the session.
   */
  public void failed(SQLException error) {
    tracker.failed(this, error);
  }

  /** Marks it as ended; false if it had ended before. */
  boolean end() {
    boolean first = !ended;
    ended = true;
    return first;
  }

  /** True if recorded rows remain valid after the statement fails. */
  boolean rowsHoldAfterFailure() {
    return !kind.mayWrite() && !seenBySideRead;
  }

  /** Records that the result was read to the end: rows that it did not return do not match. */
  public void allRowsReported() {
    synchronized (tracker) {
      allRowsReported = droppedRows == 0;
    }
  }

  /** The version sets; to be called before {@link #takeRows}. */
  List<VersionSet> takeVersionSets() {
    List<VersionSet> sets = versionSets;
    versionSets = null;
    if (sets == null || (countsIfEmpty && first != null)) {
      return List.of();
    }
    return allRowsReported
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

  long droppedRowCount() {
    return droppedRows;
  }

  @Nullable GapReason gapReason() {
    return gap;
  }

  String gapDetail() {
    return gapDetail;
  }
}
