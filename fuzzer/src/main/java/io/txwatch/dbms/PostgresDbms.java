package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** PostgreSQL and DBMSs with the same protocol. A workspace is a schema. */
final class PostgresDbms implements Dbms {

  /** A case need not survive a crash. */
  private static final String ASYNCHRONOUS_COMMIT = "SET synchronous_commit = off";

  private static final String TOO_MANY_CONNECTIONS = "53300";

  /**
   * A session checks for a deadlock once, this long after it blocked. The session that closes a
   * cycle has to check before those that were blocked already; otherwise timing decides which one
   * is the victim.
   */
  private static final String EARLY_DEADLOCK_CHECK = "SET deadlock_timeout = '1ms'";

  private static final String LATE_DEADLOCK_CHECK = "SET deadlock_timeout = '5s'";

  /** For rows of a hundred bytes, including their headers. */
  private static final int VERSIONS_PER_PAGE = 64;

  private final Database database;
  private final String url;
  private final Connector connector;

  /** True if sessions may set {@code deadlock_timeout}; that takes a superuser or a grant. */
  private volatile boolean canSetDeadlockTimeout;

  PostgresDbms(Database database, String url, Connector connector) {
    this.database = database;
    this.url = url;
    this.connector = connector;
  }

  @Override
  public Database database() {
    return database;
  }

  private boolean hasPartitions() {
    return database.product().equals("PostgreSQL");
  }

  @Override
  public List<IsolationLevel> levels() {
    return switch (database.product()) {
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
  public String renderSql(String sql) {
    return sql.replace("{ENGINE}", "")
        .replace("{AUTOINC}", "SERIAL PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public MultiStatement multiStatement() {
    return database.product().equals("PostgreSQL")
        ? MultiStatement.IN_ONE_TRANSACTION
        : MultiStatement.UNSUPPORTED;
  }

  /** After any error only ROLLBACK is accepted. */
  @Override
  public Failure failure(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08") || state.startsWith("57P")) {
      return new Failure(Failure.Kind.CONNECTION_LOST, Failure.Effect.ROLLED_BACK);
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
  public Workspace newWorkspace() throws SQLException {
    String schema = Sql.uniqueName();
    String searchPath = "SET search_path TO " + schema;
    Connection own =
        Sql.initialize(
            connector.connect(url), ASYNCHRONOUS_COMMIT, "CREATE SCHEMA " + schema, searchPath);
    canSetDeadlockTimeout = trySet(own, LATE_DEADLOCK_CHECK);
    return new Workspace() {
      @Override
      public Connection connect() throws SQLException {
        return connect(connector);
      }

      @Override
      public Connection connect(Connector by) throws SQLException {
        return Sql.initialize(by.connect(url), searchPath, ASYNCHRONOUS_COMMIT);
      }

      @Override
      public List<String> tables() throws SQLException {
        return Sql.column(
            own,
            hasPartitions()
                ? "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = '"
                    + schema
                    + "'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1"
                : "SELECT quote_ident(table_name) FROM information_schema.tables"
                    + " WHERE table_schema = '"
                    + schema
                    + "' AND table_type = 'BASE TABLE' ORDER BY 1");
      }

      @Override
      public WaitMonitor newMonitor() throws SQLException {
        return monitor();
      }

      /**
       * On a single page, rows are scanned in the order of insertion, and none is pruned:
       * PostgreSQL prunes a page that is nine tenths full.
       */
      @Override
      public int maxDeadVersions() {
        return database.product().equals("PostgreSQL") ? VERSIONS_PER_PAGE : 0;
      }

      @Override
      public List<String> resetStatements(List<String> tables) {
        return List.of("TRUNCATE " + String.join(", ", tables));
      }

      /** Statistics change plans, and with them the order in which rows are locked. */
      @Override
      public void disableMaintenance(List<String> tables) throws SQLException {
        if (hasPartitions()) { // only partitions accept the setting, not the partitioned table
          List<String> withRows =
              Sql.column(
                  own,
                  "SELECT quote_ident(relname) FROM pg_class WHERE relnamespace = '"
                      + schema
                      + "'::regnamespace AND relkind = 'r'");
          Sql.executeAll(
              own,
              withRows.stream()
                  .map(table -> "ALTER TABLE " + table + " SET (autovacuum_enabled = off)")
                  .toList());
        }
      }

      @Override
      public void clear() throws SQLException {
        Sql.executeAll(
            own, List.of("DROP SCHEMA " + schema + " CASCADE", "CREATE SCHEMA " + schema));
      }

      @Override
      public void close() throws SQLException {
        try (own) {
          Sql.execute(own, "DROP SCHEMA IF EXISTS " + schema + " CASCADE");
        }
      }
    };
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

  private static boolean trySet(Connection connection, String sql) {
    try {
      Sql.execute(connection, sql);
      return true;
    } catch (SQLException e) {
      return false; // it takes a superuser or a grant
    }
  }

  private WaitMonitor monitor() throws SQLException {
    Connection watcher = connector.connect(url);
    return new WaitMonitor() {
      @Override
      public long sessionId(Connection connection) throws SQLException {
        return Sql.number(connection, "SELECT pg_backend_pid()");
      }

      @Override
      public Map<Long, Set<Long>> waitGraph() throws SQLException {
        Map<Long, Set<Long>> waiting = new HashMap<>();
        try (Statement statement = watcher.createStatement();
            ResultSet result =
                statement.executeQuery(
                    """
                    SELECT pid, blockers
                    FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) AS waiters,
                         pg_blocking_pids(pid) AS blockers
                    WHERE cardinality(blockers) > 0\
                    """)) {
          while (result.next()) {
            Integer[] blockers = (Integer[]) result.getArray(2).getArray();
            waiting.put(
                result.getLong(1),
                Arrays.stream(blockers).map(Integer::longValue).collect(Collectors.toSet()));
          }
        }
        return waiting;
      }

      @Override
      public void close() throws SQLException {
        watcher.close();
      }
    };
  }
}
