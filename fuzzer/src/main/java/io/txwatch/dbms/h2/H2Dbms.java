package io.txwatch.dbms.h2;

import io.txwatch.dbms.AbstractDbms;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Semantics.LockingReads;
import io.txwatch.dbms.Semantics.Snapshot;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.Workspace;
import io.txwatch.dbms.WriteRecording;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** H2. A workspace is a schema; in memory, in a database of its own. */
final class H2Dbms extends AbstractDbms {

  /** org.h2.engine.Constants.TRANSACTION_SNAPSHOT. */
  private static final int SNAPSHOT = 6;

  private static final String IN_MEMORY = "jdbc:h2:mem:";
  private static final int LOCK_TIMEOUT = 50200;
  private static final int DEADLOCK = 40001;
  private static final int CONCURRENT_UPDATE = 90131;

  private final String url;
  private final H2Features features;

  H2Dbms(Database database, String url, Connector connector, H2Features features) {
    super(database, connector);
    this.features = features;
    this.url = url;
  }

  @Override
  public Set<SqlFeature> missingFeatures() {
    return features.missing();
  }

  @Override
  public Optional<String> whyUnwatchable() {
    return features.hasStandardCatalog()
        ? Optional.empty()
        : Optional.of("watched connections need the catalog of H2 2.0 or later");
  }

  @Override
  public Optional<String> clientLevelStatement(IsolationLevel level) {
    return Optional.of(Dbms.standardLevelStatement(level));
  }

  @Override
  public List<IsolationLevel> levels() {
    return List.of(
        IsolationLevel.READ_COMMITTED,
        IsolationLevel.REPEATABLE_READ,
        IsolationLevel.SNAPSHOT,
        IsolationLevel.SERIALIZABLE);
  }

  /** Queries read uncommitted rows; the manual does not state what the search of a write reads. */
  @Override
  public List<IsolationLevel> levelsOnRequest() {
    return List.of(IsolationLevel.READ_UNCOMMITTED);
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, "", "INT AUTO_INCREMENT PRIMARY KEY", "FOR UPDATE");
  }

  @Override
  public List<String> definition(Connection source, String table) throws SQLException {
    return H2Definitions.of(source, table);
  }

  @Override
  public void setLevel(Connection session, IsolationLevel level) throws SQLException {
    if (level == IsolationLevel.SNAPSHOT) {
      session.setTransactionIsolation(SNAPSHOT);
    } else {
      super.setLevel(session, level);
    }
  }

  /**
   * After a deadlock H2 rolls the victim back; after a conflict with a newer row version the
   * transaction has to be rolled back.
   */
  @Override
  public Failure failure(SQLException error) {
    return switch (error.getErrorCode()) {
      case DEADLOCK -> new Failure(Failure.Kind.DEADLOCK, Failure.Effect.ROLLED_BACK);
      case CONCURRENT_UPDATE ->
          new Failure(Failure.Kind.SERIALIZATION, Failure.Effect.MUST_ROLL_BACK);
      case LOCK_TIMEOUT -> new Failure(Failure.Kind.LOCK_TIMEOUT, Failure.Effect.CONTINUES);
      case 90067, 90098, 90121 -> Failure.CONNECTION_LOST;
      default -> Failure.OF_STATEMENT;
    };
  }

  @Override
  public boolean plainReadsLock(IsolationLevel level) {
    return false;
  }

  /** A statement busy-waits if it finds an uncommitted key in a secondary index (2.5.252). */
  @Override
  public boolean mayBusyWait() {
    return url.startsWith(IN_MEMORY);
  }

  /** A deadlock victim is reported as blocked until it has rolled back. */
  @Override
  public boolean blocksCallingThread() {
    return url.startsWith(IN_MEMORY);
  }

  /** Blocked sessions are notified of a rollback before it is visible (2.5.252). */
  @Override
  public boolean mayMissSavepointWakeup() {
    return true;
  }

  /**
   * The end of a transaction wakes the blocked sessions, which then search for the row again
   * (2.5.252).
   */
  @Override
  public boolean hasUnfairLocks() {
    return true;
  }

  /**
   * H2's sessions can block each other forever when two of them define tables (2.5.252: one has the
   * catalog lock and waits for the database's monitor, the other has the monitor). In memory, each
   * workspace has a database of its own; elsewhere there is one workspace at a time.
   */
  @Override
  public int maxWorkers() {
    return url.startsWith(IN_MEMORY) ? Integer.MAX_VALUE : 1;
  }

  private String ownDatabaseUrl(String name) {
    if (!url.startsWith(IN_MEMORY)) {
      return url;
    }
    int end = url.indexOf(';');
    // Automatic statistics would change plans.
    return IN_MEMORY
        + name
        + (end < 0 ? "" : url.substring(end))
        + ";ANALYZE_AUTO=0;DEFAULT_LOCK_TIMEOUT=1";
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    String schema = Sql.uniqueName();
    return new H2Workspace(connector, schema, ownDatabaseUrl(schema), url.startsWith(IN_MEMORY));
  }

  /**
   * H2 documentation, Advanced, Transaction Isolation. At REPEATABLE READ "dirty reads and
   * non-repeatable reads aren't possible, phantom reads are possible": each table has a snapshot of
   * its own, and a phantom is a row that was inserted before the transaction first read the table
   * ({@code Transaction.markStatementStart}).
   *
   * <p>Before 2.0 a transaction from REPEATABLE READ on may write a row that was changed since its
   * snapshot; the manual does not state what writes read. It is judged by the rules of 2.0, and
   * {@link H2Behaviour#LOST_UPDATE} is the name of the difference.
   */
  @Override
  public Optional<Semantics> semantics(Database settings, IsolationLevel level) {
    return switch (level) {
      case UNKNOWN -> throw new IllegalArgumentException("no rules for " + level);
      case READ_UNCOMMITTED -> Optional.empty();
      case READ_COMMITTED -> Optional.of(Semantics.MVCC_READ_COMMITTED);
      case REPEATABLE_READ -> Optional.of(semantics(Snapshot.FIRST_READ_OF_TABLE));
      case SNAPSHOT, SERIALIZABLE -> Optional.of(semantics(Snapshot.BEGIN));
    };
  }

  @Override
  public boolean reportsConflictingWrites(IsolationLevel level) {
    return !features.hasStandardCatalog() && level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
  }

  private static Semantics semantics(Snapshot snapshot) {
    return new Semantics(
        Visibility.SNAPSHOT,
        Visibility.SNAPSHOT,
        Visibility.SNAPSHOT,
        snapshot,
        true,
        LockingReads.NONE,
        false);
  }

  @Override
  public UncommittedReads uncommittedReads() {
    return UncommittedReads.IN_SEARCHES;
  }

  @Override
  public boolean checksKeysInSnapshot() {
    return true;
  }

  /** An integer key is the key of a map ({@code MVPrimaryIndex}). */
  @Override
  public IdentifyingKey identifyingKey() {
    return IdentifyingKey.INTEGER_PRIMARY_KEY;
  }

  @Override
  public boolean hidesAddedColumns() {
    return true;
  }

  @Override
  public List<String> addColumns(String table, List<String> columns) {
    return List.of(
        "ALTER TABLE "
            + table
            + " ADD COLUMN ("
            + String.join(" INVISIBLE, ", columns)
            + " INVISIBLE)");
  }

  @Override
  public Optional<VersionColumns> versionColumns() {
    if (!features.hasStandardCatalog()) {
      return Optional.empty();
    }
    return Optional.of(
        new VersionColumns("UUID INVISIBLE DEFAULT RANDOM_UUID()", "INT INVISIBLE DEFAULT 0"));
  }

  @Override
  public Optional<WriteRecording> writeRecording() {
    return features.updatesInDeltaTables() ? Optional.of(new H2WriteRecording()) : Optional.empty();
  }
}
