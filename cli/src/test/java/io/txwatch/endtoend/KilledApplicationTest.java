package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application with H2 in its own process is killed in the middle of its load, loses what H2 had
 * not written to its file, and is started again. Both processes report to one analyzer over TCP.
 * The only anomalies are the two lost updates that are made on purpose, one in each process.
 */
class KilledApplicationTest {

  private static final int MIN_COMMITS = 300;

  /** The application: loses an update, and then increments counters until it is to stop. */
  static final class Application {

    private Application() {}

    /**
     * The entry point.
     *
     * @param args the URL, and {@code create} to create the tables and to run until it is killed
     */
    public static void main(String[] args) throws Exception {
      boolean create = args.length > 1;
      Workload.Opener service =
          () -> DriverManager.getConnection("jdbc:txwatch:" + args[0].substring("jdbc:".length()));
      try (Connection first = service.open();
          CounterLoad load = new CounterLoad()) {
        if (create) {
          try (Statement statement = first.createStatement()) {
            CounterLoad.create(statement);
            CounterLoad.loseAnUpdate(service, service);
            statement.execute("CHECKPOINT SYNC");
          }
        }
        load.start(List.of(service, service));
        load.awaitCommits(MIN_COMMITS);
        System.out.println("commits");
        System.out.flush();
        if (create) {
          Thread.sleep(60_000); // it is killed
        }
        load.stop();
        CounterLoad.loseAnUpdate(service, service);
        System.out.println(load.lost(args[0]));
        System.out.flush();
      }
    }
  }

  private static Process start(ServedApplications served, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp"));
    command.add(System.getProperty("java.class.path"));
    served.settings("shop").forEach((key, value) -> command.add("-D" + key + "=" + value));
    command.add("-Dtxwatch.prepare=auto");
    command.add(Application.class.getName());
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
  }

  private static BufferedReader lines(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  @Test
  void nothingIsReportedAcrossTheDeathOfTheProcess(@TempDir Path folder) throws Exception {
    String url = "jdbc:h2:file:" + folder.resolve("shop") + ";WRITE_DELAY=20000";
    ServedApplications served = new ServedApplications();
    long lost;
    try (served) {
      Process first = start(served, url, "create");
      try (BufferedReader out = lines(first)) {
        assertThat(out.readLine()).isEqualTo("commits");
      } finally {
        first.destroyForcibly().waitFor();
      }
      Process second = start(served, url);
      try (BufferedReader out = lines(second)) {
        assertThat(out.readLine()).isEqualTo("commits");
        lost = 2 * MIN_COMMITS + Long.parseLong(out.readLine());
        assertThat(second.waitFor()).isZero();
      } finally {
        second.destroyForcibly();
      }
    }
    assertThat(lost).as("increments of the first process that are gone").isPositive();
    assertThat(served.found())
        .extracting(
            anomaly -> anomaly.phenomenon().name(), anomaly -> anomaly.cycle().get(0).table())
        .as("%s increments lost: %s, %s", lost, served.found(), served.lines())
        .containsExactly(tuple("LOST_UPDATE", "ACCOUNT"), tuple("LOST_UPDATE", "ACCOUNT"));
  }
}
