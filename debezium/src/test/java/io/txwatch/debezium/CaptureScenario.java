package io.txwatch.debezium;

import io.txwatch.debezium.RunningEngine.Captured;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.ServerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the recording of {@code DebeziumJoinTest}: {@link WatchedClients} in a process of their
 * own, and the records that the engine makes meanwhile.
 *
 * <p>Arguments: mysql or mariadb; the file of records (each line a key, a tab and a value); the
 * history; the value of {@code txwatch.versions}; that of {@code txwatch.value-key}.
 */
final class CaptureScenario {

  private CaptureScenario() {}

  public static void main(String[] args) throws Exception {
    ServerKind kind = ServerKind.valueOf(args[0].toUpperCase(Locale.ROOT));
    try (DatabaseServer server = CaptureEnvelopes.server(kind)) {
      record(server, Path.of(args[1]), Path.of(args[2]), args[3], args[4]);
    }
    System.exit(0);
  }

  /** Runs the clients on a new database, and writes the records and the history. */
  static void record(DatabaseServer server, Path records, Path history, String versions, String key)
      throws Exception {
    String url = server.newDatabase("shopdb");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : WatchedClients.TABLES) {
        statement.execute(sql);
      }
      Map<String, String> settings = Map.of("snapshot.mode", "no_data");
      try (RunningEngine engine = RunningEngine.start(server, url, statement, settings)) {
        WatchedClients.start(url, history, versions, key);
        List<String> lines =
            engine.recordsToEnd(statement).stream().map(CaptureScenario::line).toList();
        Files.write(
            records, lines.stream().filter(line -> !line.contains("\"databaseName\"")).toList());
      }
    }
  }

  private static String line(Captured each) {
    return each.key() + "\t" + each.value();
  }
}
