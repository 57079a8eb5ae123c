package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.servers.ServerKind;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PostgreSQL and H2 at READ COMMITTED: a DELETE that waited skips rows that stopped to match and
 * misses rows that began to. Both are recorded at level {@code predicates}, and nothing else is.
 */
class RowsThatADeleteLeavesTest {

  private static final int RC = Connection.TRANSACTION_READ_COMMITTED;
  private static final int RR = Connection.TRANSACTION_REPEATABLE_READ;
  private static final String DELETE = "DELETE FROM website WHERE hits = 10";

  private static final String[] WEBSITE = {
    "CREATE TABLE website (id INT PRIMARY KEY, hits INT)",
    "INSERT INTO website VALUES (1, 9), (2, 10)"
  };

  private static Settings settings() {
    return Settings.of(Map.of(Setting.INSTRUMENT, "predicates"));
  }

  /** The rows that a DELETE left, of which something is recorded. */
  private static List<Access> left(TestDatabase database) {
    List<Access> recorded = new ArrayList<>();
    for (Event.StatementExecuted statement : database.statements()) {
      for (RowAccess row : statement.rows()) {
        if (row.access().isEvidenceOfDelete()) {
          recorded.add(row.access());
        }
      }
    }
    return recorded;
  }

  @ParameterizedTest
  @ValueSource(strings = {"POSTGRESQL", "H2"})
  void waitingDeleteSkipsAndMisses(ServerKind kind) throws Exception {
    TestDatabase database = TestDatabase.of(kind, WEBSITE);
    try (Connection connection = database.watched(database.raw(), settings());
        Connection other = database.raw();
        Statement mine = connection.createStatement();
        Statement others = other.createStatement()) {
      connection.setTransactionIsolation(RC);
      connection.setAutoCommit(false);
      other.setAutoCommit(false);
      others.execute("UPDATE website SET hits = hits + 1");
      CompletableFuture<Integer> deleted =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return mine.executeUpdate(DELETE);
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      await().until(() -> isBlocked(kind, others));
      other.commit();
      assertThat(deleted.get(30, TimeUnit.SECONDS)).isZero();
      connection.commit();
    }
    assertThat(left(database))
        .containsExactlyInAnyOrder(Access.SKIPPED_BY_DELETE, Access.MISSED_BY_DELETE);
  }

  private static boolean isBlocked(ServerKind kind, Statement statement) throws SQLException {
    String sql =
        kind == ServerKind.H2
            ? "SELECT COUNT(BLOCKER_ID) FROM INFORMATION_SCHEMA.SESSIONS"
            : "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + " AND datname = current_database()";
    try (ResultSet row = statement.executeQuery(sql)) {
      return row.next() && row.getInt(1) > 0;
    }
  }

  /** What one session leaves that runs alone. */
  private static List<Access> leftAlone(TestDatabase database, int level, String... steps)
      throws SQLException {
    try (Connection connection = database.watched(database.raw(), settings());
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(level);
      connection.setAutoCommit(false);
      for (String step : steps) {
        statement.execute(step);
      }
      connection.commit();
    }
    return left(database);
  }

  @ParameterizedTest
  @ValueSource(strings = {"POSTGRESQL", "H2"})
  void nothingIsLeftAlone(ServerKind kind) throws SQLException {
    for (int level : new int[] {RC, RR}) {
      TestDatabase database = TestDatabase.of(kind, WEBSITE);
      assertThat(
              leftAlone(
                  database,
                  level,
                  "UPDATE website SET hits = 10",
                  DELETE,
                  "INSERT INTO website VALUES (3, 10)",
                  "SAVEPOINT s",
                  DELETE,
                  "ROLLBACK TO SAVEPOINT s",
                  "DELETE FROM website"))
          .isEmpty();
    }
  }

  /** What keeps rows that a DELETE matches is no evidence of another transaction. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
            + " CREATE TRIGGER keep BEFORE DELETE ON website FOR EACH ROW EXECUTE FUNCTION keep()",
        "CREATE RULE keep AS ON DELETE TO website DO INSTEAD NOTHING"
      })
  void rowsThatTheTableKeepsAreNotRecorded(String kept) throws SQLException {
    TestDatabase database = TestDatabase.of(ServerKind.POSTGRESQL, WEBSITE);
    try (Connection raw = database.raw()) {
      TestDatabase.execute(raw, kept);
    }
    assertThat(leftAlone(database, RC, DELETE)).isEmpty();
  }

  @Test
  void batchesAndAutocommitAreNotRecorded() throws SQLException {
    TestDatabase database = TestDatabase.of(ServerKind.POSTGRESQL, WEBSITE);
    try (Connection connection = database.watched(database.raw(), settings());
        PreparedStatement delete =
            connection.prepareStatement("DELETE FROM website WHERE hits = ?")) {
      delete.setInt(1, 10);
      delete.executeUpdate();
      connection.setAutoCommit(false);
      delete.setInt(1, 9);
      delete.addBatch();
      delete.setInt(1, 10);
      delete.addBatch();
      delete.executeBatch();
      connection.commit();
    }
    assertThat(left(database)).isEmpty();
  }
}
