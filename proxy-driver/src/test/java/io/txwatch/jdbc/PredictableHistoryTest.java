package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A history that contains values names the command that predicts from it, when it is closed. */
@Isolated("it replaces System.err")
class PredictableHistoryTest {

  @TempDir private Path folder = Path.of("");

  @Test
  void theLastLineCountsCommittedTransactionsAndNamesTheCommand() throws Exception {
    assertThat(printed("on", "stderr"))
        .isEqualTo(
            "txwatch: 2 transactions are recorded with their values: ./txwatch predict "
                + folder.resolve("shop.history")
                + " --url URL shows which operations race, by executing them");
  }

  @ParameterizedTest
  @CsvSource({"off, stderr", "on, none"})
  void nothingIsPrintedWithoutValuesOrLog(String predict, String log) throws Exception {
    assertThat(printed(predict, log)).isEmpty();
  }

  /** What is printed if two transactions commit and one rolls back. */
  private String printed(String predict, String log) throws Exception {
    String url = TestServers.freshDatabase(ServerKind.H2);
    Settings settings =
        Settings.of(
            Map.of(
                Setting.HISTORY,
                folder.resolve("shop.history").toString(),
                Setting.ANALYZER,
                "none",
                Setting.VERSIONS,
                "statements",
                Setting.PREDICT,
                predict,
                Setting.LOG,
                log));
    try (Connection kept = DriverManager.getConnection(url);
        Statement statement = kept.createStatement()) {
      statement.execute("CREATE TABLE item (id INT PRIMARY KEY, n INT)");
      statement.execute("INSERT INTO item VALUES (1, 5)");
      ByteArrayOutputStream printed = new ByteArrayOutputStream();
      PrintStream before = System.err;
      System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
      try {
        run(url, settings);
        Pipeline.of(settings).close();
      } finally {
        System.setErr(before);
      }
      return printed
          .toString(StandardCharsets.UTF_8)
          .lines()
          .filter(line -> line.contains("recorded"))
          .collect(Collectors.joining("\n"));
    }
  }

  private static void run(String url, Settings settings) throws SQLException {
    try (Connection connection =
            Watch.connection(
                DriverManager.getConnection(url),
                url,
                "",
                () -> DriverManager.getConnection(url),
                settings);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE item SET n = 6 WHERE id = 1");
      connection.commit();
      statement.executeUpdate("UPDATE item SET n = 7 WHERE id = 1");
      connection.rollback();
      statement.executeUpdate("UPDATE item SET n = 8 WHERE id = 1");
      connection.commit();
    }
  }
}
