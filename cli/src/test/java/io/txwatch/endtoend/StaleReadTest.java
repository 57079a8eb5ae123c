package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.history.Event;
import io.txwatch.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

/** A service that reads from a standby of PostgreSQL, whose replay is paused where it matters. */
class StaleReadTest {

  private static final String READ = "SELECT stock FROM item WHERE id = 1";
  private static final String WRITE = "UPDATE item SET stock = stock - 1 WHERE id = 1";

  private static PostgresServer primary;
  private static PostgresServer standby;

  @TempDir private Path folder = Path.of("");

  @BeforeAll
  static void start() throws SQLException {
    primary = PostgresServer.start();
    try (Connection connection = primary.connect()) {
      update(connection, "CREATE TABLE item (id INT PRIMARY KEY, stock INT, name TEXT)");
      update(connection, "CREATE USER reporting");
      update(connection, "GRANT SELECT, UPDATE ON item TO reporting");
    }
    standby = primary.standby();
  }

  @AfterAll
  static void stop() {
    standby.close();
    primary.close();
  }

  @BeforeEach
  void fill() throws SQLException {
    try (Connection connection = primary.connect()) {
      update(connection, "DELETE FROM item");
      update(connection, "INSERT INTO item VALUES (1, 10, 'tea'), (2, 10, 'jam')");
    }
    awaitReplay();
  }

  private static void update(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private static String value(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? String.valueOf(rows.getString(1)) : "";
    }
  }

  private static void awaitReplay() throws SQLException {
    try (Connection one = primary.connect();
        Connection other = standby.connect()) {
      String written = value(one, "SELECT pg_current_wal_insert_lsn()");
      await()
          .until(
              () ->
                  value(other, "SELECT pg_last_wal_replay_lsn() >= '" + written + "'").equals("t"));
    }
  }

  private static void replay(String whether) throws SQLException {
    try (Connection connection = standby.connect()) {
      value(connection, "SELECT pg_wal_replay_" + whether + "()");
      String state = whether.equals("pause") ? "paused" : "not paused";
      await()
          .until(() -> value(connection, "SELECT pg_get_wal_replay_pause_state()").equals(state));
    }
  }

  /**
   * Steps of requests: {@code A.p: SQL} runs on the primary in trace A, {@code A.s:} on the
   * standby.
   */
  private List<ReportedAnomaly> reported(String user, Map<String, String> settings, String... steps)
      throws Exception {
    Watched watched = new Watched(folder, settings);
    try (watched;
        Connection onPrimary = watched.connect(primary.url().replace("user=postgres", user));
        Connection onStandby = watched.connect(standby.url().replace("user=postgres", user))) {
      replay("pause");
      for (String step : steps) {
        if (step.equals("replay")) {
          replay("resume");
          awaitReplay();
          continue;
        }
        MDC.put("trace_id", step.substring(0, 1));
        Connection connection = step.charAt(2) == 'p' ? onPrimary : onStandby;
        String sql = step.substring(4).strip();
        if (sql.startsWith("SELECT")) {
          value(connection, sql);
        } else {
          update(connection, sql);
        }
      }
    } finally {
      MDC.clear();
      replay("resume");
    }
    return watched.reported();
  }

  private List<ReportedAnomaly> reported(String... steps) throws Exception {
    return reported("user=postgres", Map.of(), steps);
  }

  @ParameterizedTest
  @ValueSource(strings = {"user=postgres", "user=reporting"})
  void aRequestDoesNotReadWhatItWrote(String user) throws Exception {
    assertThat(reported(user, Map.of(), "A.p: " + WRITE, "A.s: " + READ))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.phenomenon()).isEqualTo("STALE_READ");
              assertThat(stale.verdict()).isEqualTo("HAZARD");
              assertThat(stale.possible()).isFalse();
              assertThat(stale.cycle())
                  .extracting(ReportedAnomaly.Edge::kind)
                  .containsExactly("rw", "so");
              assertThat(stale.json().toString())
                  .contains("\"rowName\":\"item row 1\"", WRITE, READ, "StaleReadTest.java")
                  .containsPattern(
                      "T2 read an older version on a standby, without T1's write of item row 1")
                  .containsPattern(
                      "T1 is earlier in T2's trace, and had committed before T2 began; T2 ended [0-9.]+ ms after");
            });
  }

  /** The same request of a role that may not read which cluster the server is part of. */
  @Test
  void withoutTheRightBothAreTwoDatabases() throws Exception {
    try (Connection connection = primary.connect()) {
      update(connection, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC");
      awaitReplay();
      assertThat(reported("user=reporting", Map.of(), "A.p: " + WRITE, "A.s: " + READ)).isEmpty();
      update(connection, "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC");
    }
  }

  @Test
  void aRequestGoesBackInTime() throws Exception {
    assertThat(reported("B.p: " + WRITE, "A.p: " + READ, "A.s: " + READ))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.phenomenon()).isEqualTo("STALE_READ");
              assertThat(stale.transactions()).hasSize(3);
              assertThat(stale.cycle())
                  .extracting(ReportedAnomaly.Edge::kind)
                  .containsExactly("rw", "wr", "so");
            });
  }

  /** Beside each the stale reads. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | A.p: UPDATE item SET stock = 3 WHERE id = 1; A.s: SELECT * FROM item WHERE id = 1",
        "1 | A.p: UPDATE item SET stock = 3; B.p: UPDATE item SET stock = 4; A.s: SELECT stock FROM item WHERE id = 1",
        "1 | A.p: DELETE FROM item WHERE id = 1; A.s: SELECT stock FROM item WHERE id = 1",
        "0 | A.p: UPDATE item SET stock = 3 WHERE id = 1; replay; A.s: SELECT stock FROM item WHERE id = 1",
        "0 | A.p: UPDATE item SET stock = 3 WHERE id = 1; A.s: SELECT stock FROM item WHERE id = 2",
        "0 | A.p: UPDATE item SET stock = 3 WHERE id = 1; A.s: SELECT name FROM item WHERE id = 1",
        "0 | A.p: UPDATE item SET stock = 3 WHERE id = 1; B.s: SELECT stock FROM item WHERE id = 1",
        "0 | A.s: SELECT stock FROM item WHERE id = 1; A.p: UPDATE item SET stock = 3 WHERE id = 1",
        "0 | A.p: SELECT stock FROM item WHERE id = 1; B.p: UPDATE item SET stock = 4; A.s: SELECT stock FROM item WHERE id = 1",
      })
  void whatIsOneAndWhatIsNot(int expected, String steps) throws Exception {
    assertThat(reported(steps.split("; ")))
        .extracting(ReportedAnomaly::phenomenon)
        .hasSize(expected)
        .allMatch("STALE_READ"::equals);
  }

  @Test
  void historyThatIsCheckedAfterwardsShowsTheSame() throws Exception {
    Watched watched = new Watched(folder, Map.of());
    assertThat(reported("A.p: " + WRITE, "A.s: " + READ)).hasSize(1);
    assertThat(watched.analysedAfterwards().anomalies())
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("STALE_READ");
  }

  /** Two connections to one server, under two URLs, are to one cluster and to no standby. */
  @Test
  void rolesAreRecorded() throws Exception {
    Watched watched = new Watched(folder, Map.of());
    reported("A.p: " + WRITE, "A.s: " + READ);
    List<Event.SessionOpened> opened = new ArrayList<>();
    watched.forEachEvent(
        event -> {
          if (event instanceof Event.SessionOpened e) {
            opened.add(e);
          }
        });
    assertThat(opened)
        .extracting(e -> e.database().cluster().isStandby())
        .containsExactlyInAnyOrder(false, true);
    assertThat(opened.stream().map(e -> e.database().cluster().id()).distinct()).hasSize(1);
    assertThat(opened.stream().map(e -> e.database().scope()).distinct()).hasSize(2);
  }

  /**
   * Two accounts are always 20 together. Readers on the standby run at each level that it has,
   * while the primary is busy and the replay stops again and again.
   */
  @ParameterizedTest
  @ValueSource(
      ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ})
  void readsOfThePastAreNoOtherAnomaly(int level) throws Exception {
    Watched watched = new Watched(folder, Map.of());
    AtomicBoolean isOver = new AtomicBoolean();
    long reads = 0;
    try (watched;
        Connection reader = watched.connect(standby.url())) {
      MDC.put("trace_id", "A");
      reader.setAutoCommit(false);
      reader.setTransactionIsolation(level);
      CompletableFuture<Void> writing =
          CompletableFuture.runAsync(() -> move(watched, level, isOver));
      try {
        for (int i = 0; i < 60; i++) {
          replay(i % 3 == 0 ? "pause" : "resume");
          String sum = value(reader, "SELECT sum(stock) FROM (SELECT stock FROM item) AS i");
          assertThat(sum).isEqualTo("20");
          value(reader, READ);
          value(reader, "SELECT stock FROM item ORDER BY id");
          reader.commit();
          reads++;
        }
      } finally {
        MDC.clear();
        isOver.set(true);
        replay("resume");
        writing.join();
      }
    }
    assertThat(reads).isEqualTo(60);
    assertThat(Watched.commits(folder.resolve("history.txw"))).isGreaterThan(120);
    assertThat(watched.reported()).isEmpty();
  }

  private static void move(Watched watched, int level, AtomicBoolean isOver) {
    try (Connection writer = watched.connect(primary.url())) {
      MDC.put("trace_id", "B");
      writer.setAutoCommit(false);
      writer.setTransactionIsolation(level);
      while (!isOver.get()) {
        update(writer, "UPDATE item SET stock = stock - 1 WHERE id = 1");
        update(writer, "UPDATE item SET stock = stock + 1 WHERE id = 2");
        writer.commit();
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A connection whose URL names both servers reads from whichever it reaches. */
  @Test
  void aUrlOfBothServersIsRecognized() throws Exception {
    String hosts =
        standby.url().substring(0, standby.url().lastIndexOf('/'))
            + ","
            + primary.url().substring("jdbc:postgresql://".length());
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection onPrimary = watched.connect(hosts + "&targetServerType=primary");
        Connection onStandby = watched.connect(hosts + "&targetServerType=secondary")) {
      replay("pause");
      MDC.put("trace_id", "A");
      update(onPrimary, WRITE);
      value(onStandby, READ);
    } finally {
      MDC.clear();
      replay("resume");
    }
    assertThat(watched.reported())
        .extracting(ReportedAnomaly::phenomenon)
        .containsExactly("STALE_READ");
  }

  /** What is reported is what an unwatched connection reads as well. */
  @Test
  void theStandbyReturnsTheOldRow() throws Exception {
    try (Connection onPrimary = primary.connect();
        Connection onStandby = DriverManager.getConnection(standby.url())) {
      replay("pause");
      update(onPrimary, WRITE);
      assertThat(value(onPrimary, READ)).isEqualTo("9");
      assertThat(value(onStandby, READ)).isEqualTo("10");
    } finally {
      replay("resume");
    }
  }
}
