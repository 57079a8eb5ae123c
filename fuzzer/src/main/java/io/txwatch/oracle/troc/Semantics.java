package io.txwatch.oracle.troc;

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
 * @param snapshot when a transaction takes its snapshot
 * @param firstUpdaterWins true if a transaction must not write or lock a row that was changed since
 *     its snapshot
 * @param plainReadsLock true if a plain query within a transaction locks the rows it reads
 * @param sameTransactionReads what a write sees of other tables that it reads without locks
 */
record Semantics(
    Visibility reads,
    Visibility writes,
    Snapshot snapshot,
    boolean firstUpdaterWins,
    boolean plainReadsLock,
    Visibility sameTransactionReads) {

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
    FIRST_READ
  }

  /** True if this BEGIN takes the snapshot of its transaction. */
  boolean takesSnapshotAtBegin(String begin) {
    return snapshot == Snapshot.BEGIN
        || begin.toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
  }

  /** True if a statement takes the snapshot of its transaction, if there is none yet. */
  boolean takesSnapshot(StatementForm form, StepOutcome outcome) {
    return switch (snapshot) {
      case BEGIN -> true;
      case FIRST_STATEMENT ->
          form.kind() != StatementForm.Kind.SAVEPOINT && form.kind() != StatementForm.Kind.OTHER;
      case FIRST_READ -> form.kind() == StatementForm.Kind.READ && outcome.succeeded();
    };
  }

  private static final Semantics MVCC_SNAPSHOT =
      new Semantics(
          Visibility.SNAPSHOT,
          Visibility.SNAPSHOT,
          Snapshot.FIRST_STATEMENT,
          true,
          false,
          Visibility.SNAPSHOT);
  private static final Semantics MVCC_READ_COMMITTED =
      new Semantics(
          Visibility.COMMITTED,
          Visibility.RECHECKED,
          Snapshot.FIRST_STATEMENT,
          false,
          false,
          Visibility.COMMITTED);

  /** The semantics; empty if they are not known well enough to predict results. */
  static Optional<Semantics> of(Database database, IsolationLevel level) {
    return switch (database.product()) {
      case "MySQL", "MariaDB" -> Optional.of(innodb(database, level));
      case "TiDB" -> Optional.of(tidb(level));
      case "PostgreSQL" ->
          Optional.of(
              level.compareTo(IsolationLevel.READ_COMMITTED) <= 0
                  ? MVCC_READ_COMMITTED
                  : MVCC_SNAPSHOT);
      case "H2" -> h2(level);
      case "SQLite" -> Optional.of(MVCC_SNAPSHOT);
      default -> Optional.empty(); // DuckDB detects conflicts by column, the oracle by row
    };
  }

  /** MySQL manual, "Transaction Isolation Levels"; MariaDB, {@code innodb_snapshot_isolation}. */
  private static Semantics innodb(Database database, IsolationLevel level) {
    boolean snapshotIsolation =
        database.settings().getOrDefault("innodb_snapshot_isolation", "OFF").equals("ON");
    return switch (level) {
      case READ_UNCOMMITTED ->
          new Semantics(
              Visibility.DIRTY,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              false,
              false,
              Visibility.DIRTY);
      case READ_COMMITTED ->
          new Semantics(
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              false,
              false,
              Visibility.COMMITTED);
      case REPEATABLE_READ, SNAPSHOT ->
          new Semantics(
              Visibility.SNAPSHOT,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              snapshotIsolation,
              false,
              Visibility.COMMITTED);
      case SERIALIZABLE ->
          new Semantics(
              Visibility.COMMITTED,
              Visibility.COMMITTED,
              Snapshot.FIRST_READ,
              false,
              true,
              Visibility.COMMITTED);
    };
  }

  /** Pessimistic transactions; the snapshot is that of the start timestamp. */
  private static Semantics tidb(IsolationLevel level) {
    return new Semantics(
        level == IsolationLevel.READ_COMMITTED ? Visibility.COMMITTED : Visibility.SNAPSHOT,
        Visibility.COMMITTED,
        Snapshot.BEGIN,
        false,
        false,
        Visibility.COMMITTED);
  }

  /**
   * At REPEATABLE READ H2 promises only that a row that was read does not change: phantoms are
   * possible, and each table has a snapshot of its own.
   */
  private static Optional<Semantics> h2(IsolationLevel level) {
    return switch (level) {
      case READ_UNCOMMITTED, READ_COMMITTED -> Optional.of(MVCC_READ_COMMITTED);
      case REPEATABLE_READ -> Optional.empty();
      case SNAPSHOT, SERIALIZABLE ->
          Optional.of(
              new Semantics(
                  Visibility.SNAPSHOT,
                  Visibility.SNAPSHOT,
                  Snapshot.BEGIN,
                  true,
                  false,
                  Visibility.SNAPSHOT));
    };
  }
}
