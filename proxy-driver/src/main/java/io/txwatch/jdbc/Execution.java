package io.txwatch.jdbc;

import io.txwatch.capture.Observation;
import io.txwatch.capture.RowIds;
import io.txwatch.capture.SessionTracker;
import io.txwatch.capture.SnapshotRules;
import io.txwatch.history.Access;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.sql.Carried;
import io.txwatch.sql.KeyedRow;
import io.txwatch.sql.NewRows;
import io.txwatch.sql.dialect.Dialect;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One execution of a statement, as the wrappers see it: the rim behind which capture lives. Nothing
 * that goes wrong behind it comes through to the application; it is counted as a fault.
 */
final class Execution {

  private final WatchedConnection connection;
  private final CachedPlan cached;
  private final @Nullable Observation observation;
  private boolean over;

  /** Null as long as nothing was asked of the reads beside it. */
  private @Nullable ReadsBeside beside;

  /** Null before its first row. */
  private @Nullable HiddenColumns hidden;

  /** The bits of the key by which it finds a row; 0 if there is none. */
  private long key;

  /** True if the id in the versions that it writes is that of the transaction as a whole. */
  private boolean underTransactionId;

  /** How many rows a result is still to return; negative if that is not known. */
  private long awaited = -1;

  /** The id of the first row that an INSERT gives an id; 0 if it gives none. */
  private final long firstRow;

  private Execution(
      WatchedConnection connection,
      CachedPlan cached,
      @Nullable Observation observation,
      long firstRow) {
    this.connection = connection;
    this.cached = cached;
    this.observation = observation;
    this.firstRow = firstRow;
  }

  /**
   * A statement is about to be sent.
   *
   * @param callSite the place in the application that sends it
   */
  static Execution begin(WatchedConnection connection, CachedPlan cached, String callSite) {
    return begin(connection, cached, null, takeRowIds(cached), callSite);
  }

  /**
   * An item of a batch is about to be sent, at the position that its token names.
   *
   * @param firstRow what {@link #takeRowIds} gave it
   * @param callSite the place in the application that sends it, one for all items
   */
  static Execution begin(
      WatchedConnection connection,
      CachedPlan cached,
      SessionTracker.@Nullable Position position,
      long firstRow,
      String callSite) {
    connection.sending();
    if (cached.isControl()) {
      return new Execution(connection, cached, null, firstRow);
    }
    try {
      SessionTracker tracker = connection.tracker();
      Observation observation =
          position == null
              ? tracker.begin(cached.kind(), cached.shownSql(), callSite)
              : tracker.begin(position, cached.kind(), cached.shownSql(), callSite);
      KnownKey key = cached.key();
      if (key != null) {
        connection.knownRows.mayMove(key);
      }
      observation.accesses(cached.columns());
      noteWhatIsNotSeen(observation, cached);
      return new Execution(connection, cached, observation, firstRow);
    } catch (RuntimeException e) {
      connection.fault(e);
      return new Execution(connection, cached, null, firstRow);
    }
  }

  /** The first of as many row ids as a statement gives; 0 if it gives none. */
  static long takeRowIds(CachedPlan cached) {
    int rows = cached.plan().rowIdParameters().length;
    return rows == 0 ? 0 : RowIds.shared().take(rows);
  }

  CachedPlan cached() {
    return cached;
  }

  /** The same execution with another text. */
  Execution with(CachedPlan other) {
    if (observation != null) {
      observation.accesses(other.columns());
      noteWhatIsNotSeen(observation, other);
    }
    return new Execution(connection, other, observation, 0);
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

  /** The writer token; one that names nobody if capture is at fault. */
  String token() {
    return observation == null ? SessionTracker.NO_TRANSACTION_TOKEN : observation.token();
  }

  /** The text for a plain statement. */
  String immediateSql() {
    return cached.plan().immediateSql(token(), firstRow);
  }

  /** Sets the parameters of a prepared statement that the driver adds. */
  void setParameters(PreparedStatement statement) throws SQLException {
    if (cached.plan().tokenParameters().length > 0 || firstRow != 0) {
      setParameters(statement, cached, token(), firstRow);
    }
  }

  /** Sets the parameters of a prepared statement that the driver adds. */
  static void setParameters(
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

  /** Notes that rows are touched that will not be seen. */
  void notSeen(GapReason reason, String detail) {
    if (observation != null) {
      observation.notSeen(reason, detail);
    }
  }

  /**
   * The DBMS executed the statement and gave an update count.
   *
   * @param count as the driver gave it, {@link java.sql.Statement#SUCCESS_NO_INFO} included; -1 if
   *     it is not known
   */
  void counted(long count) {
    Optional<NewRows> given = cached.plan().newRows();
    if (observation == null || firstRow == 0 || given.isEmpty()) {
      succeeded(count == 0 ? cached.countsWrites() : foundByKey(count));
      return;
    }
    NewRows rows = given.get();
    if (rows.fate() == NewRows.Fate.REPLACES && count != rows.count() && !returnedTakenAway()) {
      sideReadFailed(NewRows.TAKEN_AWAY);
    }
    boolean mayBeLeftOut = connection.rules().dialect() == Dialect.POSTGRESQL;
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
  void awaitRows(long count) {
    awaited = count > 0 ? count : -1;
    if (count == 0) {
      succeeded(true);
    }
  }

  /** The id in the versions that it writes is that of the transaction as a whole. */
  void writesUnderTransactionId() {
    underTransactionId = true;
  }

  /** It has written a version under an id. */
  void wrote(long id) {
    if (underTransactionId && observation != null) {
      underTransactionId = false;
      if (connection.tracker().open() == observation.transaction()) {
        connection.tracker().identified(id);
      }
    }
  }

  /** The bits of the key by which the statement finds a row; 0 if they are not known. */
  void key(long bits) {
    this.key = bits;
  }

  /**
   * An UPDATE has found as many rows. If it was one, by a key, it is the one that the transaction
   * has read by that key, or one that has taken its place.
   *
   * @return false if it is not known
   */
  private boolean foundByKey(long count) {
    KnownKey by = cached.key();
    if (by == null
        || by.role() != KeyedRow.Role.WRITES
        || observation == null
        || observation.isAlone()) {
      return false;
    }
    long row = count == 1 ? connection.knownRows.find(observation.transaction(), key) : 0;
    if (row == 0) {
      return false;
    }
    observation.target(by.table(), row);
    return true;
  }

  /** A row has come back that the statement may have found by a key. */
  void byKey(long row) {
    KnownKey by = cached.key();
    if (key != 0
        && by != null
        && by.role() == KeyedRow.Role.READS
        && observation != null
        && !observation.isAlone()) {
      connection.knownRows.read(observation.transaction(), key, by.table(), row);
    }
  }

  /** The application has read the result to its end, and nothing had bounded it. */
  void allRowsReported() {
    if (observation != null) {
      observation.allRowsReported();
    }
  }

  /** The DBMS executed the statement and its result, if any, has no more rows. */
  void succeeded(boolean writesSeen) {
    if (over) {
      return;
    }
    over = true;
    try {
      cached.prove();
      notCarried();
      if (cached.isControl()) {
        ControlStatements.executed(connection, cached);
        connection.sent();
      } else if (observation != null) {
        boolean all = writesSeen || !cached.kind().mayWrite();
        ReadsBeside reads = beside;
        if (reads == null) {
          observation.succeeded(all);
        } else if (reads.mayEnd(all)) {
          observation.succeeded(all || reads.haveReturnedAllWrites());
        }
      }
      connection.earlier.executed(cached);
    } catch (RuntimeException e) {
      connection.fault(e);
    }
  }

  // ---------------------------------------------------------------- reads beside the statement

  boolean isObserved() {
    return observation != null;
  }

  /** True if the statement is a transaction of its own. */
  boolean isAlone() {
    return observation == null || observation.isAlone();
  }

  long transaction() {
    return observation == null ? 0 : observation.transaction();
  }

  boolean hasEnded() {
    return observation == null || observation.hasEnded();
  }

  /** What becomes of the reads beside it. */
  ReadsBeside beside() {
    ReadsBeside reads = beside;
    if (reads == null) {
      reads = new ReadsBeside();
      beside = reads;
    }
    return reads;
  }

  private boolean returnedTakenAway() {
    return beside != null && beside.hasReturnedTakenAway();
  }

  /**
   * The statement was executed: the reads after it are sent, or put off.
   *
   * @param count its update count; -1 if it is not known, or if it has a result
   */
  void after(long count) {
    if (!cached.isControl()) {
      connection.sent();
    }
    ReadsBeside reads = beside;
    if (reads == null || over) {
      return;
    }
    SnapshotRules.SideReadTiming[] sendings = reads.takeDecided();
    if (sendings == null) {
      return;
    }
    try {
      connection.sideReads().after(this, sendings, reads.parameters(), count);
    } catch (RuntimeException e) {
      connection.fault(e);
    }
  }

  /** Reads that return its writes are planned, and those that were not put off are done. */
  void returnsWrites() {
    if (cached.plan().passThrough().isEmpty()) {
      beside().returnWrites();
    }
  }

  /** A read that was put off is done with. */
  void release() {
    ReadsBeside reads = beside();
    if (reads.release() && observation != null) {
      observation.succeeded(reads.allSeen());
    }
  }

  void sideReadRow(Access access, String table, long row, String writers, boolean certain) {
    if (observation != null) {
      observation.sideReadRow(access, table, row, writers, certain);
    }
  }

  void versionSet(VersionSet set) {
    if (observation != null) {
      observation.versionSet(set);
    }
  }

  /** A read beside it was not carried out. */
  void notBeside(PlannedReads.One one, String why) {
    if (observation == null) {
      return;
    }
    if (one.isVersionSet()) {
      connection.gap(GapReason.NO_VERSION_SET, one.table());
    } else {
      observation.sideReadFailed(GapReason.SHAPE, "a read beside it " + why);
    }
  }

  /** A read beside it would bring, or brought, more rows than are wanted. */
  void tooLarge(PlannedReads.One one) {
    if (observation != null) {
      observation.sideReadFailed(GapReason.TOO_LARGE, one.table());
    }
  }

  /** The statement failed. */
  void failed(SQLException error) {
    over = true;
    try {
      connection.sent();
      if (cached.isControl()) {
        connection.tracker().controlFailed(cached.plan().control(), error);
      } else if (observation != null) {
        observation.failed(error);
      }
    } catch (RuntimeException e) {
      connection.fault(e);
    }
  }

  /** Its result was closed, or is about to be: what was not read by now will not be. */
  void over() {
    succeeded(false);
  }

  /** The outcome of an autocommitted item of a batch is not known. */
  void outcomeUnknown() {
    if (observation != null) {
      connection.tracker().outcomeUnknown(observation);
    }
  }

  /**
   * Notes the row that a result stands on.
   *
   * @param first the driver's index of the first appended column
   */
  void row(ResultSet result, int first) {
    if (observation == null) {
      return;
    }
    try {
      if (hidden == null) {
        hidden = new HiddenColumns(connection, this, observation);
      }
      hidden.note(result, first);
      if (--awaited == 0) {
        succeeded(true);
      }
    } catch (SQLException | RuntimeException e) {
      connection.fault(e);
    }
  }

  /**
   * What was done to a row that came back with {@code writers}. Of an upsert's rows those are new
   * that bear an id that it gave; any other may have been there before.
   */
  Access access(long row, String writers) {
    if (cached.kind() == StatementKind.MERGE && !writers.endsWith(token())) {
      return Access.DELETE;
    }
    Optional<NewRows> rows = cached.plan().newRows();
    if (rows.isEmpty() || rows.get().fate() != NewRows.Fate.MAY_UPDATE_ANOTHER) {
      return cached.access(writers);
    }
    // Ids that were given are negative; others are not, and the difference would overflow.
    boolean given =
        row < 0 && firstRow != 0 && row >= firstRow && row - firstRow < rows.get().count();
    return given ? Access.INSERT : Access.UPDATE;
  }

  /** There was no row to return what the statement has read besides. */
  private void notCarried() {
    if (cached.carries()
        && (hidden == null || !hidden.hasReturnedCarried())
        && cached.plan().carried().reads().stream().anyMatch(Carried.Read::mayBeLost)) {
      sideReadFailed("no row came back that shows what else it read");
    }
  }

  private void sideReadFailed(String why) {
    if (observation != null) {
      observation.sideReadFailed(GapReason.SHAPE, why);
    }
  }

  /**
   * Reads the rows that a write returned, to the end.
   *
   * @return how many: the update count
   * @throws SQLException the driver's, as an error of the statement itself
   */
  long drain(ResultSet written) throws SQLException {
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
