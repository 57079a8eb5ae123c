package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A form is filled in one transaction and saved in a later one, on each DBMS, with each way to know
 * row versions.
 */
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

  /** Where row versions come from. */
  private record Way(ServerKind kind, String versions) {

    boolean isByValue() {
      return !versions.equals("auto") || kind == ServerKind.SQLITE;
    }

    /** The URL of a new, empty database. */
    String freshDatabase() throws SQLException {
      if (kind == ServerKind.MARIADB && versions.equals("log")) {
        return logged().newDatabase("stale" + databases.incrementAndGet());
      }
      return TestServers.freshDatabase(kind);
    }
  }

  private static final AtomicInteger databases = new AtomicInteger();
  private static @Nullable DatabaseServer logged;

  /** A MariaDB with a binary log. */
  private static DatabaseServer logged() {
    DatabaseServer running = logged;
    if (running == null) {
      running = MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
      logged = running;
    }
    return running;
  }

  @AfterAll
  static void stop() {
    if (logged != null) {
      logged.close();
    }
  }

  static Stream<Way> ways() {
    return kinds()
        .flatMap(
            kind ->
                Stream.of("auto", "log", "triggers", "statements")
                    .filter(versions -> isPossible(kind, versions))
                    .map(versions -> new Way(kind, versions)));
  }

  private static boolean isPossible(ServerKind kind, String versions) {
    return switch (versions) {
      case "log" -> kind == ServerKind.MYSQL || kind == ServerKind.MARIADB;
      case "triggers" -> kind == ServerKind.H2;
      default -> true;
    };
  }

  /** One person loads the item, another one sells some, and the first one saves it. */
  private static List<ReportedAnomaly> reported(
      Way way, Path folder, String across, String sale, String saving, int saved) throws Exception {
    String url = way.freshDatabase();
    try (Connection connection = DriverManager.getConnection(url)) {
      create(connection);
      if (way.kind() != ServerKind.POSTGRESQL && !way.isByValue()) {
        Watched.prepare(connection);
      }
    }
    Watched watched =
        new Watched(folder, Map.of("txwatch.across", across, "txwatch.versions", way.versions()));
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
  @MethodSource("ways")
  void savingWithoutACheckIsAStaleWrite(Way way, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                way,
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
  @MethodSource("ways")
  void savingTheVersionThatWasReadIsNone(Way way, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                way,
                folder,
                "session",
                "UPDATE item SET stock = 7, version = 1 WHERE id = 1 AND version = 0",
                "UPDATE item SET stock = 9, version = 1 WHERE id = 1 AND version = 0",
                0))
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("ways")
  void computingInTheUpdateIsNone(Way way, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                way,
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
            new Way(kind, "auto"),
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
  @MethodSource("ways")
  void nothingIsReportedWithoutTraces(Way way, @TempDir Path folder) throws Exception {
    assertThat(
            reported(
                way,
                folder,
                "trace",
                "UPDATE item SET stock = 7 WHERE id = 1",
                "UPDATE item SET stock = 9 WHERE id = 1",
                1))
        .isEmpty();
  }
}
