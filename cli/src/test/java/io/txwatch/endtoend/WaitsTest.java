package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.txwatch.coverage.OperationWaits;
import io.txwatch.history.Event;
import io.txwatch.report.TextReport;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** OperationWaits for locks on each DBMS that has them, and transactions that are repeated. */
class WaitsTest {

  /** Many samples are taken meanwhile. */
  private static final long HELD_MILLIS = 1500;

  static Stream<ServerKind> kinds() {
    return TestServers.concurrentKinds();
  }

  private static String create(ServerKind kind) throws SQLException {
    String url = TestServers.freshDatabase(kind);
    try (Connection connection = DriverManager.getConnection(url)) {
      update(connection, "CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      update(connection, "INSERT INTO account VALUES (1, 0), (2, 0)");
    }
    return url;
  }

  private static void update(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.executeUpdate(sql);
    }
  }

  private static void write(Connection connection, int id) throws SQLException {
    update(connection, "UPDATE account SET balance = balance + 1 WHERE id = " + id);
  }

  /** One connection waits for a row that another one has written. */
  private static void waitFor(Connection holding, Connection waiting) throws Exception {
    holding.setAutoCommit(false);
    waiting.setAutoCommit(false);
    write(holding, 1);
    write(waiting, 2);
    CompletableFuture<Void> waits =
        CompletableFuture.runAsync(
            () -> {
              try {
                write(waiting, 1);
                waiting.commit();
              } catch (SQLException e) {
                throw new IllegalStateException(e);
              }
            });
    Thread.sleep(HELD_MILLIS);
    holding.commit();
    waits.get(20, TimeUnit.SECONDS);
  }

  private static List<Event.Waited> waits(Watched watched) throws Exception {
    return watched.events().stream()
        .filter(Event.Waited.class::isInstance)
        .map(Event.Waited.class::cast)
        .toList();
  }

  /** The transaction of the first statement in the history that wrote a row. */
  private static Event.StatementExecuted writer(Watched watched, int id) throws Exception {
    return watched.events().stream()
        .filter(Event.StatementExecuted.class::isInstance)
        .map(Event.StatementExecuted.class::cast)
        .filter(event -> event.sql().endsWith("id = " + id))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whoWaitedForWhomIsRecorded(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of("txwatch.waits", "on"));
    try (watched;
        Connection holding = watched.connect(url);
        Connection waiting = watched.connect(url)) {
      waitFor(holding, waiting);
    }
    Event.StatementExecuted holder = writer(watched, 1);
    Event.StatementExecuted waiter = writer(watched, 2);
    assertThat(waits(watched))
        .singleElement()
        .satisfies(
            wait -> {
              assertThat(wait.transaction()).isEqualTo(waiter.transaction());
              assertThat(wait.statement()).isEqualTo(2);
              assertThat(wait.holders())
                  .containsExactly(new Event.Waited.Holder(holder.session(), holder.transaction()));
              assertThat(wait.duration()).isPositive();
            });
    Watched.Afterwards afterwards = watched.analysedAfterwards();
    assertThat(afterwards.coverage().waits().pairs())
        .singleElement()
        .satisfies(
            pair -> {
              assertThat(pair.waiting()).isEqualTo("WaitsTest.java");
              assertThat(pair.holding()).isEqualTo("WaitsTest.java");
              assertThat(pair.count()).isEqualTo(1);
              assertThat(pair.longestAt()).startsWith("WaitsTest.java:");
            });
    assertThat(TextReport.coverage(afterwards.coverage()))
        .contains("waits     1 wait for locks, ")
        .contains("WaitsTest.java for WaitsTest.java: 1 time, ");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void holderThatIsNotWatchedHasNoName(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of("txwatch.waits", "on"));
    try (watched;
        Connection holding = DriverManager.getConnection(url);
        Connection waiting = watched.connect(url)) {
      waitFor(holding, waiting);
    }
    assertThat(waits(watched))
        .singleElement()
        .satisfies(
            wait -> assertThat(wait.holders()).containsExactly(Event.Waited.Holder.NOT_WATCHED));
    assertThat(watched.analysedAfterwards().coverage().waits().pairs())
        .extracting(OperationWaits.Pair::holding)
        .containsExactly("not watched");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void slowStatementIsNoWait(ServerKind kind, @TempDir Path folder) throws Exception {
    String sleep =
        switch (kind) {
          case POSTGRESQL -> "SELECT pg_sleep(1)";
          case H2 -> "SELECT COUNT(*) FROM SYSTEM_RANGE(1, 20000000)";
          default -> "SELECT SLEEP(1)";
        };
    Watched watched = new Watched(folder, Map.of("txwatch.waits", "on"));
    try (watched;
        Connection connection = watched.connect(create(kind));
        Statement statement = connection.createStatement()) {
      statement.executeQuery(sleep).close();
    }
    assertThat(waits(watched)).isEmpty();
    assertThat(TextReport.coverage(watched.analysedAfterwards().coverage()))
        .doesNotContain("waits");
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void nothingIsRecordedIfItIsOff(ServerKind kind, @TempDir Path folder) throws Exception {
    String url = create(kind);
    Watched watched = new Watched(folder, Map.of());
    try (watched;
        Connection holding = watched.connect(url);
        Connection waiting = watched.connect(url)) {
      waitFor(holding, waiting);
    }
    assertThat(waits(watched)).isEmpty();
  }

  /** The URL of a database for a user who has all rights in it, and none beside. */
  static String asPlainUser(String url) throws SQLException {
    String user;
    try (Connection connection = DriverManager.getConnection(url)) {
      user = connection.getCatalog();
      update(connection, "CREATE USER '" + user + "'@'%' IDENTIFIED BY 'secret'");
      update(connection, "GRANT ALL ON " + user + ".* TO '" + user + "'@'%'");
    }
    return url.replaceFirst("[?].*", "")
        + "?user="
        + user
        + "&password=secret&sslMode="
        + (url.startsWith("jdbc:mysql:") ? "PREFERRED" : "disable");
  }

  @ParameterizedTest
  @EnumSource(names = {"MYSQL", "MARIADB"})
  void withoutPrivilegesOneLineIsPrinted(ServerKind kind, @TempDir Path folder) throws Exception {
    assumeThat(TestServers.missing(kind)).isEmpty();
    String url = asPlainUser(create(kind));
    Watched watched = new Watched(folder, Map.of("txwatch.waits", "on"));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.err;
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (watched;
        Connection holding = watched.connect(url);
        Connection waiting = watched.connect(url)) {
      waitFor(holding, waiting);
    } finally {
      System.setErr(before);
    }
    assertThat(waits(watched)).isEmpty();
    assertThat(printed.toString(StandardCharsets.UTF_8).lines())
        .filteredOn(line -> line.contains("waits are not observed"))
        .hasSize(1);
  }

  /** Both rows are read, one is written. */
  private static void skew(Connection connection, int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT SUM(balance) FROM account")) {
      assertThat(rows.next()).isTrue();
    }
    write(connection, id);
  }

  @Test
  void transactionWhoseCommitFailedIsRepeated(@TempDir Path folder) throws Exception {
    String url = create(ServerKind.POSTGRESQL);
    Watched watched = new Watched(folder, Map.of("txwatch.waits", "on"));
    try (watched;
        Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      for (Connection connection : List.of(one, other)) {
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        skew(connection, connection == one ? 1 : 2);
      }
      one.commit();
      assertThatThrownBy(other::commit)
          .isInstanceOfSatisfying(
              SQLException.class, error -> assertThat(error.getSQLState()).isEqualTo("40001"));
      other.rollback();
      skew(other, 2);
      other.commit();
    }
    Watched.Afterwards afterwards = watched.analysedAfterwards();
    assertThat(afterwards.coverage().waits().repeated()).isEqualTo(1);
    assertThat(watched.events())
        .filteredOn(Event.CommitFailed.class::isInstance)
        .singleElement()
        .satisfies(event -> assertThat(((Event.CommitFailed) event).sqlState()).isEqualTo("40001"));
  }
}
