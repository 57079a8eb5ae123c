package io.txwatch.dbms.mysql;

import io.txwatch.catalog.DriverConnectionSource;
import io.txwatch.changes.binlog.LogAddress;
import io.txwatch.dbms.AbstractDbms;
import io.txwatch.dbms.ChangeLog;
import io.txwatch.dbms.Connector;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.FinalStatePromise;
import io.txwatch.dbms.Semantics;
import io.txwatch.dbms.Semantics.LockingReads;
import io.txwatch.dbms.Semantics.Snapshot;
import io.txwatch.dbms.Semantics.Visibility;
import io.txwatch.dbms.SqlFeature;
import io.txwatch.dbms.SqlLiterals;
import io.txwatch.dbms.Workspace;
import io.txwatch.dbms.WriteRecording;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.RecordedValue;
import io.txwatch.interleave.product.mysql.InnodbWaits;
import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** MySQL, MariaDB, and DBMSs with the same protocol. A workspace is a database. */
public class MySqlDbms extends AbstractDbms {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int RECORD_CHANGED = 1020;

  /** The limits of the server, of {@code max_user_connections}, and of the user's account. */
  private static final Set<Integer> TOO_MANY_CONNECTIONS = Set.of(1040, 1203, 1226);

  private static final int TIDB_WRITE_CONFLICT = 9007;

  private final String url;

  /**
   * Statistics stay those of an empty table: InnoDB would otherwise recalculate them at any time,
   * which changes plans and, with them, locks.
   */
  private final String engine;

  private final boolean requiresPrimaryKeys;
  private final Set<SqlFeature> missing;

  /**
   * Creates a DBMS.
   *
   * @param requiresPrimaryKeys true if it rejects tables without a primary key
   * @param missing what the server lacks
   */
  public MySqlDbms(
      Database database,
      String url,
      Connector connector,
      boolean requiresPrimaryKeys,
      Set<SqlFeature> missing) {
    super(database, connector);
    this.requiresPrimaryKeys = requiresPrimaryKeys;
    this.missing = Set.copyOf(missing);
    this.url = isInnodb() ? withoutReadOnlyPropagation(withMultiQueries(url)) : url;
    this.engine =
        isInnodb() && has(SqlFeature.STATISTICS_OPTIONS)
            ? "ENGINE=InnoDB STATS_PERSISTENT=1 STATS_AUTO_RECALC=0"
            : "ENGINE=InnoDB";
  }

  /** True if {@code sql_require_primary_key} is on in a session that was just opened. */
  public static boolean requiresPrimaryKeys(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet value = statement.executeQuery("SHOW VARIABLES LIKE 'sql_require_primary_key'")) {
      return value.next() && value.getString(2).equalsIgnoreCase("ON");
    }
  }

  @Override
  public Set<SqlFeature> missingFeatures() {
    return missing;
  }

  private boolean has(SqlFeature feature) {
    return !missing.contains(feature);
  }

  @Override
  public boolean requiresPrimaryKeys() {
    return requiresPrimaryKeys;
  }

  private static String withMultiQueries(String url) {
    return url.contains("allowMultiQueries")
        ? url
        : url + (url.indexOf('?') < 0 ? "?" : "&") + "allowMultiQueries=true";
  }

  /** Connector/J otherwise queries the session's read-only state before each write. */
  private static String withoutReadOnlyPropagation(String url) {
    return !url.startsWith("jdbc:mysql:") || url.contains("readOnlyPropagatesToServer")
        ? url
        : url + "&readOnlyPropagatesToServer=false"; // the URL already has parameters
  }

  boolean isInnodb() {
    return !Set.of("TiDB", "OceanBase").contains(database.product().name());
  }

  @Override
  public List<IsolationLevel> levels() {
    return database.product().is("TiDB")
        ? List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ)
        : List.of(
            IsolationLevel.READ_UNCOMMITTED,
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.REPEATABLE_READ,
            IsolationLevel.SERIALIZABLE);
  }

  @Override
  public String renderSql(String sql) {
    return render(sql, engine, "INT NOT NULL AUTO_INCREMENT PRIMARY KEY", "FOR UPDATE");
  }

  /** Unless a mode of the session is set, a backslash escapes. */
  @Override
  public String literal(RecordedValue value) {
    return switch (value.type()) {
      case TEXT -> SqlLiterals.quoted(value.text().replace("\\", "\\\\"));
      case TIMESTAMP_WITH_TIME_ZONE ->
          "TIMESTAMP " + SqlLiterals.quoted(SqlLiterals.utc(value.text()));
      default -> super.literal(value);
    };
  }

  @Override
  public List<String> definition(Connection source, String table) throws SQLException {
    try (PreparedStatement triggers =
        source.prepareStatement(
            "SELECT trigger_name FROM information_schema.triggers"
                + " WHERE event_object_schema = DATABASE() AND event_object_table = ?")) {
      triggers.setString(1, table);
      try (ResultSet found = triggers.executeQuery()) {
        if (found.next()) {
          throw new SQLException(table + " has a trigger, which is not copied", "0A000");
        }
      }
    }
    try (Statement statement = source.createStatement();
        ResultSet result = statement.executeQuery("SHOW CREATE TABLE " + quoted(table))) {
      result.next();
      return List.of(result.getString(2));
    }
  }

  @Override
  public Optional<String> levelStatement(IsolationLevel level) {
    return multiStatement() == MultiStatement.ONE_BY_ONE
        ? clientLevelStatement(level)
        : Optional.empty();
  }

  @Override
  public Optional<String> clientLevelStatement(IsolationLevel level) {
    return Optional.of("SET SESSION TRANSACTION ISOLATION LEVEL " + level.name().replace('_', ' '));
  }

  @Override
  public Optional<String> settingStatement(String name, Optional<String> value) {
    return Optional.of("SET SESSION " + name + " = " + value.orElse("DEFAULT"));
  }

  @Override
  public Optional<String> releaseLocksStatement() {
    return Optional.of("SELECT RELEASE_ALL_LOCKS()");
  }

  @Override
  public MultiStatement multiStatement() {
    return url.contains("allowMultiQueries=true")
        ? MultiStatement.ONE_BY_ONE
        : MultiStatement.UNSUPPORTED;
  }

  /** InnoDB starts a transaction with its first statement. */
  @Override
  public boolean canPiggybackBegin() {
    return isInnodb() && multiStatement() == MultiStatement.ONE_BY_ONE;
  }

  @Override
  public Failure failure(SQLException error) {
    String state = sqlState(error);
    if (state.startsWith("08") && !isOutOfConnections(error)) {
      return Failure.CONNECTION_LOST;
    }
    return switch (error.getErrorCode()) {
      case DEADLOCK -> new Failure(Failure.Kind.DEADLOCK, Failure.Effect.ROLLED_BACK);
      case RECORD_CHANGED -> new Failure(Failure.Kind.RECORD_CHANGED, Failure.Effect.ROLLED_BACK);
      case TIDB_WRITE_CONFLICT ->
          new Failure(Failure.Kind.SERIALIZATION, Failure.Effect.ROLLED_BACK);
      case LOCK_WAIT_TIMEOUT ->
          new Failure(
              Failure.Kind.LOCK_TIMEOUT,
              database.settings().getOrDefault("innodb_rollback_on_timeout", "OFF").equals("ON")
                  ? Failure.Effect.ROLLED_BACK
                  : Failure.Effect.CONTINUES);
      default -> Failure.OF_STATEMENT;
    };
  }

  @Override
  public boolean isOutOfConnections(SQLException error) {
    return TOO_MANY_CONNECTIONS.contains(error.getErrorCode());
  }

  @Override
  public boolean plainReadsLock(IsolationLevel level) {
    return level == IsolationLevel.SERIALIZABLE;
  }

  @Override
  public Optional<ChangeLog> changeLog() {
    DriverConnectionSource source =
        new DriverConnectionSource(
            url, connector.credentials(), (target, properties) -> connector.connect(target));
    return isInnodb()
        ? source
            .login()
            .flatMap(
                login -> LogAddress.of(url, source.properties(), login.user(), login.password()))
            .map(address -> new InnodbChangeLog(address, source::open))
        : Optional.empty();
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    return new MySqlWorkspace(this);
  }

  Connector connector() {
    return connector;
  }

  /** True if the performance schema may report the waits for locks. */
  protected boolean reportsLockWaits() {
    return true;
  }

  String url() {
    return url;
  }

  /** Creates a monitor; its source depends on the product and on the privileges. */
  WaitMonitor newMonitor() throws SQLException {
    return InnodbWaits.of(connector.connect(url), reportsLockWaits());
  }

  @Override
  public Optional<Semantics> semantics(Database settings, IsolationLevel level) {
    if (isInnodb()) {
      return Optional.of(InnodbSemantics.of(settings, level));
    }
    return isTidb() ? Optional.of(ofTidb(level)) : Optional.empty();
  }

  /** Pessimistic transactions; the snapshot is that of the start timestamp. */
  private static Semantics ofTidb(IsolationLevel level) {
    return new Semantics(
        level == IsolationLevel.READ_COMMITTED ? Visibility.COMMITTED : Visibility.SNAPSHOT,
        Visibility.COMMITTED,
        Visibility.COMMITTED,
        Snapshot.BEGIN,
        false,
        LockingReads.NONE,
        false);
  }

  private boolean isTidb() {
    return database.product().is("TiDB");
  }

  @Override
  public FinalStatePromise promise(IsolationLevel level) {
    return isTidb() || level.compareTo(IsolationLevel.READ_COMMITTED) <= 0
        ? super.promise(level)
        : FinalStatePromise.ORDER_OF_COMMITS;
  }

  @Override
  public UncommittedReads uncommittedReads() {
    return isInnodb() ? UncommittedReads.PREDICTABLE : UncommittedReads.IN_QUERIES;
  }

  @Override
  public Optional<String> whyCascadesIntoReadsVary() {
    return isInnodb()
        ? Optional.of(
            "a statement reads rows that its own writes change by a foreign key: InnoDB deletes"
                + " while it reads, so what it finds depends on the plan")
        : Optional.empty();
  }

  /** MySQL applies no default that is an expression. */
  @Override
  public boolean fillsHiddenColumns() {
    return false;
  }

  @Override
  public boolean writesUseCurrentVersions() {
    return isInnodb();
  }

  @Override
  public boolean comparesCaseInsensitively() {
    return isInnodb() || isTidb();
  }

  /** InnoDB changes the record that is marked as deleted. */
  @Override
  public IdentifyingKey identifyingKey() {
    return isInnodb() ? IdentifyingKey.PRIMARY_KEY : IdentifyingKey.NONE;
  }

  @Override
  public String quoted(String name) {
    return "`" + name.replace("`", "``") + "`";
  }

  @Override
  public boolean hidesAddedColumns() {
    return (isInnodb() || isTidb()) && has(SqlFeature.INVISIBLE_COLUMNS);
  }

  @Override
  public List<String> addColumns(String table, List<String> columns) {
    return hidesAddedColumns()
        ? List.of(
            "ALTER TABLE "
                + table
                + " ADD COLUMN "
                + String.join(" INVISIBLE, ADD COLUMN ", columns)
                + " INVISIBLE")
        : super.addColumns(table, columns);
  }

  /** A zero generates a value, too, unless this mode is set. */
  @Override
  public String insertKeepingZero() {
    return canKeepZero()
        ? "INSERT /*+ SET_VAR(sql_mode = 'NO_AUTO_VALUE_ON_ZERO') */"
        : super.insertKeepingZero();
  }

  @Override
  public boolean canKeepZero() {
    return has(SqlFeature.SETTING_HINTS);
  }

  @Override
  public Optional<VersionColumns> versionColumns() {
    return isInnodb() && has(SqlFeature.INVISIBLE_COLUMNS) && has(SqlFeature.COMPUTED_DEFAULTS)
        ? Optional.of(
            new VersionColumns("CHAR(36) DEFAULT (UUID()) INVISIBLE", "INT DEFAULT 0 INVISIBLE"))
        : Optional.empty();
  }

  @Override
  public Optional<String> whyUnwatchable() {
    return has(SqlFeature.INVISIBLE_COLUMNS)
        ? super.whyUnwatchable()
        : Optional.of("the server has no invisible columns, which record the versions of rows");
  }

  @Override
  public String whyVersionsAreUnobserved() {
    return isInnodb()
        ? "the server has no invisible columns with computed defaults, which identify rows"
        : super.whyVersionsAreUnobserved();
  }

  @Override
  public Optional<WriteRecording> writeRecording() {
    return isInnodb()
        ? Optional.of(new InnodbWriteRecording(has(SqlFeature.INVISIBLE_COLUMNS)))
        : Optional.empty();
  }
}
