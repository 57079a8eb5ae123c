package io.txwatch.oracle.troc;

import io.txwatch.guarantee.VersionNumbers;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.StepOutcome;
import java.util.Locale;
import java.util.Optional;

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
record Semantics(
    Visibility reads,
    Visibility writes,
    Visibility subqueries,
    Snapshot snapshot,
    boolean firstUpdaterWins,
    LockingReads lockingReads,
    boolean locksIndexEntries) {

  /** Which versions are visible; a transaction's own versions always are (V1). */
  enum Visibility {
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
  enum Snapshot {
    /** With BEGIN. */
    BEGIN,
    /** With its first statement of any kind. */
    FIRST_STATEMENT,
    /** With its first plain query (InnoDB: writes and locking reads take none). */
    FIRST_READ,
    /** Of each table with the first statement that reads it ({@link TableReads}). */
    FIRST_READ_OF_TABLE
  }

  /** Which queries without a locking clause lock the rows they read, within a transaction. */
  enum LockingReads {
    /** None. */
    NONE,
    /** Those in a write. */
    IN_WRITES,
    /** All. */
    ALL
  }

  /** True if a plain query within a transaction locks the rows it reads. */
  boolean plainReadsLock() {
    return lockingReads == LockingReads.ALL;
  }

  /** True if a subquery of a write locks the rows it reads. */
  boolean subqueriesLock() {
    return lockingReads != LockingReads.NONE;
  }

  /** True if locks are of current rows, and fail if these differ from the snapshot. */
  boolean checksLocksAgainstSnapshot() {
    return firstUpdaterWins && writes == Visibility.COMMITTED;
  }

  /** True if this BEGIN takes the snapshot of its transaction. */
  boolean takesSnapshotAtBegin(String begin) {
    return snapshot == Snapshot.BEGIN
        || begin.toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
  }

  /** True if a statement takes the snapshot of its transaction, if there is none yet. */
  private boolean takesSnapshot(StatementForm form, StepOutcome outcome) {
    return switch (snapshot) {
      case BEGIN -> true;
      case FIRST_STATEMENT ->
          form.kind() != StatementForm.Kind.SAVEPOINT && form.kind() != StatementForm.Kind.OTHER;
      case FIRST_READ -> form.kind() == StatementForm.Kind.READ && outcome.succeeded();
      case FIRST_READ_OF_TABLE -> false;
    };
  }

  /**
   * The snapshot of a transaction after a statement began.
   *
   * @param before its snapshot before that
   * @param moment when the statement began
   */
  SnapshotTimes snapshotAfter(
      SnapshotTimes before,
      StatementForm form,
      StepOutcome outcome,
      int moment,
      TableReads tableReads) {
    if (snapshot == Snapshot.FIRST_READ_OF_TABLE) {
      return before.with(tableReads.of(form), moment);
    }
    return before.ofAll() == SnapshotTimes.NONE && takesSnapshot(form, outcome)
        ? SnapshotTimes.at(moment)
        : before;
  }

  private static final Semantics MVCC_SNAPSHOT =
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
  private static final Semantics MVCC_READ_COMMITTED =
      new Semantics(
          Visibility.COMMITTED,
          Visibility.RECHECKED,
          Visibility.RECHECKED,
          Snapshot.FIRST_STATEMENT,
          false,
          LockingReads.NONE,
          false);

  /** The semantics; empty if they are not known well enough to predict results. */
  static Optional<Semantics> of(Database database, IsolationLevel level) {
    return switch (database.product().name()) {
      case "MySQL", "MariaDB" -> Optional.of(innodb(database, level));
      case "TiDB" -> Optional.of(tidb(level));
      case "PostgreSQL" ->
          Optional.of(
              level.compareTo(IsolationLevel.READ_COMMITTED) <= 0
                  ? MVCC_READ_COMMITTED
                  : MVCC_SNAPSHOT);
      case "H2" ->
          level == IsolationLevel.READ_UNCOMMITTED ? Optional.empty() : Optional.of(h2(level));
      case "SQLite" -> Optional.of(MVCC_SNAPSHOT);
      default -> Optional.empty(); // DuckDB detects conflicts by column, the oracle by row
    };
  }

  /**
   * MySQL manual, Transaction Isolation Levels. Of the queries in writes, in Consistent Nonlocking
   * Reads: "By default, InnoDB uses stronger locks for those statements and the SELECT part acts
   * like READ COMMITTED, where each consistent read, even within the same transaction, sets and
   * reads its own fresh snapshot. To perform a nonlocking read in such cases, set the isolation
   * level of the transaction to READ UNCOMMITTED or READ COMMITTED"; and in Locks Set by Different
   * SQL Statements: "INSERT INTO T SELECT … FROM S … If the transaction isolation level is READ
   * COMMITTED, InnoDB does the search on S as a consistent read (no locks). Otherwise, InnoDB sets
   * shared next-key locks on rows from S", and the same for "UPDATE t … WHERE col IN (SELECT … FROM
   * s …)". A DELETE locks what its subquery reads at every level ({@code ha_innobase::store_lock}).
   */
  private static Semantics innodb(Database database, IsolationLevel level) {
    boolean snapshotIsolation =
        database.settings().getOrDefault("innodb_snapshot_isolation", "OFF").equals("ON");
    return switch (level) {
      case UNKNOWN -> throw new IllegalArgumentException("no level is set");
      case READ_UNCOMMITTED ->
          new Semantics(
              Visibility.DIRTY,
              Visibility.COMMITTED,
              Visibility.DIRTY,
              Snapshot.FIRST_READ,
              false,
              LockingReads.NONE,
              true);
      case READ_COMMITTED ->
          new Semantics(
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              false,
              LockingReads.NONE,
              true);
      case REPEATABLE_READ, SNAPSHOT ->
          new Semantics(
              Visibility.SNAPSHOT,
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              snapshotIsolation,
              LockingReads.IN_WRITES,
              true);
      case SERIALIZABLE -> {
        boolean checks =
            snapshotIsolation && hasReadViewAtSerializable(database.product().version());
        yield new Semantics(
            Visibility.COMMITTED,
            Visibility.COMMITTED,
            Visibility.COMMITTED,
            checks ? Snapshot.FIRST_STATEMENT : Snapshot.FIRST_READ,
            checks,
            LockingReads.ALL,
            true);
      }
    };
  }

  /**
   * MariaDB documentation, InnoDB System Variables, innodb_snapshot_isolation: "an error
   * DB_RECORD_CHANGED (HA_ERR_RECORD_CHANGED, ER_CHECKREAD) is raised if an attempt is made to
   * acquire a lock on a record that does not exist in the current read view". At SERIALIZABLE there
   * is a read view, from the first statement on, since the correction of MDEV-36330.
   */
  private static boolean hasReadViewAtSerializable(String version) {
    return VersionNumbers.atLeastInSeries(
        version, "10.6.23", "10.11.14", "11.4.8", "11.8.3", "12.0.2");
  }

  /** Pessimistic transactions; the snapshot is that of the start timestamp. */
  private static Semantics tidb(IsolationLevel level) {
    return new Semantics(
        level == IsolationLevel.READ_COMMITTED ? Visibility.COMMITTED : Visibility.SNAPSHOT,
        Visibility.COMMITTED,
        Visibility.COMMITTED,
        Snapshot.BEGIN,
        false,
        LockingReads.NONE,
        false);
  }

  /**
   * H2 documentation, Advanced, Transaction Isolation. At REPEATABLE READ "dirty reads and
   * non-repeatable reads aren't possible, phantom reads are possible": each table has a snapshot of
   * its own, and a phantom is a row that was inserted before the transaction first read the table
   * ({@code Transaction.markStatementStart}).
   */
  private static Semantics h2(IsolationLevel level) {
    return switch (level) {
      case UNKNOWN, READ_UNCOMMITTED -> throw new IllegalArgumentException("no rules for " + level);
      case READ_COMMITTED -> MVCC_READ_COMMITTED;
      case REPEATABLE_READ -> h2(Snapshot.FIRST_READ_OF_TABLE);
      case SNAPSHOT, SERIALIZABLE -> h2(Snapshot.BEGIN);
    };
  }

  private static Semantics h2(Snapshot snapshot) {
    return new Semantics(
        Visibility.SNAPSHOT,
        Visibility.SNAPSHOT,
        Visibility.SNAPSHOT,
        snapshot,
        true,
        LockingReads.NONE,
        false);
  }
}
