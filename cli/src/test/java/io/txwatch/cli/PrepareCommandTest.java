package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code prepare} of a database that does not exist, or as a user who may not change it. */
class PrepareCommandTest {

  @TempDir private Path folder = Path.of("");

  @ParameterizedTest
  @CsvSource({
    "prepare,   jdbc:sqlite:FOLDER/none.db,         unable to open database file",
    "unprepare, jdbc:sqlite:FOLDER/none.db?cache=x, unable to open database file",
    "prepare,   jdbc:h2:FOLDER/none,                not found",
    "unprepare, jdbc:h2:file:FOLDER/none,           not found"
  })
  void databaseThatDoesNotExistIsNotCreated(String command, String url, String message) {
    for (String[] more : new String[][] {{}, {"--dry-run"}}) {
      Invocation invocation =
          Invocation.of(
              concatenated(more, command, "--url", url.replace("FOLDER", folder.toString())));
      assertThat(invocation.err()).containsIgnoringCase(message).hasLineCount(1);
      assertThat(invocation.code()).isEqualTo(3);
      assertThat(folder).isEmptyDirectory();
    }
  }

  private static String[] concatenated(String[] last, String... first) {
    return Stream.of(first, last).flatMap(Arrays::stream).toArray(String[]::new);
  }

  @Test
  void userOfH2WithoutRights() throws SQLException {
    String url = "jdbc:h2:" + folder.resolve("shop");
    execute(
        url,
        "CREATE TABLE account (id INT PRIMARY KEY)",
        "CREATE USER reader PASSWORD 'x'",
        "GRANT SELECT ON account TO reader");
    assertRefused(url, "reader", "no rights to change it");
  }

  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void userOfServerWithoutRights(ServerKind kind) throws SQLException {
    Assumptions.assumeTrue(TestServers.missing(kind).isEmpty());
    String url = TestServers.freshDatabase(kind);
    String user = "reader" + Math.abs(url.hashCode() % 10_000);
    execute(
        url,
        "CREATE TABLE account (id INT PRIMARY KEY)",
        "CREATE USER " + user + "@'%' IDENTIFIED BY 'x'",
        "GRANT SELECT ON account TO " + user + "@'%'");
    assertRefused(url.replaceFirst("user=root", "user=" + user), user, "no rights to change it");
  }

  private static void assertRefused(String url, String user, String message) {
    for (String[] tables : new String[][] {{}, {"--tables", "account"}}) {
      Invocation invocation =
          Invocation.of(
              concatenated(tables, "prepare", "--url", url, "--user", user, "--password", "x"));
      assertThat(invocation.err()).contains(message);
      assertThat(invocation.code()).isEqualTo(2);
    }
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
