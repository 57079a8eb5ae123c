package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Servers that do not wait for the disk are killed under load and lose commits that they had
 * acknowledged. The load locks every row before it reads it, so the only anomalies are the two lost
 * updates that are made on purpose: one in the run before the crash, one in the run after it.
 */
class ServerCrashTest {

  private static final int COUNTERS = 4;
  private static final int THREADS = 3;

  /** Transactions that are committed before the crash, at least. */
  private static final int MIN_COMMITS = 300;

  @ParameterizedTest
  @ValueSource(strings = {"columns", "system"})
  void postgresql(String versions, @TempDir Path folder) throws Exception {
    try (PostgresServer server =
        PostgresServer.start(List.of("synchronous_commit=off", "wal_writer_delay=10s"))) {
      crashUnderLoad(
          server.newDatabase("crash"),
          Map.of("txwatch.versions", versions),
          server::crash,
          true,
          folder);
    }
  }

  /** The server recovers from the death of one process without a new start. */
  @ParameterizedTest
  @ValueSource(strings = {"columns", "system"})
  void postgresqlBackend(String versions, @TempDir Path folder) throws Exception {
    try (PostgresServer server =
        PostgresServer.start(List.of("synchronous_commit=off", "wal_writer_delay=10s"))) {
      String url = server.newDatabase("crash");
      crashUnderLoad(
          url, Map.of("txwatch.versions", versions), () -> killBackend(url), true, folder);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void mariaDb(String flush, @TempDir Path folder) throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--innodb-flush-log-at-trx-commit=" + flush)) {
      crashUnderLoad(
          server.newDatabase("crash"), Map.of(), server::crash, flush.equals("0"), folder);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "2"})
  void mySql(String flush, @TempDir Path folder) throws Exception {
    Assumptions.assumeTrue(MySqlServer.isFetched());
    try (MySqlServer server = MySqlServer.start("--innodb-flush-log-at-trx-commit=" + flush)) {
      crashUnderLoad(
          server.newDatabase("crash"), Map.of(), server::crash, flush.equals("0"), folder);
    }
  }

  private interface Crash {
    void run() throws Exception;
  }

  private static void crashUnderLoad(
      String url, Map<String, String> settings, Crash crash, boolean loses, Path folder)
      throws Exception {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
      statement.execute("CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)");
      statement.execute("INSERT INTO account VALUES (1, 100)");
      for (int id = 0; id < COUNTERS; id++) {
        statement.execute("INSERT INTO counter VALUES (" + id + ", 0)");
      }
      if (!"system".equals(settings.get("txwatch.versions"))) {
        Watched.prepare(connection);
      }
      statement.execute(url.startsWith("jdbc:postgresql:") ? "CHECKPOINT" : "FLUSH LOGS");
    }
    Watched watched = new Watched(folder, settings);
    AtomicLong commits = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    long lost;
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (watched) {
      loseAnUpdate(watched, url);
      List<Future<?>> load = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        Random random = new Random(i);
        load.add(threads.submit(() -> increment(watched, url, random, commits, done)));
      }
      await(commits, MIN_COMMITS);
      awaitNextSecond(url);
      crash.run();
      await(commits, commits.get() + MIN_COMMITS);
      done.set(true);
      for (Future<?> each : load) {
        each.get();
      }
      loseAnUpdate(watched, url);
      lost = 2 * commits.get() - sum(url);
    } finally {
      threads.shutdownNow();
    }
    assertThat(lost > 0).as("%s increments lost", lost).isEqualTo(loses);
    assertThat(watched.reported())
        .extracting(ReportedAnomaly::phenomenon, anomaly -> anomaly.cycle().get(0).table())
        .as("%s increments lost: %s", lost, watched.reported())
        .containsExactly(tuple("LOST_UPDATE", "account"), tuple("LOST_UPDATE", "account"));
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

  /** Increments two counters in each transaction, on a new connection after every failure. */
  private static void increment(
      Watched watched, String url, Random random, AtomicLong commits, AtomicBoolean done) {
    while (!done.get()) {
      try (Connection connection = watched.connect(url);
          PreparedStatement select =
              connection.prepareStatement("SELECT n FROM counter WHERE id = ? FOR UPDATE");
          PreparedStatement update =
              connection.prepareStatement("UPDATE counter SET n = ? WHERE id = ?")) {
        connection.setAutoCommit(false);
        while (!done.get()) {
          int first = random.nextInt(COUNTERS - 1);
          for (int id : new int[] {first, first + 1}) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
              assertThat(row.next()).isTrue();
              update.setInt(1, row.getInt(1) + 1);
            }
            update.setInt(2, id);
            update.executeUpdate();
          }
          connection.commit();
          commits.incrementAndGet();
        }
      } catch (SQLException crashed) {
        assertThat(done).isFalse();
      }
    }
  }

  private static void await(AtomicLong commits, long number) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (commits.get() < number) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  private static void loseAnUpdate(Watched watched, String url) throws SQLException {
    try (Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      List<Connection> both = List.of(one, other);
      for (Connection each : both) {
        each.setAutoCommit(false);
        balance(each);
      }
      for (Connection each : both) {
        try (Statement statement = each.createStatement()) {
          statement.execute(
              "UPDATE account SET balance = " + (each == one ? 90 : 80) + " WHERE id = 1");
        }
        each.commit();
      }
      balance(one); // where a write returns nothing, its version is identified by the next read
      one.commit();
    }
  }

  private static int balance(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static long sum(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT SUM(n) FROM counter")) {
      assertThat(row.next()).isTrue();
      return row.getLong(1);
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
