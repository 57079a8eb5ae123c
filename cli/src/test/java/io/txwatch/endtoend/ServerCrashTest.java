package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.txwatch.endtoend.ServedApplications.Service;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that do not wait for the disk are killed under load and lose commits that they had
 * acknowledged. The load locks every row before it reads it, so the only anomalies are the two lost
 * updates that are made on purpose: one in the run before the crash, one in the run after it.
 */
class ServerCrashTest {

  private static final int THREADS = 3;

  /** Transactions that are committed before the crash, at least. */
  private static final int MIN_COMMITS = 300;

  @Test
  void postgresql(@TempDir Path folder) throws Exception {
    try (PostgresServer server =
        PostgresServer.start(List.of("synchronous_commit=off", "wal_writer_delay=10s"))) {
      crashUnderLoad(server.newDatabase("crash"), Map.of(), server::crash, true, folder);
    }
  }

  /** The server recovers from the death of one process without a new start. */
  @Test
  void postgresqlBackend(@TempDir Path folder) throws Exception {
    try (PostgresServer server =
        PostgresServer.start(List.of("synchronous_commit=off", "wal_writer_delay=10s"))) {
      String url = server.newDatabase("crash");
      crashUnderLoad(url, Map.of(), () -> killBackend(url), true, folder);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void mariaDb(String flush, @TempDir Path folder) throws Exception {
    try (MariaDbServer server = MariaDbServer.start(logFlushing(flush))) {
      crashUnderLoad(
          server.newDatabase("crash"), Map.of(), server::crash, flush.equals("0"), folder);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void mySql(String flush, @TempDir Path folder) throws Exception {
    Assumptions.assumeTrue(MySqlServer.isFetched());
    try (MySqlServer server = MySqlServer.start(logFlushingOfMySql(flush))) {
      crashUnderLoad(
          server.newDatabase("crash"), Map.of(), server::crash, flush.equals("0"), folder);
    }
  }

  @Test
  void postgresqlOfServices() throws Exception {
    try (PostgresServer server =
        PostgresServer.start(List.of("synchronous_commit=off", "wal_writer_delay=10s"))) {
      crashOfServices(server.newDatabase("crash"), Map.of(), server::crash, true);
    }
  }

  @Test
  void mariaDbOfServices() throws Exception {
    try (MariaDbServer server = MariaDbServer.start(logFlushing("0"))) {
      crashOfServices(server.newDatabase("crash"), Map.of(), server::crash, true);
    }
  }

  @Test
  void mySqlOfServices() throws Exception {
    Assumptions.assumeTrue(MySqlServer.isFetched());
    try (MySqlServer server = MySqlServer.start(logFlushingOfMySql("0"))) {
      crashOfServices(server.newDatabase("crash"), Map.of(), server::crash, true);
    }
  }

  /**
   * Options of MySQL and MariaDB. With 0 the log is written once in a minute, not once a second:
   * the server must not write it just before it crashes.
   */
  private static String[] logFlushing(String atCommit) {
    return new String[] {
      "--innodb-flush-log-at-trx-commit=" + atCommit, "--innodb-flush-log-at-timeout=60"
    };
  }

  /** With threads of its own that write the log, MySQL writes it whenever they have time. */
  private static String[] logFlushingOfMySql(String atCommit) {
    String[] options = Arrays.copyOf(logFlushing(atCommit), 3);
    options[2] = "--innodb-log-writer-threads=OFF";
    return options;
  }

  private interface Crash {
    void run() throws Exception;
  }

  private static void crashUnderLoad(
      String url, Map<String, String> settings, Crash crash, boolean loses, Path folder)
      throws Exception {
    prepare(url);
    Watched watched = new Watched(folder, settings);
    long lost;
    try (watched) {
      Workload.Opener service = () -> watched.connect(url);
      lost = crashUnderLoad(url, List.of(service, service), crash);
    }
    assertThat(lost > 0).as("%s increments lost", lost).isEqualTo(loses);
    assertThat(watched.reported())
        .extracting(ReportedAnomaly::phenomenon, anomaly -> anomaly.cycle().get(0).table())
        .as("%s increments lost: %s", lost, watched.reported())
        .containsExactly(tuple("LOST_UPDATE", "account"), tuple("LOST_UPDATE", "account"));
  }

  /** The same with two services, which report to one analyzer over TCP. */
  private static void crashOfServices(
      String url, Map<String, String> settings, Crash crash, boolean loses) throws Exception {
    prepare(url);
    ServedApplications served = new ServedApplications();
    long lost;
    try (served) {
      Service orders = served.service("orders", settings);
      Service billing = served.service("billing", settings);
      lost =
          crashUnderLoad(
              url, List.of(() -> orders.connect(url), () -> billing.connect(url)), crash);
    }
    assertThat(lost > 0).as("%s increments lost", lost).isEqualTo(loses);
    assertThat(served.found())
        .extracting(
            anomaly -> anomaly.phenomenon().name(), anomaly -> anomaly.cycle().get(0).table())
        .as("%s increments lost: %s, %s", lost, served.found(), served.lines())
        .containsExactly(tuple("LOST_UPDATE", "account"), tuple("LOST_UPDATE", "account"));
  }

  private static void prepare(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      CounterLoad.create(statement);
      Watched.prepare(connection);
      statement.execute(url.startsWith("jdbc:postgresql:") ? "CHECKPOINT" : "FLUSH LOGS");
    }
  }

  /** The number of increments that were acknowledged and lost. */
  private static long crashUnderLoad(String url, List<Workload.Opener> services, Crash crash)
      throws Exception {
    List<Workload.Opener> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(services.get(i % services.size()));
    }
    try (CounterLoad load = new CounterLoad()) {
      CounterLoad.loseAnUpdate(services.get(0), services.get(1));
      load.start(threads);
      load.awaitCommits(MIN_COMMITS);
      awaitNextSecond(url);
      crash.run();
      load.awaitCommits(MIN_COMMITS);
      load.stop();
      CounterLoad.loseAnUpdate(services.get(0), services.get(1));
      return load.lost(url);
    }
  }

  /** MySQL and MariaDB know the second in which they started, and their runs have that name. */
  private static void awaitNextSecond(String url) throws Exception {
    if (!url.startsWith("jdbc:postgresql:")) {
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        long uptimeSeconds = 0;
        while (uptimeSeconds == 0) {
          Thread.sleep(10);
          try (ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Uptime'")) {
            assertThat(row.next()).isTrue();
            uptimeSeconds = row.getLong(2);
          }
        }
      }
    }
  }

  /** Ends a server process of PostgreSQL's by force: the others then begin anew. */
  private static void killBackend(String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
      assertThat(row.next()).isTrue();
      ProcessHandle.of(row.getLong(1)).orElseThrow().destroyForcibly();
    }
  }
}
