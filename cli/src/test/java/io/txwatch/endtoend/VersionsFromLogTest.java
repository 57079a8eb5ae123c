package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.capture.Pipeline;
import io.txwatch.changes.ChangeEvents;
import io.txwatch.changes.binlog.BinaryLogSource;
import io.txwatch.changes.binlog.ServerAddress;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.Ids;
import io.txwatch.history.ValueHash;
import io.txwatch.jdbc.Watch;
import io.txwatch.report.JsonReport;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import io.txwatch.settings.Settings;
import java.io.IOException;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads by value, and writes from the binary log: nothing is prepared, and nothing rewritten. */
class VersionsFromLogTest {

  private static final Settings SETTINGS = Settings.of(Map.of(Setting.VERSIONS, "log"));

  static Stream<ServerKind> kinds() {
    return Stream.of(ServerKind.MYSQL, ServerKind.MARIADB)
        .filter(kind -> TestServers.missing(kind).isEmpty());
  }

  /** What is observed is analysed at once, and kept. */
  private static final class Analysed implements EventSink {
    final List<Event> events = new ArrayList<>();
    final List<String> anomalies = new ArrayList<>();
    final Analyzer analyzer =
        new Analyzer(Judge.named("dbms"), (Anomaly a) -> anomalies.add(JsonReport.anomaly(a)));

    @Override
    public synchronized void accept(Event event) {
      events.add(event);
      analyzer.accept(event);
    }

    synchronized Event.SessionOpened first() {
      return (Event.SessionOpened) events.get(0);
    }

    synchronized long count(Class<? extends Event> type) {
      return events.stream().filter(type::isInstance).count();
    }

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void aLostUpdateIsReportedWithItsLine(ServerKind kind) throws Exception {
    try (DatabaseServer server =
        kind == ServerKind.MYSQL
            ? MySqlServer.start()
            : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7")) {
      String url = server.newDatabase("bank");
      try (Connection raw = DriverManager.getConnection(url);
          Statement statement = raw.createStatement()) {
        statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
        statement.execute("INSERT INTO account VALUES (1, 100), (2, 100)");
      }
      Analysed analysed = new Analysed();
      Pipeline pipeline = new Pipeline(Ids.ofNode(1), analysed);
      try (Connection one = watched(url, pipeline);
          Connection other = watched(url, pipeline)) {
        one.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        other.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        balance(one, 2);
        URI at = URI.create(url.substring("jdbc:".length()));
        ChangeEvents changes =
            new ChangeEvents(
                pipeline.ids().next(),
                "binary log",
                analysed.first().database(),
                "bank",
                ValueHash.ofThisProcess(),
                analysed::accept);
        try (BinaryLogSource source =
            new BinaryLogSource(
                new ServerAddress(
                    at.getHost(), at.getPort(), server.user(), "", ServerAddress.Tls.DISABLED),
                () -> DriverManager.getConnection(url))) {
          source.start(changes);
          awaitRecord(changes, source, analysed, 1);
          loseAnUpdate(one, other);
          awaitRecord(changes, source, analysed, 2);
        }
      }
      analysed.analyzer.close();

      assertThat(analysed.anomalies)
          .as(() -> analysed.analyzer.resolution() + " " + analysed.anomalies)
          .anySatisfy(
              anomaly ->
                  assertThat(anomaly)
                      .contains("LOST_UPDATE", "CONFIRMED", "VersionsFromLogTest.loseAnUpdate"));
    }
  }

  private static void awaitRecord(
      ChangeEvents changes, BinaryLogSource source, Analysed analysed, int times)
      throws IOException {
    changes.readThroughNow(source);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> analysed.count(Event.ChangesRead.class) == times);
  }

  private static Connection watched(String url, Pipeline pipeline) throws SQLException {
    return Watch.connection(
        DriverManager.getConnection(url),
        url,
        "",
        () -> DriverManager.getConnection(url),
        SETTINGS,
        pipeline);
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
