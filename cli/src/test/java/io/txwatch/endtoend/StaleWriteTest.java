package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A form is filled in one transaction and saved in a later one, on each DBMS. */
class StaleWriteTest {

  private static final String LOAD = "SELECT id, stock, version FROM item WHERE id = 1";

  static Stream<ServerKind> kinds() {
    return TestServers.kinds();
  }

  private static void execute(Connection connection, String sql, int rows) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(sql)).isEqualTo(rows);
    }
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
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE item (id INT PRIMARY KEY, stock INT, version INT)");
      statement.execute("INSERT INTO item VALUES (1, 10, 0)");
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
