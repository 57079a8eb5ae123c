package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What an INSERT … SELECT has read, read after it where a read before it would be noticed: on
 * InnoDB at REPEATABLE READ it would fix a snapshot, on SQLite it could not become a write.
 */
class LaterReadsTest {

  private static final Settings ITEMS = Settings.of(Map.of(Setting.INSTRUMENT, "items"));

  private static final Settings PREDICATES = Settings.of(Map.of(Setting.INSTRUMENT, "predicates"));

  static Stream<ServerKind> innodb() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MYSQL || kind == ServerKind.MARIADB);
  }

  private static TestDatabase bank(ServerKind kind) throws SQLException {
    return TestDatabase.of(
        kind,
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "CREATE TABLE other (id INT PRIMARY KEY, balance INT)",
        "INSERT INTO account VALUES (1, 100), (2, 200)",
        "INSERT INTO other VALUES (1, 1)");
  }

  private static List<RowAccess> rows(TestDatabase bank, StatementKind kind, Access access) {
    return bank.statements().stream()
        .filter(statement -> statement.kind() == kind)
        .flatMap(statement -> statement.rows().stream())
        .filter(row -> row.access() == access)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("innodb")
  void sideReadsTakeNoSnapshotBeforeTheApplication(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched(bank.raw(), ITEMS);
        Connection beside = bank.raw();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO other (id, balance) SELECT id + 10, balance FROM account");
      TestDatabase.execute(beside, "UPDATE other SET balance = 7 WHERE id = 1");
      statement.execute("DELETE FROM other WHERE id = 99");
      try (ResultSet row = statement.executeQuery("SELECT balance FROM other WHERE id = 1")) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isEqualTo(7);
      }
      connection.commit();
    }
    assertThat(rows(bank, StatementKind.INSERT, Access.READ))
        .hasSize(2)
        .allMatch(row -> row.table().equals("account") && !row.certain());
  }

  @ParameterizedTest
  @MethodSource("innodb")
  void versionsThatTheTransactionMayHaveOverwrittenAreNotRecorded(ServerKind kind)
      throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched(bank.raw(), ITEMS)) {
      connection.setAutoCommit(false);
      TestDatabase.execute(
          connection,
          "INSERT INTO other (id, balance) SELECT id + 10, balance FROM account",
          "UPDATE account SET balance = 0 WHERE id = 2");
      connection.commit();
    }
    assertThat(rows(bank, StatementKind.INSERT, Access.READ)).isEmpty();
    assertThat(bank.events(Event.Gap.class))
        .filteredOn(gap -> gap.detail().contains("came too late"))
        .singleElement()
        .satisfies(gap -> assertThat(gap.reason()).isEqualTo(GapReason.SHAPE));
  }

  @ParameterizedTest
  @MethodSource("innodb")
  void rowsWrittenByTheStatementAreNotItsReads(ServerKind kind) throws SQLException {
    TestDatabase bank = bank(kind);
    try (Connection connection = bank.watched(bank.raw(), ITEMS)) {
      connection.setAutoCommit(false);
      TestDatabase.execute(
          connection, "INSERT INTO account (id, balance) SELECT id + 10, balance FROM account");
      connection.commit();
    }
    assertThat(rows(bank, StatementKind.INSERT, Access.READ)).hasSize(2);
    assertThat(rows(bank, StatementKind.INSERT, Access.INSERT)).hasSize(2);
  }

  /** A query that the optimizer answers by itself fixes no snapshot, nor may its version set. */
  @ParameterizedTest
  @MethodSource("innodb")
  void versionSetHasNoLaterWriteOfItsTransaction(ServerKind kind) throws SQLException {
    for (int updates = 0; updates < 4; updates++) {
      TestDatabase bank = bank(kind);
      try (Connection other = bank.watched(bank.raw(), PREDICATES);
          Connection connection = bank.watched(bank.raw(), PREDICATES)) {
        TestDatabase.execute(other, "UPDATE account SET balance = 5 WHERE id = 1");
        connection.setAutoCommit(false);
        TestDatabase.execute(connection, "SELECT balance FROM account WHERE 1 = 0");
        for (int i = 0; i < updates; i++) {
          TestDatabase.execute(connection, "UPDATE account SET balance = " + i + " WHERE id = 1");
        }
        TestDatabase.execute(connection, "INSERT INTO account VALUES (3, 300)");
        connection.commit();
      }
      long writer = bank.statements().get(0).transaction();
      List<Event.StatementExecuted> recorded =
          bank.statements().stream().filter(s -> s.kind() == StatementKind.SELECT).toList();
      assertThat(recorded).hasSize(1);
      boolean cutOff = updates > 1;
      assertThat(recorded.get(0).versionSets()).hasSize(cutOff ? 0 : 1);
      for (VersionSet set : recorded.get(0).versionSets()) {
        assertThat(List.of(set.transaction(0), set.transaction(1))).containsExactly(writer, 0L);
        assertThat(set.size()).isEqualTo(2);
      }
      assertThat(bank.events(Event.Gap.class))
          .extracting(Event.Gap::reason)
          .filteredOn(reason -> reason == GapReason.NO_VERSION_SET)
          .hasSizeGreaterThanOrEqualTo(cutOff ? 1 : 0);
    }
  }
}
