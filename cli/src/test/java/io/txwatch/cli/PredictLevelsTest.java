package io.txwatch.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.txwatch.capture.Pipeline;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code predict --levels}: the levels of a small application, recorded with one client. */
class PredictLevelsTest {

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
          "CREATE TABLE doctor (id INT PRIMARY KEY, on_call INT)",
          "INSERT INTO account VALUES (1, 100), (2, 250), (3, 570)",
          "INSERT INTO doctor VALUES (11, 1), (12, 1)");

  /** What an operation executes. */
  private interface Work {
    void run(Statement statement) throws SQLException;
  }

  private static String record(String url, Path directory) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
    }
    Properties settings = new Properties();
    Path history = directory.resolve("shop.history");
    settings.setProperty("txwatch.history", history.toString());
    settings.setProperty("txwatch.log", "none");
    settings.setProperty("txwatch.versions", "statements");
    settings.setProperty("txwatch.predict", "on");
    String watched = "jdbc:txwatch:" + url.substring("jdbc:".length());
    for (int account = 1; account <= 2; account++) {
      int key = account;
      run(watched, settings, statement -> deposit(statement, key));
      run(watched, settings, statement -> withdraw(statement, key));
    }
    run(watched, settings, statement -> signOff(statement, 12));
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    return history.toString();
  }

  private static void run(String url, Properties settings, Work work) throws Exception {
    try (Connection connection = DriverManager.getConnection(url, settings);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      work.run(statement);
      connection.commit();
    }
  }

  private static void deposit(Statement statement, int account) throws SQLException {
    statement.executeUpdate("UPDATE account SET balance = balance + 5 WHERE id = " + account);
  }

  private static void withdraw(Statement statement, int account) throws SQLException {
    int balance =
        column(statement.executeQuery("SELECT balance FROM account WHERE id = " + account)).get(0);
    statement.executeUpdate(
        "UPDATE account SET balance = " + (balance - 20) + " WHERE id = " + account);
  }

  /** With parameters: a literal that never varies would be a constant of the application. */
  private static void signOff(Statement statement, int doctor) throws SQLException {
    try (PreparedStatement select =
            statement.getConnection().prepareStatement("SELECT id FROM doctor WHERE on_call = 1");
        PreparedStatement update =
            statement
                .getConnection()
                .prepareStatement("UPDATE doctor SET on_call = 0 WHERE id = ?")) {
      if (column(select.executeQuery()).size() > 1) {
        update.setInt(1, doctor);
        update.executeUpdate();
      }
    }
  }

  private static List<Integer> column(ResultSet result) throws SQLException {
    List<Integer> values = new ArrayList<>();
    while (result.next()) {
      values.add(result.getInt(1));
    }
    return values;
  }

  /** The level of each operation, by the method that executes its first statement. */
  private static Map<String, JsonNode> levels(ServerKind kind, Path directory) throws Exception {
    String url = TestServers.freshDatabase(kind);
    Invocation predicted =
        Invocation.of(
            "predict",
            record(url, directory),
            "--url",
            url,
            "--levels",
            "--json",
            "--time",
            "2m"); // on a busy machine, too, each pair is decided
    assertThat(predicted.code()).as(predicted.err()).isEqualTo(ExitCode.ANOMALIES);
    Map<String, JsonNode> levels = new HashMap<>();
    for (String line : predicted.out().lines().toList()) {
      JsonNode object = new ObjectMapper().readTree(line);
      if (object.path("type").asText().equals("level")) {
        levels.put(object.path("callSite").asText().split("[. ]")[1], object);
      }
    }
    return levels;
  }

  private static Map<String, String> names(Map<String, JsonNode> levels) {
    Map<String, String> names = new HashMap<>();
    levels.forEach((operation, level) -> names.put(operation, level.path("level").asText()));
    return names;
  }

  @Test
  void eachOperationHasItsWeakestLevel(@TempDir Path directory) throws Exception {
    Map<String, JsonNode> levels = levels(ServerKind.POSTGRESQL, directory);

    assertThat(names(levels))
        .isEqualTo(
            Map.of(
                "deposit", "READ_COMMITTED",
                "withdraw", "REPEATABLE_READ",
                "signOff", "SERIALIZABLE"));
    JsonNode withdraw = requireNonNull(levels.get("withdraw"));
    assertThat(withdraw.path("preventedBy"))
        .hasSize(2)
        .allMatch(reason -> reason.asText().endsWith("at READ COMMITTED (confirmed)"));
    assertThat(withdraw.path("allowedBy").get(0).asText())
        .startsWith("change balance in the UPDATE itself");
    assertThat(levels.values())
        .allMatch(level -> level.path("tested").asInt() > 0 && level.path("untested").asInt() == 0)
        .allMatch(level -> level.path("contradictedBy").isEmpty())
        .noneMatch(level -> level.path("restsOnExecutions").asBoolean());
  }

  /** Its manual does not promise what aborts the second writer, but executions show it. */
  @Test
  void levelRestsOnExecutionsWhereNothingIsPromised(@TempDir Path directory) throws Exception {
    Map<String, JsonNode> levels = levels(ServerKind.H2, directory);

    assertThat(names(levels))
        .isEqualTo(
            Map.of("deposit", "READ_COMMITTED", "withdraw", "REPEATABLE_READ", "signOff", "null"));
    JsonNode withdraw = requireNonNull(levels.get("withdraw"));
    assertThat(withdraw.path("restsOnExecutions").asBoolean()).isTrue();
    assertThat(withdraw.path("levelWithoutExecutions").isNull()).isTrue();
  }
}
