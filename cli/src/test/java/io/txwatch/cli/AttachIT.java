package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code attach} watches what a running JVM opens afterwards. */
class AttachIT {

  private static final String APPLICATION =
      """
      import java.sql.*;

      public class Application {
        public static void main(String[] args) throws Exception {
          try (Connection before = DriverManager.getConnection("jdbc:h2:mem:bank")) {
            before.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            before.createStatement().execute("INSERT INTO account VALUES (1, 100)");
            System.out.println("ready");
            System.in.read();
            try (Connection alice = DriverManager.getConnection("jdbc:h2:mem:bank");
                Connection bob = DriverManager.getConnection("jdbc:h2:mem:bank")) {
              alice.setAutoCommit(false);
              bob.setAutoCommit(false);
              int seenByAlice = balance(alice);
              int seenByBob = balance(bob);
              alice.createStatement().execute("UPDATE account SET balance = " + (seenByAlice - 10));
              alice.commit();
              bob.createStatement().execute("UPDATE account SET balance = " + (seenByBob - 20));
              bob.commit();
              System.out.println(before.getClass().getSimpleName() + " balance " + balance(before));
            }
          }
        }

        private static int balance(Connection connection) throws SQLException {
          ResultSet rows = connection.createStatement().executeQuery("SELECT balance FROM account");
          rows.next();
          return rows.getInt(1);
        }
      }
      """;

  @Test
  void lostUpdateAfterAttachingIsReported(@TempDir Path folder) throws Exception {
    Path report = folder.resolve("report.jsonl");
    Path source = Files.writeString(folder.resolve("Application.java"), APPLICATION);
    Path h2 =
        Path.of(org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Process application =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                h2.toString(),
                source.toString())
            .redirectError(folder.resolve("err").toFile())
            .start();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(application.getInputStream(), StandardCharsets.UTF_8))) {
      assertThat(lines.readLine()).isEqualTo("ready");
      JarRun attach =
          JarRun.of(
              folder,
              "attach",
              Long.toString(application.pid()),
              "prepare=auto",
              "log=none",
              "report=" + report);
      assertThat(attach.err()).contains("Connections that it opens from now on are watched");
      assertThat(attach.code()).isZero();
      JarRun again = JarRun.of(folder, "attach", Long.toString(application.pid()), "http=7077");
      assertThat(again.err()).contains("has the agent already");
      assertThat(again.code()).isEqualTo(2);
      for (String level : List.of("off", "items")) { // on again
        JarRun change =
            JarRun.of(folder, "attach", Long.toString(application.pid()), "instrument=" + level);
        assertThat(change.err()).contains("txwatch.instrument is changed");
        assertThat(change.code()).isZero();
      }
      application.getOutputStream().write('\n');
      application.getOutputStream().flush();
      assertThat(lines.readLine()).isEqualTo("JdbcConnection balance 80");
      assertThat(application.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(Files.readString(report)).contains("LOST_UPDATE", "Application.java:");
    } finally {
      application.destroyForcibly();
    }
  }

  @Test
  void badProcessOrSettingIsOneLine(@TempDir Path folder) throws Exception {
    JarRun nobody = JarRun.of(folder, "attach", "999999999");
    assertThat(nobody.code()).isEqualTo(2);
    assertThat(nobody.err()).contains("process 999999999 cannot be attached to", "expected the id");
    JarRun setting = JarRun.of(folder, "attach", "1", "prepair=auto");
    assertThat(setting.code()).isEqualTo(2);
    assertThat(setting.err()).contains("prepair", "txwatch.prepare");
  }
}
