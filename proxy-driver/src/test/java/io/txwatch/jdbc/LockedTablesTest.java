package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Look-ups do not wait for a table that another session has locked, as the application does not.
 */
class LockedTablesTest {

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MYSQL || kind == ServerKind.MARIADB);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void anotherTableCanBeUsedMeanwhile(ServerKind kind) throws Exception {
    TestDatabase database =
        TestDatabase.of(
            kind,
            "CREATE TABLE locked (id INT PRIMARY KEY, v INT)",
            "CREATE TABLE free (id INT PRIMARY KEY, v INT)",
            "INSERT INTO locked VALUES (1, 10)",
            "INSERT INTO free VALUES (1, 20)");
    try (Connection other = database.raw()) {
      TestDatabase.execute(other, "LOCK TABLES locked WRITE");
      CompletableFuture<Connection> opened =
          CompletableFuture.supplyAsync(() -> openedAndUsed(database));
      try (Connection watched = opened.get(20, TimeUnit.SECONDS)) {
        TestDatabase.execute(other, "UNLOCK TABLES");
        assertThat(value(watched, "locked")).isEqualTo(10);
      }
    }
  }

  private static Connection openedAndUsed(TestDatabase database) {
    try {
      Connection watched = database.watched();
      assertThat(value(watched, "free")).isEqualTo(20);
      watched.setAutoCommit(false);
      assertThat(value(watched, "free")).isEqualTo(20);
      watched.rollback();
      return watched;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static int value(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT v FROM " + table + " WHERE id = 1")) {
      row.next();
      return row.getInt(1);
    }
  }
}
