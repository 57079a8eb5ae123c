package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * InnoDB at REPEATABLE READ reads in a snapshot and deletes in the newest versions. Which rows a
 * DELETE passed over for that reason is recorded at level {@code predicates}, and nothing else is.
 */
class PassedOverTest {

  private static final String CHANGE = "UPDATE account SET balance = 25 WHERE balance = 20";
  private static final String INSERT = "INSERT INTO account VALUES (9, 20)";

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(kind -> kind == ServerKind.MARIADB || kind == ServerKind.MYSQL);
  }

  /** A step: {@code s1} and a statement by the watched session, {@code s2} by another. */
  private static List<String> passedOver(ServerKind kind, int level, String... steps)
      throws SQLException {
    TestDatabase bank =
        TestDatabase.of(
            kind,
            "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
            "INSERT INTO account VALUES (1, 10), (2, 20), (3, 20)");
    try (Connection connection =
            bank.watched(bank.raw(), Settings.of(Map.of(Setting.INSTRUMENT, "predicates")));
        Connection other = bank.raw();
        Statement mine = connection.createStatement();
        Statement others = other.createStatement()) {
      connection.setTransactionIsolation(level);
      connection.setAutoCommit(false);
      Savepoint savepoint = null;
      for (String step : steps) {
        String sql = step.substring(3);
        switch (sql) {
          case "SAVEPOINT" -> savepoint = connection.setSavepoint();
          case "ROLLBACK" -> connection.rollback(java.util.Objects.requireNonNull(savepoint));
          default -> send(step.startsWith("s1") ? mine : others, sql);
        }
      }
      connection.commit();
    }
    List<String> recorded = new ArrayList<>();
    for (Event.StatementExecuted statement : bank.statements()) {
      statement.rows().stream()
          .filter(row -> row.access() == Access.SKIPPED_BY_DELETE)
          .forEach(row -> recorded.add(statement.kind() + " " + row.row() + " " + row.certain()));
    }
    return recorded;
  }

  private static void send(Statement statement, String sql) throws SQLException {
    if (statement.execute(sql)) {
      try (ResultSet rows = statement.getResultSet()) {
        while (rows.next()) {
          rows.getInt(1); // what is read proves that there is a snapshot
        }
      }
    }
  }

  private static final int RC = Connection.TRANSACTION_READ_COMMITTED;
  private static final int RR = Connection.TRANSACTION_REPEATABLE_READ;

  @ParameterizedTest
  @MethodSource("kinds")
  void rowsChangedSinceTheSnapshotAreRecorded(ServerKind kind) throws SQLException {
    String read = "s1 SELECT * FROM account WHERE id = 1";
    String delete = "s1 DELETE FROM account WHERE balance = 20";
    assertThat(passedOver(kind, RR, read, "s2 " + CHANGE, delete)).hasSize(2);
    assertThat(passedOver(kind, RR, read, "s2 " + CHANGE, delete, "s1 SELECT 1", read)).hasSize(2);
    assertThat(passedOver(kind, RR, read, "s2 DELETE FROM account WHERE id = 2", delete))
        .hasSize(1);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void nothingIsRecordedWhereSnapshotAndDeleteAgree(ServerKind kind) throws SQLException {
    String read = "s1 SELECT * FROM account WHERE id = 1";
    String delete = "s1 DELETE FROM account WHERE balance = 20";
    assertThat(passedOver(kind, RR, read, delete)).isEmpty();
    assertThat(passedOver(kind, RR, read, "s2 " + INSERT, delete)).isEmpty();
    assertThat(passedOver(kind, RR, read, "s1 " + CHANGE, delete, "s1 " + INSERT)).isEmpty();
    assertThat(passedOver(kind, RR, delete, "s1 " + INSERT, read)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void nothingIsRecordedWithoutAnEarlierSnapshot(ServerKind kind) throws SQLException {
    String read = "s1 SELECT * FROM account WHERE id = 1";
    String delete = "s1 DELETE FROM account WHERE balance = 20";
    assertThat(passedOver(kind, RR, "s2 " + CHANGE, delete, read)).isEmpty();
    assertThat(passedOver(kind, RC, read, "s2 " + CHANGE, delete, "s2 " + INSERT)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void nothingIsRecordedOfRowsThatTheTransactionMayHaveWritten(ServerKind kind)
      throws SQLException {
    // What the savepoint gives back matches again, and was deleted.
    assertThat(
            passedOver(
                kind,
                RR,
                "s1 SELECT * FROM account WHERE id = 1",
                "s1 SAVEPOINT",
                "s1 DELETE FROM account WHERE balance = 20",
                "s1 ROLLBACK"))
        .isEmpty();
  }
}
