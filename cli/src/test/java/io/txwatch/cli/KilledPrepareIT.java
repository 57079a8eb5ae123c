package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code txwatch prepare}, ended by SIGKILL while it fills a table of MySQL. */
class KilledPrepareIT {

  private static final int ROWS = 1 << 16;

  @TempDir private Path directory = Path.of("");

  @Test
  void killedPreparationIsCompletedByTheNext() throws Exception {
    assumeThat(TestServers.missing(ServerKind.MYSQL)).isEmpty();
    String url = TestServers.freshDatabase(ServerKind.MYSQL);
    try (Connection connection = DriverManager.getConnection(url)) {
      run(connection, "CREATE TABLE big (id INT AUTO_INCREMENT PRIMARY KEY, v VARCHAR(20))");
      run(connection, "INSERT INTO big (v) VALUES ('x')");
      for (int rows = 1; rows < ROWS; rows *= 2) {
        run(connection, "INSERT INTO big (v) SELECT v FROM big");
      }
      String before = one(connection, "SHOW CREATE TABLE big", 2);

      Process killed =
          JarRun.start(
              Files.createTempFile(directory, "out", ""),
              Files.createTempFile(directory, "err", ""),
              "prepare",
              "--url",
              url);
      await()
          .atMost(Duration.ofSeconds(120))
          .pollInterval(Duration.ofMillis(5))
          .ignoreExceptions() // the column is not there yet
          .until(() -> filled(connection) > 0);
      killed.destroyForcibly().waitFor();
      int filled = filled(connection);
      assertThat(filled).isPositive().isLessThan(ROWS);

      JarRun again = JarRun.of(directory, "prepare", "--url", url);

      assertThat(again.code()).as(again.err()).isZero();
      assertThat(again.out()).contains("fill: UPDATE").doesNotContain("ADD COLUMN");
      assertThat(filled(connection)).isEqualTo(ROWS);
      assertThat(JarRun.of(directory, "unprepare", "--url", url).code()).isZero();
      assertThat(one(connection, "SHOW CREATE TABLE big", 2)).isEqualTo(before);
    }
  }

  private static int filled(Connection connection) throws SQLException {
    return Integer.parseInt(
        one(connection, "SELECT COUNT(*) FROM big WHERE txw_rid IS NOT NULL", 1));
  }

  private static void run(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String one(Connection connection, String sql, int column) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(column);
    }
  }
}
