package io.txwatch.endtoend;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** MySQL and MariaDB with InnoDB: each database a database of its own on one server. */
final class InnoDbTarget implements Target {

  private static final AtomicInteger DATABASES = new AtomicInteger();
  private static final Set<Integer> ENDS_TRANSACTION = Set.of(1020, 1205, 1213);

  private final ServerKind kind;

  InnoDbTarget(ServerKind kind) {
    this.kind = kind;
  }

  @Override
  public String name() {
    return kind == ServerKind.MYSQL ? "mysql" : "mariadb";
  }

  @Override
  public List<String> levels() {
    return List.of("RU", "RC", "RR", "SER");
  }

  @Override
  public Database create() throws SQLException {
    String name = "endtoend_" + ProcessHandle.current().pid() + "_" + DATABASES.incrementAndGet();
    String url = TestServers.of(kind).newDatabase(name);
    return new Database() {
      @Override
      public String url() {
        return url;
      }

      @Override
      public Connection connect() throws SQLException {
        return DriverManager.getConnection(url);
      }

      @Override
      public void close() throws SQLException {
        try (Connection connection = connect();
            Statement statement = connection.createStatement()) {
          statement.execute("DROP DATABASE " + name);
        }
      }
    };
  }

  @Override
  public String spell(String sql) {
    return sql.replace("{ENGINE}", "ENGINE=InnoDB")
        .replace("{AUTOINC}", "INT NOT NULL AUTO_INCREMENT PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public void setLevel(Connection connection, String level) throws SQLException {
    connection.setTransactionIsolation(Levels.jdbc(level));
  }

  @Override
  public boolean endsTransaction(SQLException error) {
    return ENDS_TRANSACTION.contains(error.getErrorCode());
  }

  /**
   * InnoDB's monitor shows LOCK WAIT as long as a transaction's lock is not granted, and, unlike
   * {@code information_schema.innodb_trx}, without a cache: whoever grants the lock clears it. It
   * does not say whom the transaction waits for. Its text costs more than the status counter, which
   * is asked first; that one is cleared by the waiter when it next runs, so it alone would call a
   * freed session blocked.
   */
  @Override
  public BlockMonitor monitor(Database database) throws SQLException {
    Connection watcher = database.connect();
    return new BlockMonitor() {
      private final Pattern transaction =
          Pattern.compile(
              "(?m)^---TRANSACTION (?:(?!^---)[\\s\\S])*?^LOCK WAIT [\\s\\S]*?thread id (\\d+)");

      @Override
      public long sessionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
            ResultSet result = statement.executeQuery("SELECT CONNECTION_ID()")) {
          result.next();
          return result.getLong(1);
        }
      }

      @Override
      public Map<Long, Set<Long>> waiting() throws SQLException {
        Map<Long, Set<Long>> waiting = new HashMap<>();
        if (someoneWaits()) {
          Matcher matcher = transaction.matcher(innodbStatus());
          while (matcher.find()) {
            waiting.put(Long.parseLong(matcher.group(1)), Set.of());
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

      private String innodbStatus() throws SQLException {
        try (Statement statement = watcher.createStatement();
            ResultSet result = statement.executeQuery("SHOW ENGINE INNODB STATUS")) {
          result.next();
          return result.getString(3);
        }
      }

      @Override
      public void close() throws SQLException {
        watcher.close();
      }
    };
  }
}
