package io.txwatch.jdbc.execution;

import io.txwatch.capture.Observation;
import io.txwatch.capture.RowIdGenerator;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.Access;
import io.txwatch.history.GapReason;
import io.txwatch.history.KeyValues;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.KeyedRowHasher;
import io.txwatch.jdbc.plan.PinnedValues;
import io.txwatch.jdbc.read.StatementReads;
import io.txwatch.jdbc.value.RecordedResult;
import io.txwatch.jdbc.value.StatementValues;
import io.txwatch.jdbc.value.StreamedColumns;
import io.txwatch.plan.NewRows;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a statement, as the wrappers see it: the rim behind which capture lives. Nothing
 * that goes wrong behind it comes through to the application; it is counted as a fault.
 */
public final class Execution {

  private final ExecutionContext context;
  private final CachedPlan cached;
  private final @Nullable Observation observation;

  /** What is read besides its result; null if nothing is. */
  private final @Nullable StatementReads reads;

  /** What it shows of its rows by their values; null if versions are not known by value. */
  private @Nullable StatementValues values;

  /** What it is executed with and returns; null if that is not recorded. */
  private @Nullable RecordedResult recorded;

  private boolean over;

  /** True once a row of its result was to be noted. */
  private boolean hasRowsOfValues;

  /** True if the driver cuts long values: what is left of a list of writers names others. */
  private boolean valuesAreCut;

  /** Null before its first row. */
  private @Nullable HiddenColumns hidden;

  /** The bits of the key by which it finds a row; 0 if there is none. */
  private long key;

  private PinnedValues pinned = PinnedValues.NONE;

  /** {@link PinnedValues#changes} when it was executed. */
  private int pinnedAt;

  /** True if the id in the versions that it writes is that of the transaction as a whole. */
  private boolean underTransactionId;

  /** How many rows a result is still to return; negative if that is not known. */
  private long awaited = -1;

  /** The id of the first row that an INSERT gives an id; 0 if it gives none. */
  private final long firstRow;

  private Execution(
      ExecutionContext context,
      CachedPlan cached,
      @Nullable Observation observation,
      long firstRow) {
    this.context = context;
    this.cached = cached;
    this.observation = observation;
    this.firstRow = firstRow;
    this.reads =
        observation == null
            ? null
            : StatementReads.of(context.state(), cached, observation, firstRow);
  }

  /**
   * A statement is about to be sent.
   *
   * @param callSite the place in the application that sends it
   */
  public static Execution begin(ExecutionContext context, CachedPlan cached, String callSite) {
    return begin(context, cached, null, takeRowIds(cached), callSite);
  }

  /**
   * An item of a batch is about to be sent, at the position that its token names.
   *
   * @param firstRow what {@link #takeRowIds} gave it
   * @param callSite the place in the application that sends it, one for all items
   */
  public static Execution begin(
      ExecutionContext context,
      CachedPlan cached,
      SessionTracker.@Nullable Position position,
      long firstRow,
      String callSite) {
    context.state().catalog().sending();
    if (cached.isControl()) {
      context.tracker().controlSent(cached.plan().control());
      return new Execution(context, cached, null, firstRow);
    }
    try {
      SessionTracker tracker = context.tracker();
      Observation observation =
          position == null
              ? tracker.begin(cached.kind(), cached.shownSql(), callSite)
              : tracker.begin(position, cached.kind(), cached.shownSql(), callSite);
      KeyedRowHasher key = cached.key();
      if (key != null) {
        context.state().knownRows().mayMove(key);
      }
      observation.accesses(cached.columns());
      if (cached.values() == null) {
        observation.sent(); // otherwise its values state that
      }
      noteWhatIsNotSeen(observation, cached);
      if (context.rules().mayCommit(cached.kind(), cached.plan().original())) {
        observation.mayCommit();
      }
      context.executing(cached);
      return new Execution(context, cached, observation, firstRow);
    } catch (RuntimeException e) {
      context.fault(e);
      return new Execution(context, cached, null, firstRow);
    }
  }

  /** The first of as many row ids as a statement gives; 0 if it gives none. */
  static long takeRowIds(CachedPlan cached) {
    int rows = cached.plan().rowIdParameters().length;
    return rows == 0 ? 0 : RowIdGenerator.shared().take(rows);
  }

  public CachedPlan cached() {
    return cached;
  }

  /** The application's own text was executed where this one's failed. */
  public Execution withoutRewriting(SQLException ours) {
    return instead(context.plans().refused(cached, ours));
  }

  /** The application's own text was executed, which that plan sends. */
  Execution instead(CachedPlan untouched) {
    if (observation != null) {
      observation.accesses(untouched.columns());
      noteWhatIsNotSeen(observation, untouched);
    }
    Execution other = new Execution(context, untouched, observation, 0);
    other.recorded = recorded;
    return other;
  }

  private static void noteWhatIsNotSeen(Observation observation, CachedPlan cached) {
    Optional<GapReason> reason = cached.plan().passThrough();
    if (reason.isPresent()) {
      observation.notSeen(reason.get(), cached.plan().passThroughDetail());
    }
    if (cached.mayWriteUnnamed()) {
      observation.mayWriteUnnamed();
    }
  }

  // ---------------------------------------------------------------- values

  /** These are the values of a key's columns in the rows that it chooses or inserts. */
  public void keyValues(List<KeyValues> values) {
    if (observation != null) {
      observation.keyValues(values);
    }
  }

  /** What it shows of its rows by their values is collected there. */
  public void values(StatementValues shown) {
    if (observation != null) {
      values = shown;
      observation.values(shown);
    }
  }

  /** Whether what it is executed with and returns is recorded: as of its whole transaction. */
  public boolean recordsValues(CachedPlan plan) {
    return observation != null
        && !context.plans().isOff()
        && observation.recordsValues(plan.usage()::recordsNext);
  }

  /** What it is executed with and returns is recorded there. */
  public void records(RecordedResult into) {
    if (observation != null) {
      recorded = into;
      observation.records(into);
    }
  }

  /** What it is executed with and returns; null if that is not recorded. */
  public @Nullable RecordedResult recorded() {
    return recorded;
  }

  /** The text is sent with the next call. */
  public void sent() {
    context.state().changes().sending();
    if (values != null) {
      values.sent();
    }
  }

  /** The driver has come back from it, with an error or not. */
  public void returned() {
    if (values != null) {
      values.returned();
    } else if (observation != null) {
      observation.returned();
    }
  }

  /** True if the values of its result's rows are to be {@linkplain #valuesOfRow noted}. */
  public boolean readsValues() {
    return values != null && values.readsRows() && !over;
  }

  /** True if it matters whether the application reads its result, and up to its end. */
  public boolean choosesRows() {
    return values != null && values.choosesRows() && !over;
  }

  /** The application moved to a row of its result. */
  public void rowSeen() {
    if (values != null) {
      values.seen();
      fetched(values);
    }
  }

  /** The application read its result to the end, and no limit cut it. */
  public void readToEnd() {
    if (values != null) {
      values.readToEnd();
      fetched(values);
    }
  }

  private void fetched(StatementValues shown) {
    if (context.sql().driver().mayReadRowsLater()) {
      shown.fetched();
    }
  }

  /** Its result is not read, or it is that of a write, of whose rows no number is known. */
  public void valuesNotRead(String why) {
    if (values != null) {
      values.unread(why);
      written(values, -1);
    }
  }

  private void written(StatementValues shown, long count) {
    shown.counted(count);
    try {
      shown.written(
          stated -> context.state().changes().written(stated, count, cached.plan().original()));
    } catch (RuntimeException e) {
      context.fault(e);
    }
  }

  /** Notes the values of the row that a result stands on; of no other one after an error. */
  public void valuesOfRow(ResultSet result) {
    StatementValues into = values;
    if (into != null) {
      fetched(into);
      try {
        if (!hasRowsOfValues) {
          hasRowsOfValues = true;
          if (context.sql().driver().mayCloseStreams()
              && StreamedColumns.mayBeIn(result.getMetaData())) {
            into.stop("a large value, or one of an unusual type, in the result");
          }
        }
        into.row(result);
      } catch (SQLException | RuntimeException | LinkageError e) {
        into.stop("a value that cannot be read");
      }
    }
  }

  /** The writer token; one that names no one if capture is at fault. */
  String token() {
    return observation == null ? SessionTracker.NO_TRANSACTION_TOKEN : observation.token();
  }

  /** The text for a plain statement. */
  public String immediateSql() {
    return cached.plan().immediateSql(token(), firstRow);
  }

  /** Sets the parameters of a prepared statement that the driver adds. */
  public void setParameters(PreparedStatement statement) throws SQLException {
    if (cached.plan().tokenParameters().length > 0 || firstRow != 0) {
      setParameters(statement, cached, token(), firstRow);
    }
  }

  /** Sets the parameters of a prepared statement that the driver adds. */
  public static void setParameters(
      PreparedStatement statement, CachedPlan cached, String token, long firstRow)
      throws SQLException {
    for (int place : cached.plan().tokenParameters()) {
      statement.setString(place, token);
    }
    int[] rowIds = cached.plan().rowIdParameters();
    for (int i = 0; i < rowIds.length; i++) {
      statement.setLong(rowIds[i], firstRow + i);
    }
  }

  /**
   * The DBMS executed the statement and gave an update count.
   *
   * @param count as the driver gave it, {@link java.sql.Statement#SUCCESS_NO_INFO} included; -1 if
   *     it is not known
   */
  public void counted(long count) {
    if (values != null) {
      written(values, count);
    }
    Optional<NewRows> given = cached.plan().newRows();
    if (observation == null || firstRow == 0 || given.isEmpty()) {
      succeeded(count == 0 ? cached.countsWrites() : foundByKey(count));
      return;
    }
    NewRows rows = given.get();
    if (rows.fate() == NewRows.Fate.REPLACES && count != rows.count()) {
      observation.sideReadFailed(GapReason.SHAPE, NewRows.TAKEN_AWAY);
    }
    boolean mayBeLeftOut = context.sql().mayLeaveOutRows();
    NewRows.Verdict verdict = rows.verdict(count, mayBeLeftOut);
    switch (verdict) {
      case ALL, ALL_AND_OTHERS, LIKELY_ALL -> {
        boolean certain = verdict != NewRows.Verdict.LIKELY_ALL;
        for (int i = 0; i < rows.count() && !over; i++) {
          observation.row(Access.INSERT, rows.table(), firstRow + i, token(), certain);
        }
        succeeded(verdict == NewRows.Verdict.ALL);
      }
      case NONE -> succeeded(true);
      case UNKNOWN -> succeeded(false);
    }
  }

  /** The DBMS has written as many rows, which its generated keys will return. */
  public void awaitRows(long count) {
    awaited = count > 0 ? count : -1;
    if (count == 0) {
      succeeded(true);
    }
  }

  /** The id in the versions that it writes is that of the transaction as a whole. */
  public void writesUnderTransactionId() {
    underTransactionId = true;
  }

  /** The driver cuts long values in its results, those of hidden columns too. */
  public void valuesAreCut() {
    valuesAreCut = true;
  }

  /** The bits of the key by which the statement finds a row; 0 if they are not known. */
  public void key(long bits) {
    this.key = bits;
  }

  /** The parameters that are values of keys, as they are set now. */
  public void pinned(PinnedValues values) {
    this.pinned = values;
    this.pinnedAt = values.changes();
  }

  /**
   * An UPDATE has found as many rows. If it was one, by a key, it is the one that the transaction
   * has read by that key, or one that has taken its place.
   *
   * @return false if it is not known
   */
  private boolean foundByKey(long count) {
    KeyedRowHasher by = cached.key();
    if (by == null || !by.writes() || observation == null) {
      return false;
    }
    if (count == 1) {
      context.state().database().latestUpdates().note(key, observation.token());
    }
    if (observation.isAlone()) {
      return false;
    }
    long row = count == 1 ? rowOf(by, observation) : 0;
    if (row == 0) {
      return false;
    }
    observation.target(by.table(), row);
    // The id of its transaction is still to be read, by which its version is recognized.
    return !cached.plan().usesSystemColumns();
  }

  /** True if another transaction has updated its row since its own had read that by its key. */
  private boolean isContended() {
    KeyedRowHasher by = cached.key();
    if (by == null || !by.writes() || observation == null) {
      return false;
    }
    String read = context.state().knownRows().writers(observation.transaction(), key);
    return read != null
        && context.state().database().latestUpdates().isOvertaken(key, observation.token(), read);
  }

  /** The row that was found by the key; 0 if it is not known. */
  private long rowOf(KeyedRowHasher by, Observation of) {
    return cached.plan().usesSystemColumns()
        ? by.integer(key).orElse(0)
        : context.state().knownRows().find(of.transaction(), key);
  }

  /** The application has read the result to its end, and nothing had bounded it. */
  public void allRowsReported() {
    if (observation != null) {
      observation.allRowsReported();
    }
  }

  /** The DBMS executed the statement and its result, if any, has no more rows. */
  public void succeeded(boolean writesSeen) {
    if (over) {
      return;
    }
    over = true;
    try {
      cached.usage().prove();
      if (cached.renames()) {
        renamed();
      }
      if (cached.isControl()) {
        ControlStatements.executed(context, cached);
        context.state().catalog().sent();
      } else if (observation != null) {
        boolean all = writesSeen || !cached.mayWriteRows();
        if (reads == null) {
          observation.succeeded(all);
        } else {
          reads.ended(all);
        }
      }
      context.executed(cached);
      context.state().earlier().executed(cached);
    } catch (RuntimeException e) {
      context.fault(e);
    }
  }

  /** Rows of a table may have other keys from now on. */
  private void renamed() {
    for (String table : cached.plan().names().renamed()) {
      context.tracker().renamed(table);
    }
  }

  // ---------------------------------------------------------------- reads beside the statement

  /** What is read besides its result; null if nothing is. */
  public @Nullable StatementReads reads() {
    return reads;
  }

  /** Decides what becomes of the reads beside it, and sends those that come before it. */
  public void before(Parameters parameters, boolean first) {
    if (reads != null) {
      context.sideReads().before(reads, parameters, first);
    }
  }

  /**
   * The statement was executed: the reads after it are sent, or put off.
   *
   * @param count its update count; -1 if it is not known, or if it has a result
   */
  public void after(long count) {
    if (recorded != null) {
      recorded.counted(count);
    }
    if (!cached.isControl()) {
      context.state().catalog().sent();
    }
    if (reads == null || over) {
      return;
    }
    SnapshotRules.SideReadTiming[] sendings = reads.takeDecided();
    if (sendings == null) {
      return;
    }
    try {
      reads.contended(count == 1 && isContended());
      context.sideReads().after(reads, sendings, count);
    } catch (RuntimeException e) {
      context.fault(e);
    }
  }

  /** The statement failed. */
  public void failed(SQLException error) {
    failed(error, true);
  }

  /**
   * The statement failed.
   *
   * @param isOwn false if the error may be that of another item of its batch
   */
  void failed(SQLException error, boolean isOwn) {
    over = true;
    try {
      context.state().catalog().sent();
      if (cached.isControl()) {
        context.tracker().controlFailed(cached.plan().control(), error);
      } else if (observation != null) {
        if (isOwn && context.rules().deadlocks().isDeadlock(error)) {
          DeadlockObserver.observe(context, observation, error);
        }
        observation.failed(error);
      }
      context.failed(cached, error);
    } catch (RuntimeException e) {
      context.fault(e);
    }
  }

  /** Its result was closed, or is about to be: what was not read by now will not be. */
  public void over() {
    succeeded(false);
  }

  /** The outcome of an autocommitted item of a batch is not known. */
  void outcomeUnknown() {
    if (observation != null) {
      context.tracker().outcomeUnknown(observation);
    }
  }

  /**
   * Notes the row that a result stands on.
   *
   * @param first the driver's index of the first appended column
   */
  public void row(ResultSet result, int first) {
    if (observation == null) {
      return;
    }
    if (valuesAreCut) {
      observation.notSeen(GapReason.SHAPE, "values that are cut");
      return;
    }
    try {
      if (hidden == null) {
        hidden =
            new HiddenColumns(
                context.state(), cached, observation, reads, firstRow, key, underTransactionId);
        hidden.pinned(pinned, pinnedAt);
      }
      hidden.note(result, first);
      if (--awaited == 0) {
        succeeded(true);
      }
    } catch (SQLException | RuntimeException e) {
      context.fault(e);
    }
  }

  /**
   * Reads the rows that a write returned, to the end.
   *
   * @param written null if the DBMS gives no result at all, for no row was written
   * @return how many: the update count
   * @throws SQLException the driver's, as an error of the statement itself
   */
  public long drain(@Nullable ResultSet written) throws SQLException {
    if (written == null) {
      return 0;
    }
    long count = 0;
    try (written) {
      while (written.next()) {
        row(written, 1);
        count++;
      }
    }
    return count;
  }
}
