package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A form is filled in one transaction and saved in a later one, on each DBMS. */
class StaleWriteTest {

  private static final String LOAD = "SELECT id, stock, version FROM item WHERE id = 1";
  private static final String READ_VERSION = " WHERE id = 1 AND version = 0";

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  private static void create(Connection connection) throws SQLException {
    update(connection, "CREATE TABLE item (id INT PRIMARY KEY, stock INT, version INT)");
    update(connection, "INSERT INTO item VALUES (1, 10, 0)");
  }

  private static void execute(Connection connection, String sql, int rows) throws SQLException {
    assertThat(update(connection, sql)).isEqualTo(rows);
    connection.commit();
  }

  private static void load(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(LOAD)) {
      assertThat(rows.next()).isTrue();
    }
    connection.commit();
  }

  /** One person loads the item, another one sells some, and the first one saves it. */
  private static List<ReportedAnomaly> reported(
      ServerKind kind, Path folder, String across, String sale, String saving, int saved)
      throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      create(connection);
      if (kind != ServerKind.POSTGRESQL) {
        Watched.prepare(connection);
      }
    }
    Watched watched = new Watched(folder, Map.of("txwatch.across", across));
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      one.setAutoCommit(false);
      other.setAutoCommit(false);
      load(one);
      execute(other, sale, 1);
      execute(one, saving, saved);
      load(other); // shows MySQL's and MariaDB's versions
    }
    return watched.reported();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void savingWithoutACheckIsAStaleWrite(ServerKind kind, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                kind,
                folder,
                "session",
                "UPDATE item SET stock = 7, version = 1 WHERE id = 1",
                "UPDATE item SET stock = 9, version = 1 WHERE id = 1",
                1))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.phenomenon()).isEqualTo("STALE_WRITE");
              assertThat(stale.json().get("possible").asBoolean()).isTrue();
              assertThat(stale.json().get("cycle").toString().toLowerCase(Locale.ROOT))
                  .contains("\"columns\":[\"stock\",\"version\"]", "\"rowname\":\"item row 1\"");
            });
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void savingTheVersionThatWasReadIsNone(ServerKind kind, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                kind,
                folder,
                "session",
                "UPDATE item SET stock = 7, version = 1 WHERE id = 1 AND version = 0",
                "UPDATE item SET stock = 9, version = 1 WHERE id = 1 AND version = 0",
                0))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void computingInTheUpdateIsNone(ServerKind kind, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                kind,
                folder,
                "session",
                "UPDATE item SET stock = stock - 3 WHERE id = 1",
                "UPDATE item SET stock = stock - 1 WHERE id = 1",
                1))
        .isEmpty();
  }

  /** One person saves while another one's sale is not committed yet, by each measure. */
  @ParameterizedTest
  @MethodSource("kinds")
  void whatIsAdvisedLosesNoSale(ServerKind kind, @TempDir Path folder) throws Exception {
    List<ReportedAnomaly> found =
        reported(
            kind,
            folder,
            "session",
            "UPDATE item SET stock = 7, version = 1 WHERE id = 1",
            "UPDATE item SET stock = 9, version = 1 WHERE id = 1",
            1);
    boolean locksAtBegin = kind == ServerKind.SQLITE;
    assertThat(found)
        .singleElement()
        .satisfies(
            stale ->
                assertThat(stale.json().get("advice").asText())
                    .contains("compare the version that was read (WHERE ... AND version = ?")
                    .contains("or read the row again in its transaction")
                    .contains(locksAtBegin ? "BEGIN IMMEDIATE" : "SELECT ... FOR UPDATE"));
    assertThat(
            stockAfterSaving(
                kind,
                saving -> {
                  int saved =
                      update(saving, "UPDATE item SET stock = 9, version = 1" + READ_VERSION);
                  assertThat(saved).isZero();
                }))
        .isEqualTo(7);
    assertThat(
            stockAfterSaving(
                kind,
                saving -> {
                  if (locksAtBegin) {
                    update(saving, "BEGIN IMMEDIATE");
                  }
                  int stock = stock(saving, locksAtBegin ? "" : " FOR UPDATE");
                  update(
                      saving,
                      "UPDATE item SET stock = " + (stock - 1) + ", version = 2 WHERE id = 1");
                  if (locksAtBegin) {
                    update(saving, "COMMIT");
                  }
                }))
        .isEqualTo(6);
  }

  /** What is left of 10 items after a sale of 3 that was not committed yet when saving began. */
  private static int stockAfterSaving(ServerKind kind, Saving saving) throws Exception {
    String url = TestServers.freshDatabase(kind);
    try (Connection other = DriverManager.getConnection(url);
        Connection one = DriverManager.getConnection(url)) {
      create(other);
      assertThat(stock(one, "")).isEqualTo(10);
      other.setAutoCommit(false);
      update(other, "UPDATE item SET stock = 7, version = 1" + READ_VERSION);
      // SQLite's driver would begin a transaction of its own.
      one.setAutoCommit(kind == ServerKind.SQLITE);
      CompletableFuture<Void> saved =
          CompletableFuture.runAsync(
              () -> {
                try {
                  saving.save(one);
                  if (!one.getAutoCommit()) {
                    one.commit();
                  }
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThatExceptionOfType(TimeoutException.class)
          .as("it waits for the other one's lock")
          .isThrownBy(() -> saved.get(100, TimeUnit.MILLISECONDS));
      other.commit();
      saved.get(10, TimeUnit.SECONDS);
      return stock(other, "");
    }
  }

  private static int update(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.executeUpdate(sql);
    }
  }

  private static int stock(Connection connection, String lock) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT stock FROM item WHERE id = 1" + lock)) {
      assertThat(rows.next()).isTrue();
      return rows.getInt(1);
    }
  }

  /** Saves what a person entered. */
  private interface Saving {
    void save(Connection connection) throws SQLException;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void nothingIsReportedWithoutTraces(ServerKind kind, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                kind,
                folder,
                "trace",
                "UPDATE item SET stock = 7 WHERE id = 1",
                "UPDATE item SET stock = 9 WHERE id = 1",
                1))
        .isEmpty();
  }
}
