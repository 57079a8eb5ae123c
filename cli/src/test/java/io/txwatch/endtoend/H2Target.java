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
import org.h2.engine.Constants;

/** H2, in memory. */
final class H2Target implements Target {

  @Override
  public String name() {
    return "h2";
  }

  @Override
  public List<String> levels() {
    return List.of("RC", "RR", "SI", "SER");
  }

  @Override
  public Database create() throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.H2) + ";LOCK_TIMEOUT=60000";
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
          statement.execute("SHUTDOWN");
        }
      }
    };
  }

  @Override
  public String spell(String sql) {
    return sql.replace("{ENGINE}", "")
        .replace("{AUTOINC}", "INT AUTO_INCREMENT PRIMARY KEY")
        .replace("{FU}", "FOR UPDATE");
  }

  @Override
  public void setLevel(Connection connection, String level) throws SQLException {
    connection.setTransactionIsolation(
        level.equals("SI") ? Constants.TRANSACTION_SNAPSHOT : Levels.jdbc(level));
  }

  @Override
  public boolean endsTransaction(SQLException error) {
    return "40001".equals(error.getSQLState());
  }

  /**
   * H2 names the blocker of each session. A session that was freed clears the name itself when it
   * next runs, so the name counts only while the blocker has something uncommitted.
   */
  @Override
  public BlockMonitor monitor(Database database) throws SQLException {
    Connection watcher = database.connect();
    return new BlockMonitor() {
      @Override
      public long sessionOf(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
            ResultSet result = statement.executeQuery("SELECT SESSION_ID()")) {
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
                    SELECT w.SESSION_ID, w.BLOCKER_ID FROM INFORMATION_SCHEMA.SESSIONS w
                    JOIN INFORMATION_SCHEMA.SESSIONS b ON b.SESSION_ID = w.BLOCKER_ID
                    WHERE b.CONTAINS_UNCOMMITTED""")) {
          while (result.next()) {
            waiting.put(result.getLong(1), Set.of(result.getLong(2)));
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
