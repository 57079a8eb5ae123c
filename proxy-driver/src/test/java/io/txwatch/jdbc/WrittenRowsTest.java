package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterToken;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * At level {@code items} every DBMS shows which rows a write wrote, in whatever shape: what is
 * noted is held against what stands in the table.
 */
class WrittenRowsTest {

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static boolean mysql(ServerKind kind) {
    return kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
  }

  private static TestDatabase stock(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE stock (id INT PRIMARY KEY, n INT)",
        "CREATE TABLE shop (id INT PRIMARY KEY, n INT)",
        "INSERT INTO stock VALUES (1, 10), (2, 20), (3, 30)");
  }

  private static Connection watched(TestDatabase database) throws SQLException {
    Connection connection =
        database.watched(UnaryOperator.identity(), Map.of(Setting.INSTRUMENT, "items"));
    connection.setAutoCommit(false);
    return connection;
  }

  /** The statements with their writes, in order, each once its reads beside it are done. */
  private static List<Event.StatementExecuted> writes(TestDatabase database) {
    List<Event.StatementExecuted> statements = new ArrayList<>(database.statements());
    statements.removeIf(statement -> !statement.kind().mayWrite());
    statements.sort(
        Comparator.comparing(Event.StatementExecuted::transaction)
            .thenComparing(Event.StatementExecuted::statement));
    return statements;
  }

  private static List<Access> accesses(Event.StatementExecuted statement) {
    return statement.rows().stream()
        .map(RowAccess::access)
        .filter(access -> access != Access.READ)
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofUpdates(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE stock SET n = 7 WHERE id = 1")).isOne();
      assertThat(statement.executeUpdate("UPDATE stock SET n = n + 1")).isEqualTo(3);
      assertThat(statement.executeUpdate("UPDATE stock SET id = 9 WHERE id = 3")).isOne();
      connection.commit();
    }
    List<Event.StatementExecuted> writes = writes(stock);
    assertThat(writes)
        .extracting(WrittenRowsTest::accesses)
        .containsExactly(
            List.of(Access.UPDATE),
            List.of(Access.UPDATE, Access.UPDATE, Access.UPDATE),
            // On PostgreSQL a row with another key is another row.
            kind == ServerKind.POSTGRESQL
                ? List.of(Access.INSERT, Access.DELETE)
                : List.of(Access.UPDATE));
    for (Event.StatementExecuted write : writes) {
      for (RowAccess row : write.rows()) {
        assertThat(row.certain()).isTrue();
        int newest = row.writers().size() - 1;
        if (kind == ServerKind.POSTGRESQL) {
          assertThat(row.writers().statement(newest)).isEqualTo(WriterToken.BY_DBMS);
        } else {
          assertThat(row.writers().transaction(newest)).isEqualTo(write.transaction());
          assertThat(row.writers().statement(newest)).isEqualTo(write.statement());
        }
      }
    }
    assertThat(writes.get(1).rows())
        .extracting(RowAccess::row)
        .contains(writes.get(0).rows().get(0).row())
        .containsAll(
            writes.get(2).rows().stream()
                .filter(row -> row.access() != Access.INSERT)
                .map(RowAccess::row)
                .toList());
    assertThat(stock.events(Event.Gap.class)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofInsertsFromAQuery(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("INSERT INTO shop SELECT id, n FROM stock WHERE n > 10"))
          .isEqualTo(2);
      connection.commit();
      try (ResultSet all = statement.executeQuery("SELECT id FROM shop ORDER BY id")) {
        assertThat(all.next()).isTrue();
        assertThat(all.getInt(1)).isEqualTo(2);
        assertThat(all.next()).isTrue();
        assertThat(all.next()).isFalse();
      }
      connection.commit();
    }
    Event.StatementExecuted insert = writes(stock).get(0);
    assertThat(accesses(insert)).containsExactly(Access.INSERT, Access.INSERT);
    assertThat(insert.writesSeen()).isTrue();
    Event.StatementExecuted read = stock.statements().get(stock.statements().size() - 1);
    assertThat(read.rows())
        .extracting(row -> row.row() + row.writers().tokens())
        .containsExactlyInAnyOrderElementsOf(
            insert.rows().stream()
                .filter(row -> row.access() == Access.INSERT)
                .map(row -> row.row() + row.writers().tokens())
                .toList());
  }

  static Stream<ServerKind> kindsWithUpserts() {
    return kinds().filter(kind -> kind != ServerKind.H2);
  }

  @ParameterizedTest
  @MethodSource("kindsWithUpserts")
  void ofUpserts(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    String conflict =
        mysql(kind) ? " ON DUPLICATE KEY UPDATE n = 5" : " ON CONFLICT (id) DO UPDATE SET n = 5";
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO stock VALUES (1, 1), (4, 4)" + conflict);
      statement.executeUpdate(
          "INSERT INTO stock (id, n) SELECT s.id, s.n FROM stock s WHERE s.id = s.id" + conflict);
      connection.commit();
    }
    List<Event.StatementExecuted> writes = writes(stock);
    assertThat(accesses(writes.get(0))).containsExactly(Access.INSERT, Access.UPDATE);
    // On MySQL and MariaDB the row that is 5 already stays as it is.
    assertThat(accesses(writes.get(1))).hasSize(mysql(kind) ? 3 : 4).containsOnly(Access.UPDATE);
    // The read beside the first was put off until the second was done: was that all of it?
    assertThat(writes.get(0).writesSeen()).isEqualTo(!mysql(kind));
    assertThat(writes.get(1).writesSeen()).isTrue();
  }

  static Stream<ServerKind> kindsWithMerge() {
    return kinds().filter(kind -> kind == ServerKind.POSTGRESQL);
  }

  @ParameterizedTest
  @MethodSource("kindsWithMerge")
  void ofMerges(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("INSERT INTO shop VALUES (2, 7), (3, 8), (4, 9)");
      assertThat(
              statement.executeUpdate(
                  "MERGE INTO stock s USING shop x ON s.id = x.id"
                      + " WHEN MATCHED THEN UPDATE SET n = x.n"
                      + " WHEN NOT MATCHED THEN INSERT (id, n) VALUES (x.id, x.n)"))
          .isEqualTo(3);
      connection.commit();
      assertThat(
              statement.executeUpdate(
                  "MERGE INTO stock s USING shop x ON s.id = x.id AND x.n = 8"
                      + " WHEN MATCHED THEN DELETE"))
          .isEqualTo(1);
      connection.commit();
      try (ResultSet all = statement.executeQuery("SELECT id, n FROM stock ORDER BY id")) {
        for (int[] row : new int[][] {{1, 10}, {2, 7}, {4, 9}}) {
          assertThat(all.next()).isTrue();
          assertThat(new int[] {all.getInt(1), all.getInt(2)}).isEqualTo(row);
        }
        assertThat(all.next()).isFalse();
      }
      connection.commit();
    }
    List<Event.StatementExecuted> writes = writes(stock);
    assertThat(accesses(writes.get(1)))
        .containsExactly(Access.INSERT, Access.UPDATE, Access.UPDATE);
    assertThat(writes.get(1).writesSeen()).isTrue();
    assertThat(writes.get(1).rows().stream().filter(row -> row.access() == Access.READ)).hasSize(3);
    assertThat(accesses(writes.get(2))).containsExactly(Access.DELETE);
    assertThat(stock.events(Event.Gap.class)).isEmpty();
  }

  static Stream<ServerKind> kindsWithReplace() {
    return kinds().filter(WrittenRowsTest::mysql);
  }

  @ParameterizedTest
  @MethodSource("kindsWithReplace")
  void ofReplaces(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("REPLACE INTO stock VALUES (7, 7)");
      connection.commit();
      statement.executeUpdate("REPLACE INTO stock VALUES (1, 7)"); // nothing was read before
      connection.commit();
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.executeUpdate("REPLACE INTO stock VALUES (1, 8), (2, 8), (9, 9)");
      connection.commit();
    }
    List<Event.StatementExecuted> writes = writes(stock);
    assertThat(accesses(writes.get(0))).containsExactly(Access.INSERT);
    assertThat(accesses(writes.get(1))).containsExactly(Access.INSERT);
    assertThat(accesses(writes.get(2)))
        .containsExactly(Access.INSERT, Access.INSERT, Access.INSERT);
    assertThat(stock.events(Event.Gap.class)).hasSize(2);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void ofDeletes(ServerKind kind) throws SQLException {
    TestDatabase stock = stock(kind);
    try (Connection connection = watched(stock);
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      assertThat(statement.executeUpdate("DELETE FROM stock WHERE n >= 20")).isEqualTo(2);
      assertThat(statement.executeUpdate("DELETE FROM stock WHERE n >= 20")).isZero();
      connection.commit();
    }
    List<Event.StatementExecuted> writes = writes(stock);
    assertThat(accesses(writes.get(0))).containsExactly(Access.DELETE, Access.DELETE);
    assertThat(accesses(writes.get(1))).isEmpty();
    // A plain read before it may have seen another version, where the DELETE does not show it.
    assertThat(writes.get(0).rows()).allMatch(row -> row.certain() != (kind == ServerKind.MYSQL));
  }
}
