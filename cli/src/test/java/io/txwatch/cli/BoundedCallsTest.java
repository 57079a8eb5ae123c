package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Calls of tools whose statements never end. */
class BoundedCallsTest {

  private static final String TABLE = "CREATE TABLE account (id INT PRIMARY KEY, balance INT)";
  private static final String ROW = "INSERT INTO account VALUES (1, 100)";
  private static final String READ = "SELECT balance FROM account WHERE id = 1";
  private static final String WRITE = "UPDATE account SET balance = 90 WHERE id = 1";

  @TempDir private Path root = Path.of("");

  private static Stream<ServerKind> kinds() {
    return TestServers.kinds().filter(kind -> kind != ServerKind.SQLITE);
  }

  private static String endless(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL -> "SELECT pg_sleep(1000)";
      case MARIADB, MYSQL -> "SELECT SLEEP(1000)";
      case H2 -> "SELECT MAX(X + 0) FROM SYSTEM_RANGE(1, 1000000000000000)";
      case SQLITE -> throw new IllegalArgumentException("operations are not interleaved on it");
    };
  }

  /** The statements that other sessions of the server execute, or executed last. */
  private static String running(ServerKind kind) {
    return switch (kind) {
      case POSTGRESQL ->
          "SELECT query FROM pg_stat_activity WHERE datname = current_database() AND pid <>"
              + " pg_backend_pid()";
      case MARIADB, MYSQL ->
          "SELECT info FROM information_schema.processlist WHERE info IS NOT NULL AND id <>"
              + " CONNECTION_ID()";
      case H2 ->
          "SELECT executing_statement FROM information_schema.sessions WHERE executing_statement"
              + " IS NOT NULL AND session_id <> SESSION_ID()";
      case SQLITE -> throw new IllegalArgumentException("operations are not interleaved on it");
    };
  }

  private McpTools tools(String url, int seconds) throws Exception {
    return McpTools.of(
        root.toRealPath(),
        List.of("--url=" + url, "--allow-any-database"),
        true,
        Duration.ofSeconds(seconds));
  }

  private static Map<String, Object> interleaved(List<String> setup, String first) {
    return Map.of(
        "setup",
        setup,
        "operations",
        List.of(List.of(first, WRITE), List.of(READ, WRITE)),
        "isolation",
        "RC");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void statementThatNeverEndsIsCancelled(ServerKind kind) throws Exception {
    String url = TestServers.freshDatabase(kind);
    McpTools tools = tools(url, 8);
    String endless = endless(kind);
    try (Connection observer = DriverManager.getConnection(url)) {
      List<String> schemas =
          column(observer, "SELECT schema_name FROM information_schema.schemata");
      for (Map<String, Object> call :
          List.of(
              interleaved(List.of(TABLE, ROW, endless), READ),
              interleaved(List.of(TABLE, ROW), endless))) {
        assertThat(tools.call("interleave", call))
            .containsEntry("error", true)
            .containsEntry(
                "text",
                "interleave has not ended within 8 s, its statements were cancelled; start txwatch"
                    + " mcp with a longer --call-timeout if that was too short");
        Awaitility.await()
            .untilAsserted(
                () ->
                    assertThat(column(observer, running(kind)))
                        .noneMatch(sql -> sql.contains(endless.substring("SELECT ".length()))));
        assertThat(column(observer, "SELECT schema_name FROM information_schema.schemata"))
            .containsExactlyInAnyOrderElementsOf(schemas);
      }
      assertThat(String.valueOf(tools.call("interleave", Map.of()).get("text")))
          .contains("expected either case");
      assertThat(tools(url, 120).call("interleave", interleaved(List.of(TABLE, ROW), READ)))
          .containsEntry("error", false);
    }
  }

  @Test
  void toolsThatReadHistoriesDoNotWait() throws Exception {
    McpTools tools = tools(TestServers.freshDatabase(ServerKind.H2), 8);
    CompletableFuture<Map<String, Object>> endless =
        CompletableFuture.supplyAsync(
            () ->
                tools.call(
                    "interleave", interleaved(List.of(TABLE, ROW, endless(ServerKind.H2)), READ)));
    assertThat(tools.call("check_history", Map.of("file", "none")))
        .containsEntry("text", "no such file: none");
    assertThat(endless).isNotDone();
    assertThat(endless.get()).containsEntry("error", true);
  }

  private static List<String> column(Connection connection, String query) throws SQLException {
    List<String> values = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        values.add(rows.getString(1));
      }
    }
    return values;
  }
}
