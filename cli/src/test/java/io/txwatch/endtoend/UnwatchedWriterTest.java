package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL as it is, without prepare. A connection that is not watched, as psql is one, writes
 * between a read and a write of a watched transaction.
 */
class UnwatchedWriterTest {

  private static int balance(Connection connection, int id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?")) {
      select.setInt(1, id);
      try (ResultSet row = select.executeQuery()) {
        assertThat(row.next()).isTrue();
        return row.getInt(1);
      }
    }
  }

  private static void set(Connection connection, int id, int balance) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, id);
      assertThat(update.executeUpdate()).isOne();
    }
  }

  @Test
  void isNamed(@TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    Watched watched = new Watched(folder, Map.of());
    List<String> xids = new ArrayList<>();
    try (Connection psql = DriverManager.getConnection(url);
        Statement statement = psql.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 200)");
      try (watched;
          Connection one = watched.connect(url)) {
        one.setAutoCommit(false);
        set(one, 2, balance(one, 2)); // each statement has a savepoint the first time
        one.commit();
        int read = balance(one, 1);
        try (ResultSet written =
            statement.executeQuery(
                "UPDATE account SET balance = 0 WHERE id = 1 RETURNING xmin::text")) {
          assertThat(written.next()).isTrue();
          xids.add(written.getString(1));
        }
        set(one, 1, read + 10);
        one.commit();
        read = balance(one, 2);
        statement.execute("UPDATE account SET balance = 0 WHERE id = 1");
        set(one, 2, read + 10);
        one.commit();
      }
    }
    List<ReportedAnomaly> reported = watched.reported();
    assertThat(reported).hasSize(1);
    assertThat(reported.get(0).phenomenon()).isEqualTo("LOST_UPDATE");
    assertThat(reported.get(0).verdict()).isEqualTo("HAZARD");
    List<String> sessions = new ArrayList<>();
    for (JsonNode transaction : reported.get(0).json().path("transactions")) {
      sessions.add(transaction.path("session").asText());
    }
    assertThat(sessions).contains("xid " + xids.get(0) + ", not watched");
  }
}
