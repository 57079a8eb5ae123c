package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Look-ups do not wait for a table that another session has locked, as the application does not. A
 * session that has locked tables itself sends no reads of txwatch: other tables would be refused,
 * and MySQL 9.7 ends when a foreign key is checked against a table that was queried.
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

  @ParameterizedTest
  @MethodSource("kinds")
  void aSessionThatHasLockedTablesReadsNothingElse(ServerKind kind) throws Exception {
    TestDatabase database =
        TestDatabase.of(
            kind,
            "CREATE TABLE p (id INT PRIMARY KEY)",
            "CREATE TABLE c (id INT PRIMARY KEY, pid INT, FOREIGN KEY (pid) REFERENCES p (id)"
                + " ON DELETE CASCADE)",
            "INSERT INTO p VALUES (1), (2)",
            "INSERT INTO c VALUES (1, 1), (2, 1)");
    Settings predicates = Settings.of(Map.of(Setting.INSTRUMENT, "predicates"));
    try (Connection raw = database.raw();
        Connection watched = database.watched(database.raw(), predicates)) {
      String[] statements = {"UPDATE c SET pid = 2 WHERE pid = 3", "DELETE FROM p WHERE id = 3"};
      queriesBeside(watched, statements); // the catalog is read
      long usual = queriesBeside(raw, statements); // MySQL's driver has some of its own
      assertThat(queriesBeside(watched, statements)).isGreaterThan(usual);

      TestDatabase.execute(watched, "LOCK TABLES p WRITE, c WRITE");
      assertThat(queriesBeside(watched, statements)).isEqualTo(usual);
      TestDatabase.execute(watched, "UNLOCK TABLES");
      assertThat(queriesBeside(watched, statements)).isGreaterThan(usual);
    }
  }

  private static long queriesBeside(Connection connection, String... statements)
      throws SQLException {
    long before = queries(connection);
    TestDatabase.execute(connection, statements);
    return queries(connection) - before;
  }

  /** How many queries the session has sent. */
  private static long queries(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Com_select'")) {
      row.next();
      return row.getLong(2);
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
