package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.TxWatch;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * An application that never ends one transaction, in a small heap: it continues at its speed, and
 * later lost updates are still found.
 */
class ForgottenTransactionTest {

  private static final int UPDATES = 120_000;

  static final class Application {

    private static final Duration MAX_WAIT = Duration.ofSeconds(60);

    private Application() {}

    public static void main(String[] args) throws Exception {
      String url = "jdbc:txwatch:h2:mem:forgotten;txwatch.prepare=auto";
      try (Connection forgotten = DriverManager.getConnection(url);
          Connection busy = DriverManager.getConnection(url);
          Statement statement = forgotten.createStatement()) {
        statement.execute("CREATE TABLE t (id INT PRIMARY KEY, v INT)");
        statement.execute("INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)");
        forgotten.setAutoCommit(false);
        read(statement, 1);
        try (PreparedStatement update =
            busy.prepareStatement("UPDATE t SET v = v + 1 WHERE id = ?")) {
          for (int i = 0; i < UPDATES; i++) {
            update.setInt(1, 2);
            update.executeUpdate();
          }
        }
        // What a full queue drops has nothing to do with the transaction that stays open.
        assertThat(TxWatch.report().complete()).isTrue();
        // After so many updates at once, a share of the rows is observed for some time.
        long started = System.nanoTime();
        while (TxWatch.report().anomalies().isEmpty()
            && System.nanoTime() - started < MAX_WAIT.toNanos()) {
          loseAnUpdate(busy, url);
          Thread.sleep(100);
        }
      }
    }

    private static void loseAnUpdate(Connection one, String url) throws Exception {
      try (Connection other = DriverManager.getConnection(url);
          Statement ofOne = one.createStatement();
          Statement ofOther = other.createStatement()) {
        one.setAutoCommit(false);
        int seen = read(ofOne, 3);
        ofOther.execute("UPDATE t SET v = 7 WHERE id = 3");
        ofOne.execute("UPDATE t SET v = " + (seen + 1) + " WHERE id = 3");
        one.commit();
      }
    }

    private static int read(Statement statement, int id) throws Exception {
      try (ResultSet rows = statement.executeQuery("SELECT v FROM t WHERE id = " + id)) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  @Test
  void openTransactionDoesNotFillTheMemory() throws IOException, InterruptedException {
    Process application =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx32m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Application.class.getName())
            .redirectErrorStream(true)
            .start();
    String printed =
        new String(application.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(application.waitFor()).as(printed).isZero();
    assertThat(printed)
        .contains("LOST_UPDATE", "1 FORGOTTEN")
        .doesNotContain("OutOfMemory", "a fault of txwatch");
  }
}
