package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watched application, a real broker, and the commands that read its topic, from the jars. */
class KafkaIT {

  private static final String APPLICATION =
      """
      import java.lang.management.ManagementFactory;
      import java.sql.*;

      public class Shop {
        public static void main(String[] args) throws Exception {
          try (Connection alice = DriverManager.getConnection("jdbc:h2:mem:bank");
              Connection bob = DriverManager.getConnection("jdbc:h2:mem:bank")) {
            alice.createStatement().execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
            alice.createStatement().execute("INSERT INTO account VALUES (1, 100)");
            alice.setAutoCommit(false);
            bob.setAutoCommit(false);
            int seenByAlice = balance(alice);
            int seenByBob = balance(bob);
            alice.createStatement().execute("UPDATE account SET balance = " + (seenByAlice - 10) + " WHERE id = 1");
            alice.commit();
            bob.createStatement().execute("UPDATE account SET balance = " + (seenByBob - 20) + " WHERE id = 1");
            bob.commit();
          }
          // The client connects meanwhile: on a busy machine everything takes longer.
          Thread.sleep(Math.max(3_000, ManagementFactory.getRuntimeMXBean().getUptime()));
          try {
            Class.forName("org.apache.kafka.clients.producer.KafkaProducer");
            System.out.println("the application sees the client");
          } catch (ClassNotFoundException e) {
            System.out.println("done");
          }
        }

        private static int balance(Connection connection) throws SQLException {
          ResultSet rows = connection.createStatement().executeQuery("SELECT id, balance FROM account");
          rows.next();
          return rows.getInt(2);
        }
      }
      """;

  @TempDir private Path folder = Path.of("");

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private Path run(String agentArguments, Path jar) throws Exception {
    Path source = Files.writeString(folder.resolve("Shop.java"), APPLICATION);
    assertThat(
            ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", source.toString()))
        .isZero();
    Path h2 =
        Path.of(org.h2.Driver.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path err = Files.createTempFile(folder, "application", ".err");
    Path out = Files.createTempFile(folder, "application", ".out");
    Process application =
        new ProcessBuilder(
                java(),
                "-javaagent:" + jar + "=" + agentArguments,
                "-cp",
                folder + File.pathSeparator + h2,
                "Shop")
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(application.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(Files.readString(out).strip()).as(Files.readString(err)).isEqualTo("done");
    assertThat(application.exitValue()).isZero();
    return err;
  }

  private static List<String> linesButVersions(Path printed) throws Exception {
    return Files.readString(printed)
        .lines()
        .filter(line -> !line.contains("row versions come from"))
        .toList();
  }

  private JsonNode check(String history) throws Exception {
    JarRun check = JarRun.of(folder, "check", "--json", "--fail-on", "hazard", history);
    assertThat(check.code()).as(check.err()).isEqualTo(1);
    return new ObjectMapper().readTree(check.out());
  }

  private static List<String> anomalies(JsonNode check) {
    List<String> found = new ArrayList<>();
    for (JsonNode anomaly : check.path("anomalies")) {
      found.add(
          anomaly.path("phenomenon").asText()
              + " "
              + anomaly.path("count").asText()
              + " "
              + anomaly.path("fingerprint").asText());
    }
    return found;
  }

  @Test
  void topicIsCheckedAsAFileIsAndServedWhileItGrows() throws Exception {
    Path file = folder.resolve("shop.history");
    List<Process> started = new ArrayList<>();
    try (KafkaBroker broker = KafkaBroker.start(folder)) {
      broker.create("txwatch");
      String topic = broker.url("txwatch");
      Path printed =
          run(
              "analyzer=" + topic + ",history=" + file + ",service=shop,versions=triggers",
              JarRun.JAR);
      assertThat(linesButVersions(printed)).isEmpty();

      JsonNode ofFile = check(file.toString());
      JsonNode ofTopic = check(topic);
      assertThat(anomalies(ofTopic)).hasSize(1).isEqualTo(anomalies(ofFile));
      assertThat(ofTopic.path("operations")).isEqualTo(ofFile.path("operations"));
      assertThat(ofTopic.path("transactions")).isEqualTo(ofFile.path("transactions"));
      assertThat(ofTopic.path("valid")).isEqualTo(ofFile.path("valid"));
      assertThat(ofTopic.path("file").asText()).isEqualTo(topic);

      Path out = folder.resolve("serve.out");
      Path err = folder.resolve("serve.err");
      started.add(
          JarRun.start(
              out,
              err,
              "serve",
              "--json",
              "--listen",
              "127.0.0.1:0",
              "--http",
              "none",
              "--from",
              topic));
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(anomalyLines(out)).as(Files.readString(err)).isEqualTo(1));
      run("analyzer=" + topic + ",service=shop,versions=triggers", JarRun.JAR);
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () -> assertThat(anomalyLines(out)).as(Files.readString(err)).isEqualTo(2));
    } finally {
      started.forEach(Process::destroyForcibly);
    }
  }

  private static long anomalyLines(Path out) throws Exception {
    return Files.readString(out).lines().filter(line -> line.contains("LOST_UPDATE")).count();
  }

  @Test
  void applicationRunsWithoutTheJar() throws Exception {
    Path elsewhere = Files.createDirectory(folder.resolve("elsewhere"));
    Path jar = Files.copy(JarRun.JAR, elsewhere.resolve("txwatch.jar"));

    Path printed = run("analyzer=kafka://127.0.0.1:9092/txwatch", jar);

    assertThat(linesButVersions(printed))
        .singleElement()
        .asString()
        .endsWith(
            "txwatch-kafka.jar is not in "
                + elsewhere
                + ": put it there, or name it with txwatch.kafka-jar");
  }
}
