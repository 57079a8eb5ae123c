package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A write that is sent as it is leaves the name of whoever wrote the row before. Its transaction
 * reads its own version under that name: so what it reads from then on proves nothing, until it
 * reads its own name.
 */
class UnnamedWritesTest {

  private static TestDatabase shop(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE item (id INT PRIMARY KEY, qty INT)",
        "CREATE TABLE line (id INT PRIMARY KEY, amount INT)",
        "CREATE VIEW items AS SELECT id, qty FROM item",
        "INSERT INTO item VALUES (1, 10), (2, 20)",
        "INSERT INTO line VALUES (1, 3)");
  }

  /** For each statement that recorded rows whether it is certain of them. */
  private static List<Boolean> certain(TestDatabase database) {
    return database.statements().stream()
        .map(Event.StatementExecuted::rows)
        .filter(rows -> !rows.isEmpty())
        .map(rows -> rows.stream().allMatch(RowAccess::certain))
        .toList();
  }

  private static void send(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        if (statement.execute(text)) {
          try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
              rows.getInt(1);
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "MARIADB    | UPDATE item SET qty = ABS(id + 10) WHERE id IN (SELECT id FROM line)",
        "MYSQL      | UPDATE item SET qty = ABS(id + 10) WHERE id IN (SELECT id FROM line)",
        "POSTGRESQL | UPDATE items SET qty = 11 WHERE id = 1",
        "H2         | MERGE INTO item (id, qty) KEY (id) VALUES (1, 11)",
      })
  void readsAfterItAreNotCertain(ServerKind kind, String write) throws SQLException {
    assumeTrue(TestServers.missing(kind).isEmpty());
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched()) {
      connection.setAutoCommit(false);
      send(
          connection,
          "SELECT qty FROM item WHERE id = 1",
          write,
          "SELECT qty FROM item WHERE id = 1",
          "SELECT qty FROM item ORDER BY id",
          "UPDATE item SET qty = 5 WHERE id = 1",
          "SELECT qty FROM item WHERE id = 1");
      connection.commit();
      send(connection, "SELECT qty FROM item WHERE id = 1");
      connection.commit();
    }

    List<Boolean> reads =
        database.statements().stream()
            .filter(statement -> !statement.kind().mayWrite())
            .map(statement -> statement.rows().stream().allMatch(RowAccess::certain))
            .toList();
    assertThat(reads).containsExactly(true, false, false, true, true);
  }

  /**
   * MySQL has InnoDB make a version of a row that stays the same where NULL is assigned to NULL in
   * a column with such a default: here T1 sees what T2 committed after T1's snapshot. Elsewhere
   * none is made, and the row is what it was in the snapshot.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "INT DEFAULT 9              | UPDATE part SET a = NULL             | 2 | false",
        "INT DEFAULT 9              | UPDATE part SET b = 0, a = a + 1     | 2 | false",
        "DATE DEFAULT '2024-01-01'  | UPDATE part SET a = NULL             | 2 | false",
        "INT DEFAULT 0              | UPDATE part SET a = NULL             | 1 | true",
        "INT                        | UPDATE part SET a = NULL             | 1 | true",
        "VARCHAR(5) DEFAULT ''      | UPDATE part SET a = NULL             | 1 | true",
        "INT DEFAULT 9              | UPDATE part SET b = b                | 1 | true",
      })
  void nullOverADefaultMakesAVersionOnMySql(String type, String update, int seen, boolean certain)
      throws SQLException {
    assumeTrue(TestServers.missing(ServerKind.MYSQL).isEmpty());
    TestDatabase database =
        TestDatabase.of(
            ServerKind.MYSQL,
            "CREATE TABLE part (id INT PRIMARY KEY, a " + type + ", b INT, c INT)",
            "INSERT INTO part VALUES (1, NULL, 0, 1)");
    try (Connection one = database.watched();
        Connection two = database.watched()) {
      one.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      one.setAutoCommit(false);
      send(one, "SELECT c FROM part");
      send(two, "UPDATE part SET c = 2 WHERE id = 1");
      send(one, update);
      try (Statement statement = one.createStatement();
          ResultSet rows = statement.executeQuery("SELECT c FROM part")) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getInt(1)).isEqualTo(seen);
      }
      one.commit();
    }

    List<Event.StatementExecuted> statements = database.statements();
    assertThat(statements.get(statements.size() - 1).rows())
        .extracting(RowAccess::certain)
        .containsExactly(certain);
  }

  /** What is written with its name, and what is deleted, leaves no doubt. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void readsAfterOtherWritesAreCertain(ServerKind kind) throws SQLException {
    TestDatabase database = shop(kind);
    try (Connection connection = database.watched()) {
      connection.setAutoCommit(false);
      send(
          connection,
          "SELECT qty FROM item WHERE id = 1",
          "UPDATE item SET qty = qty + 1 WHERE id = 2",
          "INSERT INTO item VALUES (3, 30)",
          "DELETE FROM line WHERE id = 1",
          "SELECT DISTINCT amount FROM line",
          "SELECT qty FROM item ORDER BY id");
      connection.commit();
    }

    assertThat(certain(database)).isNotEmpty().doesNotContain(false);
  }
}
