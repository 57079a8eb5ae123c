package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What happens to the binary log and to txwatch's own connections while an application works: it
 * notices nothing, nothing is reported of it, one line says what is missing, and afterwards row
 * versions are known again.
 */
class LogFaultsTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** Transactions that follow each fault. */
  private static final int TRANSACTIONS = 10;

  private static final String LOST = "was lost and opened again";
  private static final String OUTAGE = "until it can be read again";
  private static final String OVER = " again, since ";

  @TempDir private Path folder = Path.of("");

  private final Printed printed = new Printed();
  private final AtomicInteger commits = new AtomicInteger();
  private final Set<Long> sessions = ConcurrentHashMap.newKeySet();
  private volatile boolean stopped;
  private volatile @Nullable Throwable failure;

  /** A transaction that reads a table before it writes it can deadlock with an ALTER TABLE. */
  private static final int DEADLOCK = 1213;

  /** How often that happened. */
  private final AtomicInteger deadlocks = new AtomicInteger();

  /** Whether the server may end the application's connections, too. */
  private volatile boolean crashing;

  private String admin = "";

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.MYSQL, ServerKind.MARIADB)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  /** Standard error, line by line. */
  private static final class Printed implements AutoCloseable {
    private final PrintStream before = System.err;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private int seen;

    Printed() {
      System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    }

    /** What was printed since the last {@link #next}. */
    List<String> lines() {
      return bytes.toString(StandardCharsets.UTF_8).lines().skip(seen).toList();
    }

    List<String> next() {
      List<String> lines = lines();
      seen += lines.size();
      return lines;
    }

    @Override
    public void close() {
      System.setErr(before);
      System.err.print(bytes.toString(StandardCharsets.UTF_8));
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void theApplicationNoticesNothing(ServerKind kind) throws Exception {
    try (printed;
        DatabaseServer server =
            kind == ServerKind.MYSQL
                ? MySqlServer.start()
                : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7")) {
      admin = server.newDatabase("bank");
      String monitor = kind == ServerKind.MYSQL ? "REPLICATION CLIENT" : "BINLOG MONITOR";
      execute(
          "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
          "INSERT INTO account VALUES (1, 100), (2, 100), (3, 100), (9, 100)",
          "CREATE TABLE note (id INT PRIMARY KEY, author INT NOT NULL)",
          "CREATE USER reader@'%' IDENTIFIED BY 'hidden'",
          "GRANT SELECT, REPLICATION SLAVE, " + monitor + " ON *.* TO reader@'%'");
      Map<String, String> settings =
          Map.of(
              "txwatch.versions", "log",
              "txwatch.log-user", "reader",
              "txwatch.log-password", "hidden");
      try (Watched watched = new Watched(folder, settings)) {
        ExecutorService pool = Executors.newFixedThreadPool(2);
        try {
          List<Future<?>> workers = new ArrayList<>();
          for (int worker = 1; worker <= 2; worker++) {
            int id = worker;
            workers.add(pool.submit(() -> work(watched, id)));
          }
          faults(kind, server);
          stopped = true;
          for (Future<?> worker : workers) {
            worker.get();
          }
          // The log is read again after at most as long as the server was away.
          Thread.sleep(4_000);
          loseAnUpdate(watched);
        } finally {
          stopped = true;
          pool.shutdownNow();
        }
        watched.close();
        assertThat(watched.reported())
            .filteredOn(anomaly -> anomaly.phenomenon().equals("DEADLOCK"))
            .hasSizeLessThanOrEqualTo(deadlocks.get());
        assertThat(watched.reported())
            .filteredOn(anomaly -> !anomaly.phenomenon().equals("DEADLOCK"))
            .singleElement()
            .satisfies(
                anomaly -> {
                  assertThat(anomaly.phenomenon()).isEqualTo("LOST_UPDATE");
                  assertThat(anomaly.possible()).isFalse();
                  assertThat(anomaly.json().toString()).contains("LogFaultsTest.loseAnUpdate");
                });
        assertThat(printed.next()).isEmpty();
      }
    }
  }

  private void faults(ServerKind kind, DatabaseServer server) throws Exception {
    goesOn();
    assertThat(printed.next())
        .anySatisfy(line -> assertThat(line).contains("row versions come from the binary log"));

    kill("reader", true);
    await(LOST);
    goesOn();
    assertThat(printed.next()).singleElement().asString().contains(LOST);

    kill("reader", false); // what asks for the end of the log, and for definitions
    kill("root", false); // what asks for the tables
    execute("CREATE TABLE other (id INT PRIMARY KEY)");
    goesOn();
    execute("FLUSH BINARY LOGS");
    goesOn();
    purge(kind);
    goesOn();
    execute("ALTER TABLE account ADD COLUMN owner VARCHAR(10) DEFAULT 'ann' FIRST");
    goesOn();
    execute("TRUNCATE TABLE note");
    goesOn();
    assertThat(printed.next()).isEmpty();

    execute("REVOKE REPLICATION SLAVE ON *.* FROM reader@'%'");
    kill("reader", true);
    await(OUTAGE);
    goesOn();
    assertThat(printed.next()).singleElement().asString().contains("REPLICATION SLAVE");
    execute("GRANT REPLICATION SLAVE ON *.* TO reader@'%'");
    await(OVER);
    goesOn();
    assertThat(printed.next()).singleElement().asString().contains(OVER);

    crashing = true;
    if (server instanceof MySqlServer mySql) {
      mySql.crash();
    } else if (server instanceof MariaDbServer mariaDb) {
      mariaDb.crash();
    }
    goesOn();
    crashing = false;
    goesOn();
    awaitReading();
    assertThat(printed.next()) // one pair, unless the server is back within a second
        .filteredOn(line -> !line.contains("are not read yet")) // a new connection, meanwhile
        .allSatisfy(line -> assertThat(line).containsAnyOf(OVER, OUTAGE))
        .hasSizeLessThanOrEqualTo(2);
  }

  private void execute(String... statements) throws SQLException {
    try (Connection raw = DriverManager.getConnection(admin);
        Statement statement = raw.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Ends connections of a user that are not the application's. */
  private void kill(String user, boolean readsLog) throws SQLException {
    List<Long> found = new ArrayList<>();
    try (Connection raw = DriverManager.getConnection(admin);
        Statement statement = raw.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery(
              "SELECT id FROM information_schema.processlist WHERE user = '"
                  + user
                  + "' AND id <> CONNECTION_ID() AND command "
                  + (readsLog ? "" : "NOT ")
                  + "LIKE 'Binlog Dump%'")) {
        while (rows.next()) {
          found.add(rows.getLong(1));
        }
      }
      found.removeAll(sessions);
      assertThat(found).as("connections of %s", user).isNotEmpty();
      for (long id : found) {
        statement.execute("KILL " + id);
      }
    }
  }

  private void purge(ServerKind kind) throws SQLException {
    try (Connection raw = DriverManager.getConnection(admin);
        Statement statement = raw.createStatement()) {
      String last;
      try (ResultSet row =
          statement.executeQuery(
              kind == ServerKind.MYSQL ? "SHOW BINARY LOG STATUS" : "SHOW MASTER STATUS")) {
        assertThat(row.next()).isTrue();
        last = row.getString(1);
      }
      statement.execute("PURGE BINARY LOGS TO '" + last + "'");
    }
  }

  private void goesOn() {
    int from = commits.get();
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> failure != null || commits.get() >= from + TRANSACTIONS);
    assertThat(failure).isNull();
  }

  private void awaitReading() {
    if (printed.lines().stream().anyMatch(one -> one.contains(OUTAGE))) {
      await(OVER);
    }
  }

  private void await(String line) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(
            () -> failure != null || printed.lines().stream().anyMatch(one -> one.contains(line)));
    assertThat(failure).isNull();
  }

  // ---------------------------------------------------------------- the application

  /** Writes a row of its own, and one of both, which it locks before it reads it. */
  private Void work(Watched watched, int id) throws Exception {
    int number = 0;
    while (!stopped) {
      try (Connection connection = watched.connect(admin)) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement();
            ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
          assertThat(row.next()).isTrue();
          sessions.add(row.getLong(1));
        }
        connection.commit();
        while (!stopped) {
          set(connection, id, balance(connection, id, "") + 1);
          set(connection, 3, balance(connection, 3, " FOR UPDATE") + 1);
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO note VALUES (?, ?)")) {
            insert.setInt(1, 2 * number++ + id);
            insert.setInt(2, id);
            assertThat(insert.executeUpdate()).isEqualTo(1);
          }
          connection.commit();
          commits.incrementAndGet();
          Thread.sleep(2);
        }
      } catch (SQLException | AssertionError e) {
        boolean isDeadlock = e instanceof SQLException error && error.getErrorCode() == DEADLOCK;
        if (isDeadlock) {
          deadlocks.incrementAndGet();
        }
        if (!isDeadlock && !(crashing && e instanceof SQLException)) {
          failure = e;
          throw e;
        }
        number += 100; // whether the last one is there is unknown
        Thread.sleep(20);
      }
    }
    return null;
  }

  private static int balance(Connection connection, int id, String lock) throws SQLException {
    try (PreparedStatement read =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?" + lock)) {
      read.setInt(1, id);
      try (ResultSet row = read.executeQuery()) {
        assertThat(row.next()).isTrue();
        return row.getInt(1);
      }
    }
  }

  private static void set(Connection connection, int id, int balance) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, id);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  private void loseAnUpdate(Watched watched) throws SQLException {
    try (Connection one = watched.connect(admin);
        Connection other = watched.connect(admin)) {
      for (Connection session : List.of(one, other)) {
        session.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        session.setAutoCommit(false);
      }
      for (Connection session : List.of(one, other)) {
        try (Statement statement = session.createStatement();
            ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 9")) {
          assertThat(row.next()).isTrue();
          assertThat(row.getInt(1)).isEqualTo(100);
        }
      }
      for (Connection session : List.of(one, other)) {
        try (Statement statement = session.createStatement()) {
          statement.execute(
              "UPDATE account SET balance = " + (session == one ? 90 : 80) + " WHERE id = 9");
        }
        session.commit();
      }
    }
  }
}
