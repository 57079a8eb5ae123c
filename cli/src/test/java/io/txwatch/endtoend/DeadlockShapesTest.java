package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Deadlocks of other shapes: a side whose statement is not certain has none, never a wrong one. */
class DeadlockShapesTest {

  private static final String WRITE = "UPDATE account SET balance = balance + 1 WHERE id = ";

  private final List<Connection> connections = new ArrayList<>();
  @TempDir private Path folder = Path.of("");
  private Watched watched = new Watched(folder, Map.of());
  private String url = "";

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  @BeforeEach
  void watch() {
    watched = new Watched(folder, Map.of());
  }

  @AfterEach
  void close() throws Exception {
    for (Connection connection : connections) {
      connection.close();
    }
  }

  private void create(ServerKind kind, int sessions) throws SQLException {
    assumeThat(TestServers.missing(kind)).isEmpty();
    url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      run(connection, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      run(connection, "INSERT INTO account VALUES (1, 0), (2, 0), (3, 0), (4, 0)");
    }
    for (int i = 0; i < sessions; i++) {
      Connection connection = watched.connect(url);
      connections.add(connection);
      if (kind == ServerKind.POSTGRESQL) { // the first one is ended
        run(connection, "SET deadlock_timeout = '" + (i == 0 ? "1s" : "60s") + "'");
      }
      connection.setAutoCommit(false);
    }
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Something that may end by a deadlock. */
  private interface Work {
    void run() throws Exception;
  }

  /** Works and commits, and rolls back if that fails. */
  private static CompletableFuture<Void> start(Connection connection, Work work) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            try {
              work.run();
              connection.commit();
            } catch (SQLException e) {
              connection.rollback();
            }
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
  }

  private List<JsonNode> reported() throws Exception {
    close();
    watched.close();
    return watched.reported().stream().map(ReportedAnomaly::json).toList();
  }

  /** The statement of a transaction at which it waited; empty if none is named. */
  private static String waited(JsonNode anomaly, int side) {
    JsonNode transaction = anomaly.get("transactions").get(side);
    int number = anomaly.get("cycle").get(side).get("fromStatement").asInt();
    for (JsonNode statement : transaction.get("statements")) {
      if (statement.get("seq").asInt() == number) {
        return statement.get("sql").asText();
      }
    }
    return "";
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void cycleOfThree(ServerKind kind) throws Exception {
    create(kind, 3);
    for (int i = 0; i < 3; i++) {
      run(connections.get(i), WRITE + (i + 1));
    }
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      Connection one = connections.get(i);
      String next = WRITE + ((i + 1) % 3 + 1) + " /* MySQL thread id " + i + " */";
      all.add(start(one, () -> run(one, next)));
      Thread.sleep(100);
    }
    for (CompletableFuture<Void> one : all) {
      one.get();
    }
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    for (JsonNode json : found) {
      assertThat(json.get("transactions")).hasSize(kind == ServerKind.H2 ? 2 : 3);
      if (kind == ServerKind.H2) {
        continue;
      }
      for (int side = 0; side < 3; side++) {
        int held = written(json.get("transactions").get(side).get("statements").get(0));
        assertThat(waited(json, side)).startsWith(WRITE + (held % 3 + 1));
        int next = written(json.get("transactions").get((side + 1) % 3).get("statements").get(0));
        assertThat(next).isEqualTo(held % 3 + 1);
      }
    }
  }

  private static int written(JsonNode statement) {
    return Integer.parseInt(statement.get("sql").asText().replaceAll(".* = (\\d).*", "$1"));
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MYSQL", "MARIADB"})
  void sharedLocksOfOneRow(ServerKind kind) throws Exception {
    create(kind, 2);
    String share = kind == ServerKind.POSTGRESQL ? " FOR SHARE" : " LOCK IN SHARE MODE";
    for (Connection one : connections) {
      run(one, "SELECT balance FROM account WHERE id = 1" + share);
    }
    CompletableFuture<Void> first =
        start(connections.get(0), () -> run(connections.get(0), WRITE + 1));
    Thread.sleep(200);
    CompletableFuture<Void> second =
        start(connections.get(1), () -> run(connections.get(1), WRITE + 1));
    first.get();
    second.get();
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    for (JsonNode json : found) {
      assertThat(waited(json, 0)).isEqualTo(WRITE + 1);
      assertThat(waited(json, 1)).isEqualTo(WRITE + 1);
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void batches(ServerKind kind) throws Exception {
    create(kind, 2);
    List<CompletableFuture<Void>> all = new ArrayList<>();
    run(connections.get(0), WRITE + 1);
    run(connections.get(1), WRITE + 2);
    for (int i = 0; i < 2; i++) {
      Connection one = connections.get(i);
      int other = 2 - i;
      all.add(
          start(
              one,
              () -> {
                if (other == 1) {
                  run(one, WRITE + 4);
                }
                try (PreparedStatement batch =
                    one.prepareStatement("UPDATE account SET balance = balance + 1 WHERE id = ?")) {
                  for (int id : new int[] {3 + extra(other), other, 3 + extra(other)}) {
                    batch.setInt(1, id);
                    batch.addBatch();
                  }
                  batch.executeBatch();
                }
              }));
      Thread.sleep(200);
    }
    for (CompletableFuture<Void> one : all) {
      one.get();
    }
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    for (JsonNode json : found) {
      boolean isFirst = json.get("transactions").get(0).toString().contains(WRITE + 1);
      assertThat(json.get("cycle").get(0).get("fromStatement").asInt()).isEqualTo(isFirst ? 3 : 4);
      assertThat(waited(json, 1)).isEmpty();
    }
  }

  private static int extra(int other) {
    return other == 1 ? 1 : 0;
  }

  /** The one that fails learns so late, by a handler, that the other one executes its next. */
  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void errorThatArrivesLate(ServerKind kind) throws Exception {
    create(kind, 2);
    try (Connection plain = DriverManager.getConnection(url)) {
      run(
          plain,
          "CREATE PROCEDURE late(wanted INT) BEGIN DECLARE EXIT HANDLER FOR 1213"
              + " BEGIN DO SLEEP(0.7); RESIGNAL; END;"
              + " UPDATE account SET balance = balance + 1 WHERE id = wanted; END");
    }
    Connection late = connections.get(0);
    Connection other = connections.get(1);
    run(late, WRITE + 1);
    for (int i = 0; i < 20; i++) { // InnoDB ends the one that has changed less
      run(other, "INSERT INTO account VALUES (" + (10 + i) + ", 0)");
    }
    run(other, WRITE + 2);
    CompletableFuture<Void> first = start(late, () -> run(late, "CALL late(2)"));
    Thread.sleep(200);
    run(other, WRITE + 1);
    run(other, "SELECT SLEEP(1.5), id FROM account WHERE id = 3 FOR UPDATE");
    first.get();
    other.commit();
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    for (JsonNode json : found) {
      assertThat(waited(json, 1)).doesNotContain("SLEEP(1.5)");
    }
  }

  /** The other side waits in COMMIT, for a constraint that is checked there. */
  @Test
  void commitThatWaits() throws Exception {
    create(ServerKind.POSTGRESQL, 2);
    try (Connection plain = DriverManager.getConnection(url)) {
      run(plain, "CREATE TABLE seat (n INT UNIQUE DEFERRABLE INITIALLY DEFERRED)");
    }
    Connection fails = connections.get(0);
    Connection other = connections.get(1);
    run(fails, "INSERT INTO seat VALUES (1)");
    run(other, WRITE + 2);
    run(other, "INSERT INTO seat VALUES (1)");
    CompletableFuture<Void> first = start(fails, () -> run(fails, WRITE + 2));
    Thread.sleep(200);
    run(other, WRITE + 3);
    Thread.sleep(200);
    other.commit();
    first.get();
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    for (JsonNode json : found) {
      assertThat(waited(json, 1)).doesNotContain("= 3");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void statementOfTrigger(ServerKind kind) throws Exception {
    create(kind, 2);
    try (Connection plain = DriverManager.getConnection(url)) {
      run(plain, "CREATE TABLE entry (id INT PRIMARY KEY, n INT)");
      run(plain, "INSERT INTO entry VALUES (1, 0), (2, 0)");
      run(plain, "CREATE TRIGGER adds AFTER UPDATE ON entry FOR EACH ROW " + WRITE + "NEW.id");
    }
    String enter = "UPDATE entry SET n = n + 1 WHERE id = ";
    run(connections.get(0), WRITE + 1);
    run(connections.get(1), WRITE + 2);
    bothWait(enter + 2, enter + 1);
  }

  private void bothWait(String ofFirst, String ofSecond) throws Exception {
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Connection one = connections.get(i);
      String sql = i == 0 ? ofFirst : ofSecond;
      all.add(
          CompletableFuture.runAsync(
              () -> {
                try {
                  run(one, sql);
                } catch (SQLException expected) {
                  assertThat(expected.getErrorCode()).isEqualTo(1213);
                }
                rollBack(one);
              }));
    }
    for (CompletableFuture<Void> one : all) {
      one.get();
    }
    List<JsonNode> found = reported();
    assertThat(found).hasSize(1);
    assertThat(List.of(waited(found.get(0), 0), waited(found.get(0), 1)))
        .containsExactlyInAnyOrder(ofFirst, ofSecond);
  }

  private static void rollBack(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
