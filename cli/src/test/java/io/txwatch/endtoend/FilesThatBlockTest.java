package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.settings.Settings;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files whose opening blocks, such as a named pipe without a reader, or a file on an unreachable
 * network file system: the application works, and so do the parts of txwatch that need no file.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FilesThatBlockTest {

  @Test
  void reportIsAPipeWithoutAReader(@TempDir Path folder) throws Exception {
    Path report = pipe(folder.resolve("report"));
    Path history = folder.resolve("history");
    Properties settings =
        settings(Map.of("report", report.toString(), "history", history.toString()));
    loseAnUpdate("blockedreport", settings);

    // A later reader of the pipe gets the anomalies.
    try (BufferedReader reader = Files.newBufferedReader(report)) {
      assertThat(reader.readLine()).contains("LOST_UPDATE");
    }
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    assertThat(Watched.commits(history)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void reportIsNeverRead(@TempDir Path folder) throws Exception {
    Path report = pipe(folder.resolve("report"));
    Path history = folder.resolve("history");
    Properties settings =
        settings(Map.of("report", report.toString(), "history", history.toString()));
    loseAnUpdate("unreadreport", settings);
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    assertThat(Watched.commits(history)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void trustedCertificatesAreAPipeWithoutAWriter(@TempDir Path folder) throws Exception {
    Path trust = pipe(folder.resolve("cert.pem"));
    Path history = folder.resolve("history");
    Properties settings =
        settings(
            Map.of(
                "analyzer", "tls://127.0.0.1:1",
                "tls-trust", trust.toString(),
                "history", history.toString()));
    loseAnUpdate("blockedtrust", settings);
    Thread writer = new Thread(() -> open(trust)); // or the sink cannot be closed at once
    writer.start();
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    writer.join();
    assertThat(Watched.commits(history)).isGreaterThanOrEqualTo(2);
  }

  @Test
  void historyIsAPipe(@TempDir Path folder) throws Exception {
    Path report = folder.resolve("report");
    Properties settings =
        settings(
            Map.of(
                "history", pipe(folder.resolve("history")).toString(),
                "report", report.toString()));
    loseAnUpdate("pipehistory", settings);
    Pipeline.of(Settings.ofUrlProperties(settings)).close();
    assertThat(report).content().contains("LOST_UPDATE");
  }

  private static void open(Path pipe) {
    try {
      Files.newOutputStream(pipe).close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static Path pipe(Path path) throws Exception {
    assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor()).isZero();
    return path;
  }

  private static Properties settings(Map<String, String> given) {
    Properties properties = new Properties();
    properties.setProperty("txwatch.log", "none");
    given.forEach((key, value) -> properties.setProperty("txwatch." + key, value));
    return properties;
  }

  private static void loseAnUpdate(String database, Properties settings) throws SQLException {
    String url = "jdbc:txwatch:h2:mem:" + database;
    try (Connection raw = DriverManager.getConnection("jdbc:h2:mem:" + database);
        Statement ofRaw = raw.createStatement()) {
      ofRaw.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      ofRaw.execute("INSERT INTO account VALUES (1, 100)");
      Watched.prepare(raw);
      Watched.loseAnUpdate(url, settings);
    }
  }
}
