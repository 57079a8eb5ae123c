package io.txwatch.debezium;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.txwatch.changes.debezium.DebeziumDecoder;
import io.txwatch.changes.debezium.DebeziumTransactions;
import io.txwatch.debezium.RunningEngine.Captured;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Debezium's embedded engine on real servers, in each build: what {@code DebeziumDecoderTest} and
 * {@code DebeziumJoinTest} assert of recordings holds for what it writes now. On MySQL where it was
 * fetched; MariaDB's connector of this version is not at Maven Central.
 */
class RealEngineIT {

  private static final String KEY = "key-of-the-real-engine";

  private static final Path RECORDINGS =
      Path.of("../changes/src/test/resources/io/txwatch/changes/debezium");

  private static final Pattern ANOMALY =
      Pattern.compile("(?m)^.*?\\b([A-Z]+(?:_[A-Z]+)*)\\b.*\\b(HAZARD|VIOLATION)\\b.*$");

  @TempDir private Path directory = Path.of("");

  static Stream<ServerKind> kinds() {
    return TestServers.kinds()
        .filter(
            kind ->
                kind == ServerKind.POSTGRESQL
                    || (kind == ServerKind.MYSQL && MySqlServer.isFetched()));
  }

  /** The result with the records is that of the driver which reads the log itself. */
  @Test
  void joinedHistoryHasTheAnomaliesThatTheDriverFindsWithTheLog() throws Exception {
    assumeTrue(kinds().anyMatch(ServerKind.MYSQL::equals), "servers/mysql fetch gets MySQL");
    Path records = directory.resolve("shop.records");
    Path statements = directory.resolve("statements.history");
    Path log = directory.resolve("log.history");
    Path key = Files.writeString(directory.resolve("key"), KEY);

    try (DatabaseServer server = MySqlServer.start()) {
      CaptureScenario.record(server, records, statements, "statements", KEY);
      String url = server.newDatabase("logged");
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        for (String sql : WatchedClients.TABLES) {
          statement.execute(sql);
        }
      }
      WatchedClients.start(url, log, "log", KEY);
    }

    List<String> byLog = anomalies(ChildProcess.txwatch("check", log.toString()));
    assertThat(byLog).containsExactly("LOST_UPDATE HAZARD", "WRITE_SKEW HAZARD");
    assertThat(anomalies(ChildProcess.txwatch("check", statements.toString()))).isEmpty();
    assertThat(
            anomalies(
                ChildProcess.txwatch(
                    "check",
                    statements.toString(),
                    "--changes",
                    records.toString(),
                    "--value-key-file",
                    key.toString())))
        .isEqualTo(byLog);
  }

  private static List<String> anomalies(String report) {
    return ANOMALY
        .matcher(report)
        .results()
        .map((MatchResult line) -> line.group(1) + " " + line.group(2))
        .toList();
  }

  /** Columns of all types, changes of a key, several tables in a transaction. */
  @ParameterizedTest
  @MethodSource("kinds")
  void rowsAreThoseOfTheRecordings(ServerKind kind) throws Exception {
    String recording = kind == ServerKind.MYSQL ? "mysql" : "postgresql";
    Pattern object = Pattern.compile("\\{\"topic\":\"(.*?)\",\"key\":(.*?),\"value\":(.*)}");
    List<Captured> recorded =
        Files.readAllLines(RECORDINGS.resolve(recording + "-default.jsonl")).stream()
            .flatMap(line -> object.matcher(line).results())
            .map(
                line ->
                    new Captured(
                        line.group(1),
                        line.group(2),
                        line.group(3).equals("null") ? null : line.group(3)))
            .toList();

    List<String> rows = rows(CaptureEnvelopes.records(kind, "default"));

    assertThat(rows).hasSize(10).isEqualTo(rows(recorded));
  }

  private static List<String> rows(List<Captured> records) {
    DebeziumDecoder decoder = new DebeziumDecoder();
    DebeziumTransactions transactions = new DebeziumTransactions();
    for (Captured each : records) {
      transactions.add(decoder.decode(each.topic(), bytes(each.key()), bytes(each.value())));
    }
    return transactions.transactions().stream()
        .flatMap(each -> each.transaction().changes().stream())
        .filter(row -> !row.table().name().equals("start"))
        .map(
            row ->
                row.statement()
                    + " "
                    + row.kind()
                    + " "
                    + row.table().name()
                    + row.table().columns()
                    + Arrays.deepToString(row.before())
                    + Arrays.deepToString(row.after()))
        .toList();
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }
}
