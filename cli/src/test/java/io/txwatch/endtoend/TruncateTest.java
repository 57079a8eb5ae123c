package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * TRUNCATE removes all rows and reports none: it passes through and is counted. Earlier reads of
 * the removed rows cause no anomaly, and the refilled table is watched as before.
 */
class TruncateTest {

  private static final List<String> LEVELS = List.of("inline", "predicates");

  static Stream<ServerKind> kinds() {
    return TestServers.kinds().filter(kind -> kind != ServerKind.SQLITE);
  }

  private static String bank(ServerKind kind, boolean prepared) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account VALUES (1, 100), (2, 200)");
      if (prepared) {
        Watched.prepare(connection);
      }
    }
    return url;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void applicationSeesTheSameAsUnwatched(ServerKind kind, @TempDir Path folder) throws Exception {
    List<String> sql =
        List.of(
            "UPDATE account SET balance = balance + 1 WHERE id = 1",
            "TRUNCATE TABLE account",
            "SELECT id, balance FROM account ORDER BY id",
            "TRUNCATE account",
            "INSERT INTO account VALUES (1, 10), (3, 30)",
            "UPDATE account SET balance = balance + 1 WHERE id = 1",
            "SELECT * FROM account ORDER BY id",
            kind == ServerKind.MYSQL || kind == ServerKind.MARIADB
                ? "TRUNCATE account"
                : "TRUNCATE TABLE account RESTART IDENTITY",
            "INSERT INTO account SELECT 4, 40",
            "SELECT COUNT(*) FROM account");
    for (String level : LEVELS) {
      String watchedUrl = bank(kind, true);
      Watched watched =
          new Watched(
              Files.createDirectory(folder.resolve(level)), Map.of("txwatch.instrument", level));
      try (watched;
          Connection raw = DriverManager.getConnection(bank(kind, false));
          Connection connection = watched.connect(watchedUrl)) {
        assertThat(StatementResults.of(connection, sql)).isEqualTo(StatementResults.of(raw, sql));
        assertThat(StatementResults.inTransaction(connection, sql))
            .isEqualTo(StatementResults.inTransaction(raw, sql));
        connection.setAutoCommit(true);
        raw.setAutoCommit(true);
        String last = "SELECT * FROM account ORDER BY id";
        assertThat(StatementResults.of(connection, List.of(last)))
            .isEqualTo(StatementResults.of(raw, List.of(last)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void noAnomalyIsReportedAndTheTableIsWatchedAgain(ServerKind kind, @TempDir Path folder)
      throws Exception {
    String url = bank(kind, true);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      for (Connection each : List.of(one, other)) {
        each.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        each.setAutoCommit(false);
      }
      read(one);
      write(one, 1);
      one.commit();
      for (int round = 0; round < 3; round++) {
        read(one);
        one.commit();
        execute(other, "TRUNCATE TABLE account");
        other.commit();
        read(one);
        execute(one, "INSERT INTO account VALUES (1, 100)");
        read(one);
        one.commit();
        read(other);
        write(other, 1);
        other.commit();
      }
      // A rolled back TRUNCATE removed nothing, except where it cannot be rolled back.
      execute(other, "TRUNCATE TABLE account");
      other.rollback();
      if (!read(one)) {
        execute(one, "INSERT INTO account VALUES (1, 100)");
      }
      one.commit();
      // Now an update is lost.
      read(one);
      read(other);
      write(other, 2);
      other.commit();
      write(one, 3);
      one.commit();
      read(one);
      one.commit();
    }

    List<Event.StatementExecuted> statements =
        watched.events().stream()
            .filter(Event.StatementExecuted.class::isInstance)
            .map(Event.StatementExecuted.class::cast)
            .toList();
    Event.StatementExecuted losing = statements.get(statements.size() - 2);
    Event.StatementExecuted lost = statements.get(statements.size() - 3);
    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.phenomenon()).isEqualTo("LOST_UPDATE");
              assertThat(anomaly.transactions())
                  .containsExactlyInAnyOrder(
                      Ids.display(losing.transaction()), Ids.display(lost.transaction()));
            });
    assertThat(watched.analysedAfterwards().anomalies()).isEqualTo(watched.reported());
    assertThat(watched.analysedAfterwards().coverage().gaps())
        .containsOnlyKeys(GapReason.OPAQUE)
        .containsEntry(GapReason.OPAQUE, 4L);
    assertThat(statements.get(statements.size() - 1).rows())
        .singleElement()
        .extracting(RowAccess::access)
        .isEqualTo(Access.READ);
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean read(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      return row.next();
    }
  }

  private static void write(Connection connection, int balance) throws SQLException {
    execute(connection, "UPDATE account SET balance = " + balance + " WHERE id = 1");
  }
}
