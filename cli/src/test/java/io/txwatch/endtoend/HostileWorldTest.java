package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Failures around a watched application: it behaves as it would unwatched, and the coverage reports
 * what was not observed.
 */
class HostileWorldTest {

  @Test
  void tableWithoutPrivilegesOnTheAuxiliaryColumns(@TempDir Path folder) throws Exception {
    String owner = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(owner);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 200)");
      Watched.prepare(connection);
      statement.execute("DROP ROLE IF EXISTS txw_clerk");
      statement.execute("CREATE ROLE txw_clerk LOGIN");
      statement.execute("GRANT SELECT (id, balance), INSERT (id, balance) ON account TO txw_clerk");
      statement.execute("GRANT UPDATE (balance), DELETE ON account TO txw_clerk");
    }
    String clerk = owner.replaceFirst("user=\\w+", "user=txw_clerk");
    List<String> sql =
        List.of(
            "SELECT id, balance FROM account ORDER BY id",
            "UPDATE account SET balance = balance + 1 WHERE id = 1",
            "INSERT INTO account (id, balance) VALUES (3, 300)",
            "DELETE FROM account WHERE id = 3",
            "SELECT balance FROM account WHERE id = 1 FOR UPDATE");
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection raw = DriverManager.getConnection(clerk);
        Connection connection = watched.connect(clerk)) {
      List<String> seenRaw = StatementResults.inTransaction(raw, sql);
      assertThat(StatementResults.inTransaction(connection, sql)).isEqualTo(seenRaw);
    }

    assertThat(watched.analysedAfterwards().coverage().gaps())
        .containsOnlyKeys(GapReason.NO_RIGHTS)
        .containsEntry(GapReason.NO_RIGHTS, 5L);
  }

  @Test
  void unparsableSql(@TempDir Path folder) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.POSTGRESQL);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 200)");
      Watched.prepare(connection);
    }
    List<String> sql =
        List.of(
            "SELEKT balance FROM account",
            "FROM account SELECT balance",
            "SELECT balance FROM account WHERE",
            "SELECT 'unterminated FROM account",
            "SELECT balance /* unterminated FROM account",
            "UPDATE account SET balance = = 3",
            "\u0000",
            "",
            ";;",
            "SELECT id, balance FROM account ORDER BY id");
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection raw = DriverManager.getConnection(url);
        Connection connection = watched.connect(url)) {
      assertThat(StatementResults.of(connection, sql)).isEqualTo(StatementResults.of(raw, sql));
    }

    assertThat(watched.events())
        .filteredOn(Event.StatementExecuted.class::isInstance)
        .last()
        .satisfies(event -> assertThat(((Event.StatementExecuted) event).rows()).hasSize(2));
    assertThat(watched.reported()).isEmpty();
  }

  @Test
  void serverStopsWithinATransaction(@TempDir Path folder) throws Exception {
    List<String> sql =
        List.of("SELECT balance FROM account", "UPDATE account SET balance = 1", "SELECT 1");
    Watched watched;
    List<String> seenRaw;
    List<String> seenWatched;
    SQLException commitRaw;
    SQLException commitWatched;
    try (PostgresServer server = PostgresServer.start()) {
      String url = server.newDatabase("stopping");
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
        statement.execute("INSERT INTO account VALUES (1, 100)");
        Watched.prepare(connection);
      }
      watched = new Watched(folder, Map.of());
      try (watched;
          Connection raw = DriverManager.getConnection(url);
          Connection connection = watched.connect(url);
          Connection otherRaw = DriverManager.getConnection(url);
          Connection other = watched.connect(url)) {
        for (Connection each : List.of(raw, connection, otherRaw, other)) {
          each.setAutoCommit(false);
          StatementResults.of(each, List.of("SELECT balance FROM account WHERE id = 1"));
        }
        server.close();
        seenRaw = StatementResults.of(raw, sql);
        seenWatched = StatementResults.of(connection, sql);
        commitRaw = catchThrowableOfType(SQLException.class, otherRaw::commit);
        commitWatched = catchThrowableOfType(SQLException.class, other::commit);
      }
    }

    assertThat(seenWatched).isEqualTo(seenRaw);
    assertThat(commitWatched.getClass()).isEqualTo(commitRaw.getClass());
    assertThat(commitWatched.getSQLState()).isEqualTo(commitRaw.getSQLState());
    assertThat(watched.events())
        .filteredOn(Event.TransactionEnded.class::isInstance)
        .extracting(event -> ((Event.TransactionEnded) event).outcome())
        .hasSize(2)
        .doesNotContain(Outcome.COMMITTED)
        .contains(Outcome.UNKNOWN);
    assertThat(watched.reported()).isEmpty();
  }

  @Test
  void unknownSettingIsReportedWithTheNearestOne(@TempDir Path folder) throws SQLException {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Watched watched = new Watched(folder, Map.of("txwatch.instrumentt", "inline"));
    assertThatThrownBy(() -> watched.connect(url))
        .isInstanceOf(SQLException.class)
        .hasMessageContaining("txwatch.instrumentt")
        .hasMessageContaining("did you mean txwatch.instrument?");
  }
}
