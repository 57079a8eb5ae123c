package io.txwatch.dbms;

import java.util.Locale;

/**
 * The visibility rules of an isolation level (Troc, Table II), for each DBMS, version and setting.
 *
 * @param reads what a plain query sees
 * @param writes what a write, or a query that locks rows, sees
 * @param subqueries what a subquery of an INSERT or UPDATE sees of other tables; one of a DELETE
 *     sees what writes see
 * @param snapshot when a transaction takes its snapshot
 * @param firstUpdaterWins true if a transaction must not write or lock a row that was changed since
 *     its snapshot
 * @param lockingReads which queries without a locking clause lock the rows they read
 * @param locksIndexEntries true if the entries of an index are locked, not the rows (InnoDB)
 */
public record Semantics(
    Visibility reads,
    Visibility writes,
    Visibility subqueries,
    Snapshot snapshot,
    boolean firstUpdaterWins,
    LockingReads lockingReads,
    boolean locksIndexEntries) {

  /** Which versions are visible; a transaction's own versions always are (V1). */
  public enum Visibility {
    /** Those of all transactions (V2). */
    DIRTY,
    /** Those of transactions that have committed when the statement completes (V3). */
    COMMITTED,
    /**
     * Those of transactions that had committed when the statement began; rows that were changed
     * while it was blocked, and only these, are read again in their current version (PostgreSQL
     * manual, section 13.2.1).
     */
    RECHECKED,
    /** Those of transactions that had committed when the snapshot was taken (V4). */
    SNAPSHOT
  }

  /** When a transaction takes its snapshot. */
  public enum Snapshot {
    /** With BEGIN. */
    BEGIN,
    /** With its first statement of any kind. */
    FIRST_STATEMENT,
    /** With its first plain query (InnoDB: writes and locking reads take none). */
    FIRST_READ,
    /** Of each table with the first statement that reads it. */
    FIRST_READ_OF_TABLE
  }

  /** Which queries without a locking clause lock the rows they read, within a transaction. */
  public enum LockingReads {
    /** None. */
    NONE,
    /** Those in a write. */
    IN_WRITES,
    /** All. */
    ALL
  }

  /** True if a plain query within a transaction locks the rows it reads. */
  public boolean plainReadsLock() {
    return lockingReads == LockingReads.ALL;
  }

  /** True if a subquery of a write locks the rows it reads. */
  public boolean subqueriesLock() {
    return lockingReads != LockingReads.NONE;
  }

  /** True if locks are of current rows, and fail if these differ from the snapshot. */
  public boolean checksLocksAgainstSnapshot() {
    return firstUpdaterWins && writes == Visibility.COMMITTED;
  }

  /** True if this BEGIN takes the snapshot of its transaction. */
  public boolean takesSnapshotAtBegin(String begin) {
    return snapshot == Snapshot.BEGIN
        || begin.toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
  }

  /** Of a snapshot that the first statement takes: the first updater wins, queries do not lock. */
  public static final Semantics MVCC_SNAPSHOT =
      new Semantics(
          Visibility.SNAPSHOT,
          Visibility.SNAPSHOT,
          Visibility.SNAPSHOT,
          Snapshot.FIRST_STATEMENT,
          true,
          LockingReads.NONE,
          false);

  /**
   * PostgreSQL manual, section 13.2.1: a SELECT "sees only data committed before the query began";
   * UPDATE, DELETE and SELECT FOR UPDATE "behave the same as SELECT in terms of searching for
   * target rows"; of a row that another transaction has updated meanwhile, "the search condition of
   * the command (the WHERE clause) is re-evaluated to see if the updated version of the row still
   * matches" (nodeModifyTable.c, EvalPlanQual: all other rows, those of subqueries too, stay those
   * of the command's snapshot).
   */
  public static final Semantics MVCC_READ_COMMITTED =
      new Semantics(
          Visibility.COMMITTED,
          Visibility.RECHECKED,
          Visibility.RECHECKED,
          Snapshot.FIRST_STATEMENT,
          false,
          LockingReads.NONE,
          false);
}
