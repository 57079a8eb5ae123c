package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryFormatException;
import io.txwatch.history.HistoryReader;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Reads by value, and writes from the binary log, as a user has them: plain tables, a URL, and one
 * setting. Nothing is prepared, and nothing rewritten.
 */
class VersionsFromLogTest {

  @TempDir private Path directory = Path.of("");

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.MYSQL, ServerKind.MARIADB)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  /** A server with a bank, and the URL of an application. */
  private static final class Bank implements AutoCloseable {
    private final DatabaseServer server;
    private final String admin;

    Bank(ServerKind kind) throws IOException, SQLException {
      server =
          kind == ServerKind.MYSQL
              ? MySqlServer.start()
              : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
      admin = server.newDatabase("bank");
      execute(
          "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
          "INSERT INTO account VALUES (1, 100), (2, 100)",
          "CREATE USER app@'%' IDENTIFIED BY 'secret'",
          "GRANT ALL ON bank.* TO app@'%'");
    }

    void execute(String... statements) throws SQLException {
      try (Connection raw = DriverManager.getConnection(admin);
          Statement statement = raw.createStatement()) {
        for (String sql : statements) {
          statement.execute(sql);
        }
      }
    }

    /** Ends the connection on which the log is read. */
    void killReader() throws SQLException {
      List<Long> readers = new ArrayList<>();
      try (Connection raw = DriverManager.getConnection(admin);
          Statement statement = raw.createStatement()) {
        try (ResultSet rows = statement.executeQuery("SHOW PROCESSLIST")) {
          while (rows.next()) {
            if (rows.getString("Command").startsWith("Binlog Dump")) {
              readers.add(rows.getLong("Id"));
            }
          }
        }
        assertThat(readers).hasSize(1);
        statement.execute("KILL " + readers.get(0));
      }
    }

    String url() {
      return "jdbc:txwatch:" + admin.substring("jdbc:".length());
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aLostUpdateIsReportedWithItsLine(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      Watched watched = new Watched(bank.url());
      watched.run(VersionsFromLogTest::loseAnUpdate);

      watched.assertLostUpdate();
    }
  }

  /** Its rows are not locked until COMMIT, so what is first does not follow from times. */
  @ParameterizedTest
  @MethodSource("kinds")
  void rowsOfATableWithoutTransactionsAreNotMatched(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      bank.execute("ALTER TABLE account ENGINE=MyISAM");
      Watched watched = new Watched(bank.url());
      watched.run(VersionsFromLogTest::loseAnUpdate);
      assertThat(watched.report()).isEmpty();
    }
  }

  /** A change by a client that is not watched, between a read and the write that rests on it. */
  @ParameterizedTest
  @MethodSource("kinds")
  void anUpdateThatIsLostToAClientThatIsNotWatchedNamesIt(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      Watched watched = new Watched(bank.url());
      watched.run(
          (one, other) -> {
            loseAnUpdateTo(
                () -> {
                  bank.execute("UPDATE account SET balance = 7 WHERE id = 1");
                  watched.awaitChanges(1);
                },
                one);
            // what is written to other rows is no concern of the application
            loseAnUpdateTo(
                () -> bank.execute("UPDATE account SET balance = 8 WHERE id = 2"), other);
          });

      assertThat(watched.report())
          .singleElement()
          .satisfies(
              anomaly ->
                  assertThat(anomaly)
                      .contains("LOST_UPDATE", "CONFIRMED", "HAZARD", "account (not watched)")
                      .contains("row 1\"")
                      .contains("VersionsFromLogTest.loseAnUpdateTo")
                      .contains(
                          kind == ServerKind.MYSQL
                              ? "a session that is not watched (connection "
                              : "a session that is not watched, at "));
    }
  }

  /** A procedure that writes three rows: of a client that is not watched, and of one that is. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aProcedureIsNamedForWhoCalledIt(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      bank.execute(
          "DELETE FROM account",
          "INSERT INTO account VALUES (1, 100), (2, 100), (3, 100)",
          "CREATE PROCEDURE spend() BEGIN UPDATE account SET balance = balance - 1 WHERE id = 3;"
              + " UPDATE account SET balance = balance - 1 WHERE id = 2;"
              + " UPDATE account SET balance = balance - 1 WHERE id = 1; END");
      Watched watched = new Watched(bank.url());
      watched.run(
          (one, other) ->
              loseAnUpdateTo(
                  () -> {
                    bank.execute("START TRANSACTION", "CALL spend()", "COMMIT");
                    watched.awaitChanges(1);
                  },
                  one));
      assertThat(watched.report())
          .singleElement()
          .satisfies(
              anomaly -> assertThat(anomaly).contains("LOST_UPDATE", "account (not watched)"));

      Watched caller = new Watched(bank.url());
      caller.run(
          (one, other) -> {
            other.setAutoCommit(false);
            loseAnUpdateTo(
                () -> {
                  try (Statement statement = other.createStatement()) {
                    statement.execute("CALL spend()");
                  }
                  other.commit();
                },
                one);
          });
      assertThat(caller.report())
          .noneSatisfy(anomaly -> assertThat(anomaly).contains("not watched"));
    }
  }

  private static void loseAnUpdateTo(Step between, Connection one) throws SQLException {
    one.setAutoCommit(false);
    int seen = balance(one, 1);
    between.run();
    try (Statement statement = one.createStatement()) {
      statement.executeUpdate("UPDATE account SET balance = " + (seen - 10) + " WHERE id = 1");
    }
    one.commit();
  }

  /** What happens in between. */
  private interface Step {
    void run() throws SQLException;
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aKilledReaderMissesNothing(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      Watched watched = new Watched(bank.url());
      String printed =
          printed(
              () ->
                  watched.run(
                      (one, other) -> {
                        balance(one, 2);
                        bank.killReader();
                        loseAnUpdate(one, other);
                      }));

      watched.assertLostUpdate();
      assertThat(printed.lines().filter(line -> line.contains("was lost and opened again")))
          .hasSize(1);
    }
  }

  /** Each withdraws what the sum of both accounts allows once. */
  @ParameterizedTest
  @MethodSource("kinds")
  void sumsThatMissAWithdrawalEach(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      Watched watched = new Watched(bank.url());
      watched.run(
          (one, other) -> {
            List<Connection> both = List.of(one, other);
            for (Connection session : both) {
              session.setAutoCommit(false);
              try (Statement statement = session.createStatement();
                  ResultSet sum =
                      statement.executeQuery(
                          "SELECT SUM(balance) FROM account WHERE balance > 0")) {
                assertThat(sum.next()).isTrue();
              }
            }
            for (int i = 0; i < 2; i++) {
              try (Statement statement = both.get(i).createStatement()) {
                statement.execute("UPDATE account SET balance = -50 WHERE id = " + (i + 1));
                statement.execute("INSERT INTO account VALUES (" + (i + 7) + ", 10)");
              }
            }
            for (Connection session : both) {
              session.commit();
            }
          });

      assertThat(watched.report())
          .anySatisfy(anomaly -> assertThat(anomaly).contains("WRITE_SKEW", "CONFIRMED"));
    }
  }

  /** With a user who may not read the log, and with another one who may. */
  @ParameterizedTest
  @MethodSource("kinds")
  void aMissingRightIsNamed(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      String url = bank.url().replaceFirst("user=[^&]*", "user=app&password=secret");
      assertThat(url).contains("secret");
      Watched watched = new Watched(url);
      String printed = printed(() -> watched.run(VersionsFromLogTest::loseAnUpdate));

      assertThat(watched.report()).isEmpty();
      assertThat(printed.lines().filter(line -> line.contains("GRANT REPLICATION SLAVE")))
          .hasSize(1);
      assertThat(printed).doesNotContain("secret").doesNotContain("fault of txwatch");

      bank.execute(
          "CREATE USER reader@'%' IDENTIFIED BY 'hidden'",
          "GRANT SELECT, REPLICATION SLAVE, "
              + (kind == ServerKind.MYSQL ? "REPLICATION CLIENT" : "BINLOG MONITOR")
              + " ON *.* TO reader@'%'",
          "UPDATE account SET balance = 100");
      Watched other = new Watched(url);
      other.properties.setProperty("txwatch.log-user", "reader");
      other.properties.setProperty("txwatch.log-password", "hidden");
      String printedThen = printed(() -> other.run(VersionsFromLogTest::loseAnUpdate));

      other.assertLostUpdate();
      assertThat(printedThen).doesNotContain("hidden").doesNotContain("secret");
    }
  }

  /** The log shows what the first item did while the last one is executed. */
  @ParameterizedTest
  @MethodSource("kinds")
  void anAutocommittedBatchBeginsBeforeItsChangesAreRecorded(ServerKind kind) throws Exception {
    try (Bank bank = new Bank(kind)) {
      Watched watched = new Watched(bank.url());
      watched.run(
          (one, other) -> {
            try (Statement statement = one.createStatement()) {
              statement.addBatch("UPDATE account SET balance = balance + 1 WHERE id = 1");
              statement.addBatch("UPDATE account SET balance = balance + SLEEP(0.2) WHERE id = 2");
              statement.executeBatch();
            }
          });
      List<Event> events = new ArrayList<>();
      try (HistoryReader reader = HistoryReader.open(watched.history)) {
        reader.forEach(events::add);
      }
      int changed = 0;
      while (!(events.get(changed) instanceof Event.Changed)) {
        changed++;
      }
      assertThat(events.subList(0, changed))
          .as(events::toString)
          .anyMatch(Event.TransactionBegan.class::isInstance);
    }
  }

  /** What two sessions do. */
  private interface Work {
    void with(Connection one, Connection other) throws SQLException;
  }

  /** Something that may fail. */
  private interface Action {
    void run() throws Exception;
  }

  /** An application that is watched, with a report of its own. */
  private final class Watched {
    final Properties properties = new Properties();
    private final String url;
    private final Path file;
    private final Path history;

    Watched(String url) throws IOException {
      this.url = url;
      this.file = Files.createTempFile(directory, "anomalies", ".jsonl");
      this.history = directory.resolve(file.getFileName() + ".history");
      properties.setProperty("txwatch.versions", "log");
      properties.setProperty("txwatch.report", file.toString());
      properties.setProperty("txwatch.history", history.toString());
    }

    void run(Work work) throws SQLException {
      try (Connection one = DriverManager.getConnection(url, properties);
          Connection other = DriverManager.getConnection(url, properties)) {
        one.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        work.with(one, other);
      }
      Pipeline.of(Settings.ofUrlProperties(properties)).close();
    }

    /**
     * Waits until so many transactions were received from the log. On MariaDB, whose log has no
     * numbers of connections, what is written before may be taken for the writer of the last one.
     */
    void awaitChanges(int count) {
      long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      try {
        while (changes() < count) {
          assertThat(System.nanoTime()).as("received: %d", changes()).isLessThan(end);
          Thread.sleep(5);
        }
      } catch (IOException | InterruptedException e) {
        throw new AssertionError(e);
      }
    }

    private int changes() throws IOException {
      int changes = 0;
      try (HistoryReader reader = HistoryReader.open(history)) {
        for (Event event; (event = reader.next().orElse(null)) != null; ) {
          changes += event instanceof Event.Changed ? 1 : 0;
        }
      } catch (NoSuchFileException | HistoryFormatException e) {
        return 0; // nothing is written yet
      }
      return changes;
    }

    List<String> report() throws IOException {
      return Files.readAllLines(file);
    }

    void assertLostUpdate() throws IOException {
      assertThat(report())
          .anySatisfy(
              anomaly ->
                  assertThat(anomaly)
                      .contains("LOST_UPDATE", "CONFIRMED", "VersionsFromLogTest.loseAnUpdate")
                      .contains("row 1\""));
    }
  }

  /** What is printed on standard error. */
  private static String printed(Action action) throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    System.err.print(text);
    return text;
  }

  private static int balance(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = " + id)) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  private static void loseAnUpdate(Connection one, Connection other) throws SQLException {
    one.setAutoCommit(false);
    other.setAutoCommit(false);
    int seenByOne = balance(one, 1);
    int seenByOther = balance(other, 1);
    try (Statement statement = one.createStatement()) {
      statement.executeUpdate("UPDATE account SET balance = " + (seenByOne - 10) + " WHERE id = 1");
    }
    one.commit();
    try (Statement statement = other.createStatement()) {
      statement.executeUpdate(
          "UPDATE account SET balance = " + (seenByOther - 20) + " WHERE id = 1");
    }
    other.commit();
  }
}
