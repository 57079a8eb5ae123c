package io.txwatch.dbms.postgresql;

import io.txwatch.dbms.AbstractDbms;
import io.txwatch.dbms.ChangeLog;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.FinalStatePromise;
import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Sql;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.SqlLiterals;
import io.txwatch.dbms.Workspace;
import io.txwatch.dbms.WriteRecording;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** PostgreSQL and DBMSs with the same protocol. A workspace is a schema. */
final class PostgresDbms extends AbstractDbms {

  private static final int FIRST_WITH_MERGE = 15;

  private static final String TOO_MANY_CONNECTIONS = "53300";

  /**
   * A session checks for a deadlock once, this long after it blocked. The session that closes a
   * cycle has to check before those that were blocked already; otherwise timing decides which one
   * is the victim.
   */
  private static final String EARLY_DEADLOCK_CHECK = "SET deadlock_timeout = '1ms'";

  private static final String LATE_DEADLOCK_CHECK = "SET deadlock_timeout = '5s'";

  private final String url;

  /** True if sessions may set {@code deadlock_timeout}; that takes a superuser or a grant. */
  private volatile boolean canSetDeadlockTimeout;

  PostgresDbms(Database database, String url, Connector connector) {
    super(database, connector);
    this.url = url;
  }

  private boolean isPostgres() {
    return database.product().is("PostgreSQL");
  }

  /** What other DBMSs have of these, they need not have. */
  @Override
  public Set<SqlFeature> missingFeatures() {
    if (!isPostgres()) {
      return EnumSet.of(
          SqlFeature.LATERAL,
          SqlFeature.MERGE,
          SqlFeature.DEFERRED_CONSTRAINTS,
          SqlFeature.EXCLUSION_CONSTRAINTS,
          SqlFeature.ADVISORY_LOCKS);
    }
    return hasMerge(database.product().version())
        ? EnumSet.noneOf(SqlFeature.class)
        : EnumSet.of(SqlFeature.MERGE);
  }

  private static boolean hasMerge(String version) {
    String major = version.split("\\D", 2)[0];
    return !major.isEmpty() && Integer.parseInt(major) >= FIRST_WITH_MERGE;
  }

  @Override
  public boolean mergesBySnapshot() {
    return true;
  }

  @Override
  public Optional<String> clientLevelStatement(IsolationLevel level) {
    return Optional.of(Dbms.standardLevelStatement(level));
  }

  @Override
  public List<IsolationLevel> levels() {
    return switch (database.product().name()) {
      case "CockroachDB" -> List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.SERIALIZABLE);
      case "openGauss" -> List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ);
      default ->
          List.of(
              IsolationLevel.READ_COMMITTED,
              IsolationLevel.REPEATABLE_READ,
              IsolationLevel.SERIALIZABLE);
    };
  }

  @Override
  public String literal(RecordedValue value) {
    return value.type() == RecordedValue.Type.BYTES
        ? SqlLiterals.quoted("\\x" + value.text())
        : super.literal(value);
  }

  @Override
  public List<String> definition(Connection source, String table) throws SQLException {
    return PostgresDefinitions.of(source, table);
  }

  @Override
  public String sequenceDefinition(Connection source, String name) throws SQLException {
    return PostgresDefinitions.ofSequence(source, name);
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, "", "SERIAL PRIMARY KEY", "FOR UPDATE");
  }

  @Override
  public Optional<String> releaseLocksStatement() {
    return Optional.of("SELECT pg_advisory_unlock_all()");
  }

  @Override
  public MultiStatement multiStatement() {
    return database.product().is("PostgreSQL")
        ? MultiStatement.IN_ONE_TRANSACTION
        : MultiStatement.UNSUPPORTED;
  }

  /** After any error only ROLLBACK is accepted. */
  @Override
  public Failure failure(SQLException error) {
    String state = sqlState(error);
    if (state.startsWith("08") || state.startsWith("57P")) {
      return Failure.CONNECTION_LOST;
    }
    Failure.Kind kind =
        switch (state) {
          case "40P01" -> Failure.Kind.DEADLOCK;
          case "40001" -> Failure.Kind.SERIALIZATION;
          case "55P03" -> Failure.Kind.LOCK_TIMEOUT;
          case "25P02" -> Failure.Kind.TRANSACTION_ABORTED;
          default -> Failure.Kind.STATEMENT;
        };
    return new Failure(kind, Failure.Effect.MUST_ROLL_BACK);
  }

  @Override
  public boolean isOutOfConnections(SQLException error) {
    return TOO_MANY_CONNECTIONS.equals(error.getSQLState());
  }

  @Override
  public Optional<ChangeLog> changeLog() {
    return isPostgres()
        ? Optional.of(new PostgresChangeLog(() -> connector.connect(url)))
        : Optional.empty();
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    PostgresWorkspace workspace = new PostgresWorkspace(connector, url, isPostgres());
    canSetDeadlockTimeout = workspace.mayExecute(LATE_DEADLOCK_CHECK);
    return workspace;
  }

  @Override
  public void prepareToBlock(Connection session, boolean othersBlocked) throws SQLException {
    if (canSetDeadlockTimeout) {
      Sql.execute(session, othersBlocked ? EARLY_DEADLOCK_CHECK : LATE_DEADLOCK_CHECK);
    }
  }

  /** The first session that checks for a deadlock is the victim. */
  @Override
  public boolean isDeadlockVictimTimingDependent() {
    return true;
  }

  @Override
  public boolean plainReadsLock(IsolationLevel level) {
    return false;
  }

  @Override
  public Optional<Semantics> semantics(Database settings, IsolationLevel level) {
    if (!isPostgres()) {
      return Optional.empty();
    }
    return Optional.of(
        level.compareTo(IsolationLevel.READ_COMMITTED) <= 0
            ? Semantics.MVCC_READ_COMMITTED
            : Semantics.MVCC_SNAPSHOT);
  }

  @Override
  public FinalStatePromise promise(IsolationLevel level) {
    return level == IsolationLevel.SERIALIZABLE && !database.product().is("openGauss")
        ? FinalStatePromise.SOME_ORDER
        : super.promise(level);
  }

  /**
   * PostgreSQL manual, section 13.2.2: if the first updater commits, "the repeatable read
   * transaction will be rolled back with the message ERROR: could not serialize access due to
   * concurrent update".
   */
  @Override
  public boolean excludesConflictingWrites(IsolationLevel level) {
    return isPostgres() && level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
  }

  @Override
  public boolean abortsTransactionOnError() {
    return true;
  }

  @Override
  public boolean insertsMayOmitLastColumns() {
    return isPostgres();
  }

  @Override
  public List<String> addColumns(String table, List<String> columns) {
    return isPostgres()
        ? List.of("ALTER TABLE " + table + " ADD COLUMN " + String.join(", ADD COLUMN ", columns))
        : super.addColumns(table, columns);
  }

  @Override
  public Optional<VersionColumns> versionColumns() {
    return isPostgres()
        ? Optional.of(new VersionColumns("UUID DEFAULT gen_random_uuid()", "INT DEFAULT 0"))
        : Optional.empty();
  }

  @Override
  public Optional<WriteRecording> writeRecording() {
    return isPostgres() ? Optional.of(new PostgresWriteRecording()) : Optional.empty();
  }
}
