package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.CachedPattern;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** MySQL, MariaDB, and DBMSs with the same protocol. A workspace is a database. */
final class MySqlDbms implements Dbms {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int RECORD_CHANGED = 1020;

  /** The limits of the server, of {@code max_user_connections}, and of the user's account. */
  private static final Set<Integer> TOO_MANY_CONNECTIONS = Set.of(1040, 1203, 1226);

  private static final int TIDB_WRITE_CONFLICT = 9007;

  /** Statements that change rows; definitions and the settings they depend on are not bundled. */
  private static final CachedPattern ALLOWED_IN_BLOCK =
      CachedPattern.of("(?i)^\\s*((INSERT|REPLACE|DELETE)\\b|(BEGIN|COMMIT)$)");

  private final Database database;
  private final String url;
  private final Connector connector;
  private final InnodbPurgeMonitor purges = new InnodbPurgeMonitor();

  /**
   * Statistics stay those of an empty table: InnoDB would otherwise recalculate them at any time,
   * which changes plans and, with them, locks.
   */
  private final String engine;

  MySqlDbms(Database database, String url, Connector connector) {
    this.database = database;
    this.url = isInnodb() ? withoutReadOnlyPropagation(withMultiQueries(url)) : url;
    this.connector = connector;
    this.engine =
        isInnodb() ? "ENGINE=InnoDB STATS_PERSISTENT=1 STATS_AUTO_RECALC=0" : "ENGINE=InnoDB";
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

  private boolean isInnodb() {
    return Set.of("MySQL", "MariaDB").contains(database.product());
  }

  @Override
  public Database database() {
    return database;
  }

  @Override
  public List<IsolationLevel> levels() {
    return database.product().equals("TiDB")
        ? List.of(IsolationLevel.READ_COMMITTED, IsolationLevel.REPEATABLE_READ)
        : List.of(
            IsolationLevel.READ_UNCOMMITTED,
            IsolationLevel.READ_COMMITTED,
            IsolationLevel.REPEATABLE_READ,
            IsolationLevel.SERIALIZABLE);
  }

  @Override
  public String renderSql(String sql) {
    return sql.replace("{ENGINE}", engine)
        .replace("{AUTOINC}", "INT NOT NULL AUTO_INCREMENT PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public Optional<String> levelStatement(IsolationLevel level) {
    return multiStatement() == MultiStatement.ONE_BY_ONE
        ? Optional.of("SET SESSION TRANSACTION ISOLATION LEVEL " + level.name().replace('_', ' '))
        : Optional.empty();
  }

  @Override
  public MultiStatement multiStatement() {
    return url.contains("allowMultiQueries=true")
        ? MultiStatement.ONE_BY_ONE
        : MultiStatement.UNSUPPORTED;
  }

  /**
   * MariaDB executes a block as one statement; after a failed statement, the rest is not executed.
   */
  @Override
  public List<String> bundle(List<String> statements) {
    if (!database.product().equals("MariaDB")
        || multiStatement() != MultiStatement.ONE_BY_ONE
        || statements.size() < 2
        || !statements.stream().allMatch(ALLOWED_IN_BLOCK::isFoundIn)) {
      return statements;
    }
    return statements.stream()
        .map(
            sql ->
                sql.equals("BEGIN")
                    ? "START TRANSACTION"
                    : sql) // BEGIN starts a nested block there
        .collect(
            Collectors.collectingAndThen(
                Collectors.joining(";\n", "BEGIN NOT ATOMIC\n", ";\nEND"), List::of));
  }

  /**
   * MariaDB up to 10.11.5 changes the row but, after waiting for an index entry, not the index
   * (MDEV-30531). Purge then removes the index entry.
   */
  @Override
  public boolean cascadesMayCorruptIndexes() {
    return database.product().equals("MariaDB");
  }

  /** InnoDB starts a transaction with its first statement. */
  @Override
  public boolean canPiggybackBegin() {
    return isInnodb() && multiStatement() == MultiStatement.ONE_BY_ONE;
  }

  @Override
  public Failure failure(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08") && !isOutOfConnections(error)) {
      return new Failure(Failure.Kind.CONNECTION_LOST, Failure.Effect.ROLLED_BACK);
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
      default -> new Failure(Failure.Kind.STATEMENT, Failure.Effect.CONTINUES);
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

  /** One fixture is purged while the other is in use. */
  @Override
  public int fixtureCount() {
    return multiStatement() == MultiStatement.ONE_BY_ONE ? 2 : 1;
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    String name = Sql.uniqueName();
    Connection own =
        Sql.initialize(
            connector.connect(url),
            "CREATE DATABASE " + name,
            "USE " + name,
            "SET SESSION foreign_key_checks = 0");
    return new Workspace() {
      @Override
      public Connection connect() throws SQLException {
        return connect(connector);
      }

      @Override
      public Connection connect(Connector by) throws SQLException {
        Connection connection = by.connect(url);
        connection.setCatalog(name);
        return Sql.initialize(
            connection, "SET SESSION innodb_lock_wait_timeout = 600, lock_wait_timeout = 600");
      }

      @Override
      public List<String> tables() throws SQLException {
        return Sql.column(
            own,
            "SELECT CONCAT('`', REPLACE(table_name, '`', '``'), '`')"
                + " FROM information_schema.tables WHERE table_schema = '"
                + name
                + "' AND table_type = 'BASE TABLE' ORDER BY table_name");
      }

      @Override
      public WaitMonitor newMonitor() throws SQLException {
        return monitor();
      }

      /** A deleted row can be locked until it is purged, at a time that we cannot control. */
      @Override
      public List<String> resetStatements(List<String> tables) {
        List<String> statements = new ArrayList<>();
        if (tables.size() > 1) { // they may refer to each other
          statements.add("SET SESSION foreign_key_checks = 0");
        }
        tables.forEach(table -> statements.add("TRUNCATE TABLE " + table));
        if (tables.size() > 1) {
          statements.add("SET SESSION foreign_key_checks = 1");
        }
        return statements;
      }

      /**
       * InnoDB does not purge what is committed after a snapshot: locks of deleted rows stay as
       * they are, and purge does not latch the pages ({@code row_purge_reset_trx_id}).
       */
      @Override
      public void delayPurge() throws SQLException {
        if (isInnodb()) {
          Sql.execute(own, "START TRANSACTION WITH CONSISTENT SNAPSHOT");
        }
      }

      @Override
      public Optional<String> switchStatement() {
        return Optional.of("USE " + name);
      }

      @Override
      public Optional<Purge> startPurge(List<String> tables) throws SQLException {
        if (!isInnodb()) {
          return Optional.empty();
        }
        List<String> deletes =
            new ArrayList<>(
                List.of("COMMIT", "BEGIN")); // COMMIT ends the transaction of the snapshot
        deletes.addAll(Workspace.deleteAllStatements(tables));
        deletes.add("COMMIT");
        return Optional.of(
            purges.begin(own, bundle(deletes), multiStatement() == MultiStatement.ONE_BY_ONE));
      }

      /**
       * InnoDB's statistics count inserted and deleted rows, and miscount rows that a key rejected.
       * FLUSH TABLES reloads the persistent statistics, which are those of empty tables.
       */
      @Override
      public List<String> afterPurgeStatements(List<String> tables) {
        return tables.isEmpty() // without names it would flush the tables of all other workspaces
            ? List.of()
            : List.of("FLUSH TABLES " + String.join(", ", tables));
      }

      @Override
      public void clear() throws SQLException {
        Sql.execute(own, "COMMIT"); // the transaction of the snapshot would show the old catalog
        List<String> tables = tables();
        if (!tables.isEmpty()) {
          Sql.execute(own, "DROP TABLE " + String.join(", ", tables));
        }
      }

      @Override
      public void close() throws SQLException {
        try (own) {
          Sql.execute(own, "DROP DATABASE IF EXISTS " + name);
        }
      }
    };
  }

  private WaitMonitor monitor() throws SQLException {
    Connection watcher = connector.connect(url);
    try {
      Optional<String> note = Optional.empty();
      if (!database.product().equals("MariaDB")) {
        Optional<String> whyUnreadable = PerformanceSchemaWaitMonitor.whyUnreadable(watcher);
        if (whyUnreadable.isEmpty()) {
          return new PerformanceSchemaWaitMonitor(watcher);
        }
        note =
            Optional.of(
                whyUnreadable.get() + ": lock waits are read from SHOW ENGINE INNODB STATUS");
      }
      return new InnodbStatusWaitMonitor(watcher, purges, note);
    } catch (SQLException | RuntimeException e) {
      watcher.close();
      throw e;
    }
  }
}
