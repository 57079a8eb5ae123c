package io.txwatch.endtoend;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** PostgreSQL: each database a schema of its own on one server. */
final class PostgresTarget implements Target {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final String server;

  PostgresTarget() throws SQLException {
    this.server = TestServers.freshDatabase(ServerKind.POSTGRESQL);
  }

  @Override
  public String name() {
    return "postgresql";
  }

  @Override
  public List<String> levels() {
    return List.of("RC", "RR", "SER");
  }

  @Override
  public Database create() throws SQLException {
    String schema = "endtoend" + DATABASES.incrementAndGet();
    onServer("CREATE SCHEMA " + schema);
    String url = server + "&currentSchema=" + schema;
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
        onServer("DROP SCHEMA " + schema + " CASCADE");
      }
    };
  }

  private void onServer(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(server);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public String spell(String sql) {
    return sql.replace("{ENGINE}", "")
        .replace("{AUTOINC}", "SERIAL PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public void setLevel(Connection connection, String level) throws SQLException {
    connection.setTransactionIsolation(Levels.jdbc(level));
  }

  /** After any error PostgreSQL takes nothing but ROLLBACK. */
  @Override
  public boolean endsTransaction(SQLException error) {
    return true;
  }

  @Override
  public BlockMonitor monitor(Database database) throws SQLException {
    Connection watcher = DriverManager.getConnection(server);
    return new BlockMonitor() {
      @Override
      public long sessionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
            ResultSet result = statement.executeQuery("SELECT pg_backend_pid()")) {
          result.next();
          return result.getLong(1);
        }
      }

      @Override
      public Map<Long, Set<Long>> waiting() throws SQLException {
        Map<Long, Set<Long>> waiting = new HashMap<>();
        try (Statement statement = watcher.createStatement();
            ResultSet result =
                statement.executeQuery(
                    """
                    SELECT pid, blockers
                    FROM (SELECT DISTINCT pid FROM pg_locks WHERE NOT granted) AS waiters,
                         pg_blocking_pids(pid) AS blockers
                    WHERE cardinality(blockers) > 0""")) {
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
