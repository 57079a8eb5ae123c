package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A plain JDBC application that is watched by the agent gets its anomalies from {@code TxWatch}.
 */
class ApiUnderAgentIT {

  private static final String APPLICATION =
      """
      import io.txwatch.TxWatch;
      import io.txwatch.TxWatchReport;
      import java.sql.*;
      import java.util.List;
      import java.util.concurrent.CopyOnWriteArrayList;

      public class Application {
        public static void main(String[] args) throws Exception {
          List<Object> received = new CopyOnWriteArrayList<>();
          TxWatch.onAnomaly(received::add);
          try (Connection alice = DriverManager.getConnection("jdbc:h2:mem:bank");
              Connection bob = DriverManager.getConnection("jdbc:h2:mem:bank")) {
            alice.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            alice.createStatement().execute("INSERT INTO account VALUES (1, 100)");
            alice.setAutoCommit(false);
            bob.setAutoCommit(false);
            int seenByAlice = balance(alice);
            int seenByBob = balance(bob);
            alice.createStatement().execute("UPDATE account SET balance = " + (seenByAlice - 10));
            alice.commit();
            bob.createStatement().execute("UPDATE account SET balance = " + (seenByBob - 20));
            bob.commit();
          }
          TxWatchReport report = TxWatch.report();
          report.anomalies().forEach(found ->
              System.out.println(found.phenomenon() + " " + found.callSites().size()));
          System.out.println(report.complete() + " " + received.size());
        }

        private static int balance(Connection connection) throws SQLException {
          ResultSet rows = connection.createStatement().executeQuery("SELECT balance FROM account");
          rows.next();
          return rows.getInt(1);
        }
      }
      """;

  private static List<Path> jars() {
    return List.of(JarRun.JAR, JarRun.AGENT_JAR);
  }

  @ParameterizedTest
  @MethodSource("jars")
  void applicationGetsItsLostUpdateFromTheApi(Path agent, @TempDir Path folder) throws Exception {
    Path source = Files.writeString(folder.resolve("Application.java"), APPLICATION);
    String jar = agent.toString();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-proc:none", "-cp", jar, source.toString());
    assertThat(compiled).isZero();
    Path h2 =
        Path.of(org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path out = folder.resolve("out");
    Path err = folder.resolve("err");

    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-javaagent:" + jar + "=prepare=auto,log=none",
                "-cp",
                folder + System.getProperty("path.separator") + h2,
                "Application")
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();

    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(err)).isEmpty();
    assertThat(Files.readString(out)).isEqualToNormalizingNewlines("LOST_UPDATE 3\ntrue 1\n");
    assertThat(process.exitValue()).isZero();
  }
}
