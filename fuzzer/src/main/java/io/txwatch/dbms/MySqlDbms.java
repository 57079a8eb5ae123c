package io.txwatch.dbms;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** MySQL, MariaDB, and what speaks their protocol. A workspace is a database. */
final class MySqlDbms implements Dbms {

  private static final int LOCK_WAIT_TIMEOUT = 1205;
  private static final int DEADLOCK = 1213;
  private static final int RECORD_CHANGED = 1020;
  private static final int TIDB_WRITE_CONFLICT = 9007;

  private final Database database;
  private final String url;
  private final Connector connector;

  MySqlDbms(Database database, String url, Connector connector) {
    this.database = database;
    this.url = url;
    this.connector = connector;
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
  public String spell(String sql) {
    return sql.replace("{ENGINE}", "ENGINE=InnoDB")
        .replace("{AUTOINC}", "INT NOT NULL AUTO_INCREMENT PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public Failure failure(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08")) {
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
                  : Failure.Effect.GOES_ON);
      default -> new Failure(Failure.Kind.STATEMENT, Failure.Effect.GOES_ON);
    };
  }

  @Override
  public Workspace newWorkspace() throws SQLException {
    String name = Sql.newName();
    Connection own =
        Sql.with(
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
        return Sql.with(
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

      /** A deleted row stays, and can be locked, until it is purged, which is out of our hands. */
      @Override
      public boolean renew(List<String> tables) throws SQLException {
        Sql.executeAll(own, tables.stream().map(table -> "TRUNCATE TABLE " + table).toList());
        return true;
      }

      @Override
      public void clear() throws SQLException {
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
    return database.product().equals("MariaDB")
        ? new InnodbMonitor(watcher)
        : new LockWaitsMonitor(watcher);
  }

  /** Both ask for a session in the same way. */
  private abstract static class Monitor implements WaitMonitor {
    final Connection watcher;

    Monitor(Connection watcher) {
      this.watcher = watcher;
    }

    @Override
    public long sessionOf(Connection connection) throws SQLException {
      return Sql.number(connection, "SELECT CONNECTION_ID()");
    }

    @Override
    public void close() throws SQLException {
      watcher.close();
    }
  }

  /**
   * MySQL 8 and later keep the lock waits in a table that is always fresh. Its thread of a row's
   * lock is who wrote the lock down: for an inserted row whoever runs into it, and when a row grows
   * whoever moves it, with the locks of all others on it. A transaction's locks of tables, which
   * come first, are always its own; they tell its session. Of blockers only those are told that
   * wait themselves.
   */
  private static final class LockWaitsMonitor extends Monitor {

    LockWaitsMonitor(Connection watcher) {
      super(watcher);
    }

    @Override
    public Map<Long, Set<Long>> waiting() throws SQLException {
      Map<Long, Long> sessionOfTransaction = new HashMap<>();
      Map<Long, Set<Long>> blockers = new HashMap<>();
      try (Statement statement = watcher.createStatement();
          ResultSet result =
              statement.executeQuery(
                  """
                  SELECT t.PROCESSLIST_ID, w.REQUESTING_ENGINE_TRANSACTION_ID,
                         w.BLOCKING_ENGINE_TRANSACTION_ID
                  FROM performance_schema.data_lock_waits w
                  JOIN performance_schema.data_locks l
                    ON l.ENGINE_TRANSACTION_ID = w.REQUESTING_ENGINE_TRANSACTION_ID
                   AND l.LOCK_TYPE = 'TABLE'
                  JOIN performance_schema.threads t ON t.THREAD_ID = l.THREAD_ID\
                  """)) {
        while (result.next()) {
          sessionOfTransaction.put(result.getLong(2), result.getLong(1));
          blockers.computeIfAbsent(result.getLong(1), w -> new HashSet<>()).add(result.getLong(3));
        }
      }
      blockers.replaceAll(
          (session, transactions) ->
              transactions.stream()
                  .map(sessionOfTransaction::get)
                  .filter(Objects::nonNull)
                  .collect(Collectors.toSet()));
      return blockers;
    }
  }

  /**
   * MariaDB: InnoDB's monitor shows LOCK WAIT as long as a transaction's lock is not granted, and,
   * unlike {@code information_schema.innodb_trx}, without a cache: whoever grants the lock clears
   * it. It does not say whom the transaction waits for. Its text costs more than the status
   * counter, which is asked first; that one is cleared by the waiter when it next runs, so it alone
   * would call a freed session blocked.
   */
  private static final class InnodbMonitor extends Monitor {

    private static final Pattern WAITER =
        Pattern.compile(
            "(?m)^---TRANSACTION (?:(?!^---)[\\s\\S])*?^LOCK WAIT [\\s\\S]*?thread id (\\d+)");

    /** Takes the right PROCESS, which shows here rather than when somebody waits. */
    InnodbMonitor(Connection watcher) throws SQLException {
      super(watcher);
      status();
    }

    @Override
    public Map<Long, Set<Long>> waiting() throws SQLException {
      Map<Long, Set<Long>> waiting = new HashMap<>();
      if (someoneWaits()) {
        Matcher waiter = WAITER.matcher(status());
        while (waiter.find()) {
          waiting.put(Long.parseLong(waiter.group(1)), Set.of());
        }
      }
      return waiting;
    }

    private boolean someoneWaits() throws SQLException {
      try (Statement statement = watcher.createStatement();
          ResultSet result =
              statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'")) {
        result.next();
        return result.getLong(2) > 0;
      }
    }

    private String status() throws SQLException {
      try (Statement statement = watcher.createStatement();
          ResultSet result = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
        result.next();
        return result.getString(3);
      }
    }
  }
}
