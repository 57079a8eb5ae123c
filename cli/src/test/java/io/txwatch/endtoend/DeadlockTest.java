package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Deadlocks on each DBMS that has them: both sides, or one if the other is not watched. */
class DeadlockTest {

  private static final int REPETITIONS = Integer.getInteger("deadlock.repetitions", 10);

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static String create(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      update(connection, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      for (int id = 1; id <= 2 * REPETITIONS + 1; id++) {
        update(connection, "INSERT INTO account VALUES (" + id + ", 0)");
      }
    }
    return url;
  }

  private static void update(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private static void add(Connection connection, int amount, int id) throws SQLException {
    update(connection, "UPDATE account SET balance = balance + " + amount + " WHERE id = " + id);
  }

  /**
   * Writes two rows, the first one before the barrier.
   *
   * @return 1 if it was rolled back, else 0
   */
  private static int write(Connection connection, int amount, int first, int then, CyclicBarrier at)
      throws Exception {
    try {
      add(connection, amount, first);
      at.await(20, TimeUnit.SECONDS);
      add(connection, amount, then);
      connection.commit();
      return 0;
    } catch (SQLException e) {
      connection.rollback();
      return 1;
    }
  }

  private static int race(Connection one, Connection other, int row) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    CompletableFuture<Integer> second =
        CompletableFuture.supplyAsync(() -> writeUnchecked(other, row, barrier));
    int deadlocks = write(one, 1, row, row + 1, barrier);
    return deadlocks + second.get(20, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void bothSidesAreReported(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    int deadlocks = 0;
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url);
        Connection bystander = watched.connect(url)) {
      for (Connection connection : List.of(one, other, bystander)) {
        if (kind == ServerKind.POSTGRESQL) {
          update(connection, "SET deadlock_timeout = '50ms'");
        }
        connection.setAutoCommit(false);
      }
      for (int i = 0; i < REPETITIONS; i++) {
        add(bystander, 5, 2 * REPETITIONS + 1);
        deadlocks += race(one, other, 2 * i + 1);
        bystander.rollback();
      }
    }
    assertThat(deadlocks).isGreaterThanOrEqualTo(REPETITIONS);
    List<ReportedAnomaly> found = watched.reported();
    assertThat(found).hasSize(deadlocks);
    found.forEach(
        anomaly -> {
          JsonNode json = anomaly.json();
          assertThat(json.get("phenomenon").asText()).isEqualTo("DEADLOCK");
          assertThat(json.get("verdict").asText()).isEqualTo("DEADLOCK");
          JsonNode failed = json.get("transactions").get(0);
          JsonNode other = json.get("transactions").get(1);
          int row =
              Integer.parseInt(failed.toString().replaceAll("(?s).*?WHERE id = (\\d+).*", "$1"));
          row -= 1 - row % 2;
          boolean isFirst = failed.toString().contains("balance + 1 ");
          assertThat(texts(failed)).containsExactlyElementsOf(expected(isFirst, row));
          assertThat(texts(other)).containsExactlyElementsOf(expected(!isFirst, row));
          assertThat(failed.get("outcome").asText()).isEqualTo("ABORTED");
          assertThat(waits(json)).containsExactly("2 1", "2 1");
          assertThat(json.toString()).contains("DeadlockTest.java:");
        });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void oneSideIsReportedIfTheOtherIsNotWatched(ServerKind kind, @TempDir Path folder)
      throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    int deadlocks = 0;
    try (watched;
        Connection one = watched.connect(url);
        Connection other = DriverManager.getConnection(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      if (kind == ServerKind.POSTGRESQL) { // the session that looks for a deadlock is rolled back
        other.createStatement().execute("SET deadlock_timeout = '1min'");
        other.commit();
      }
      for (int i = 0; i < REPETITIONS && deadlocks == 0; i++) {
        deadlocks += victims(one, other, 2 * i + 1);
      }
    }
    assertThat(watched.reported())
        .hasSize(1)
        .allSatisfy(
            anomaly -> {
              JsonNode other = anomaly.json().get("transactions").get(1);
              assertThat(other.get("statements")).isEmpty();
              assertThat(other.get("session").asText())
                  .isEqualTo(kind == ServerKind.H2 ? "not known" : "a session that is not watched");
              assertThat(texts(anomaly.json().get("transactions").get(0))).hasSize(2);
            });
  }

  /** 1 if the first one was rolled back. */
  private static int victims(Connection one, Connection other, int row) throws Exception {
    CyclicBarrier barrier = new CyclicBarrier(2);
    CompletableFuture<Integer> second =
        CompletableFuture.supplyAsync(() -> writeUnchecked(other, row, barrier));
    int failed = write(one, 1, row, row + 1, barrier);
    second.get(20, TimeUnit.SECONDS);
    return failed;
  }

  private static int writeUnchecked(Connection connection, int row, CyclicBarrier barrier) {
    try {
      return write(connection, 2, row + 1, row, barrier);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void withoutThePrivilegeTheOtherSideIsPossible(ServerKind kind, @TempDir Path folder)
      throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    String url = WaitsTest.asPlainUser(create(kind));
    Watched watched = new Watched(folder, Map.of());
    int deadlocks = 0;
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      for (int i = 0; i < REPETITIONS; i++) {
        deadlocks += race(one, other, 2 * i + 1);
      }
    }
    assertThat(watched.reported())
        .hasSize(deadlocks)
        .allSatisfy(
            anomaly -> {
              assertThat(anomaly.json().get("possible").asBoolean()).isTrue();
              JsonNode transactions = anomaly.json().get("transactions");
              assertThat(texts(transactions.get(0))).hasSize(2);
              assertThat(texts(transactions.get(1))).hasSize(2);
            });
  }

  @Test
  void failureOfSerializationIsNoDeadlock(@TempDir Path folder) throws Exception {
    String url = create(ServerKind.POSTGRESQL);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      for (Connection connection : List.of(one, other)) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        add(connection, 1, connection == one ? 1 : 2);
      }
      other.commit();
      assertThatThrownBy(() -> add(one, 1, 2))
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(error.getSQLState()).isEqualTo("40001"));
      one.rollback();
    }
    assertThat(watched.reported()).isEmpty();
  }

  private static List<String> texts(JsonNode transaction) {
    List<String> texts = new ArrayList<>();
    transaction.get("statements").forEach(statement -> texts.add(statement.get("sql").asText()));
    return texts;
  }

  private static List<String> expected(boolean isFirst, int row) {
    String text = "UPDATE account SET balance = balance + " + (isFirst ? 1 : 2) + " WHERE id = ";
    return isFirst ? List.of(text + row, text + (row + 1)) : List.of(text + (row + 1), text + row);
  }

  private static List<String> waits(JsonNode anomaly) {
    List<String> waits = new ArrayList<>();
    anomaly
        .get("cycle")
        .forEach(
            edge ->
                waits.add(
                    edge.get("fromStatement").asText() + " " + edge.get("toStatement").asText()));
    return waits;
  }
}
