package io.txwatch.debezium;

import io.txwatch.debezium.RunningEngine.Captured;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import io.txwatch.servers.ServerKind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes the test resources of the decoder: the records that the engine makes of columns of all
 * types, and of several rows. Each line is an object with topic, key and value; a tombstone's value
 * is null.
 *
 * <p>Arguments: mysql, mariadb or postgresql; default (schemas, decimals as bytes, adaptive times),
 * strings (decimals as texts, times of Kafka Connect) or plain (those, and no schemas); the file.
 */
final class CaptureEnvelopes {

  private CaptureEnvelopes() {}

  public static void main(String[] args) throws Exception {
    ServerKind kind = ServerKind.valueOf(args[0].toUpperCase(Locale.ROOT));
    List<String> lines = new ArrayList<>();
    for (Captured each : records(kind, args[1])) {
      String line =
          "{\"topic\":\"%s\",\"key\":%s,\"value\":%s}"
              .formatted(each.topic(), each.key(), each.value());
      if (!line.contains("ready")) {
        lines.add(line);
      }
    }
    Files.write(Path.of(args[2]), lines);
    System.exit(0);
  }

  /** Starts a server and the engine, executes the statements, and returns the records. */
  static List<Captured> records(ServerKind kind, String mode) throws Exception {
    boolean isPostgres = kind == ServerKind.POSTGRESQL;
    try (DatabaseServer server = server(kind)) {
      String url = server.newDatabase("shopdb");
      try (Connection connection = DriverManager.getConnection(url);
          Statement statement = connection.createStatement()) {
        for (String sql : isPostgres ? POSTGRES_TABLES : TABLES) {
          statement.execute(sql);
        }
        try (RunningEngine engine = RunningEngine.start(server, url, statement, settings(mode))) {
          connection.setAutoCommit(false);
          for (String sql : isPostgres ? POSTGRES_CHANGES : CHANGES) {
            statement.execute(sql);
          }
          connection.commit();
          connection.setAutoCommit(true);
          return engine.recordsToEnd(statement);
        }
      }
    }
  }

  /** Each with a log that the engine can read. */
  static DatabaseServer server(ServerKind kind) {
    return switch (kind) {
      case MYSQL -> MySqlServer.start();
      case MARIADB ->
          MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
      case POSTGRESQL -> PostgresServer.start(List.of("wal_level=logical"));
      default -> throw new IllegalArgumentException("no log of " + kind);
    };
  }

  private static Map<String, String> settings(String mode) {
    Map<String, String> settings = new HashMap<>(Map.of("snapshot.mode", "initial"));
    if (!mode.equals("default")) {
      settings.put("decimal.handling.mode", "string");
      settings.put("time.precision.mode", "connect");
    }
    if (mode.equals("plain")) {
      settings.put("converter.schemas.enable", "false");
    } else if (mode.equals("strings")) {
      settings.put("bigint.unsigned.handling.mode", "precise");
    }
    return settings;
  }

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE types (id BIGINT PRIMARY KEY, i INT, si SMALLINT, b TINYINT(1), u BIGINT"
              + " UNSIGNED, d DECIMAL(10,2) NOT NULL, dbl DOUBLE, f FLOAT, v VARCHAR(20), c"
              + " CHAR(5), bin VARBINARY(4), bits BIT(8), dt DATE, t TIME(6), dts DATETIME, dtm"
              + " DATETIME(6), ts TIMESTAMP(3) NULL, y YEAR, e ENUM('new','old'), s SET('x','y'), j"
              + " JSON)",
          "CREATE TABLE pair (a INT, b VARCHAR(5), v INT, PRIMARY KEY (a, b))");

  private static final List<String> CHANGES =
      List.of(
          "INSERT INTO types VALUES (1, -7, 300, 1, 9223372036854775807, 12.50, 1.5, 0.1, 'Grün',"
              + " 'ab', x'00ff', b'101', '2026-02-28', '10:11:12.000013', '2026-02-28 10:11:12',"
              + " '2026-02-28 10:11:12.123456', '2026-02-28 10:11:12.123', 2026, 'old', 'x,y',"
              + " '{\"k\": 1}')",
          "UPDATE types SET i = 8, d = -0.05, v = NULL WHERE id = 1",
          "INSERT INTO pair VALUES (1, 'x', 5), (2, 'y', 6)",
          "UPDATE pair SET v = v + 1",
          "UPDATE pair SET a = 3 WHERE a = 2",
          "DELETE FROM pair WHERE a = 1",
          "DELETE FROM types");

  private static final List<String> POSTGRES_TABLES =
      List.of(
          "CREATE TABLE types (id BIGINT PRIMARY KEY, i INT, si SMALLINT, b BOOLEAN, d"
              + " NUMERIC(10,2) NOT NULL, n NUMERIC, dbl DOUBLE PRECISION, f REAL, v VARCHAR(20), c"
              + " CHAR(5), bin BYTEA, dt DATE, t TIME, ts TIMESTAMP, tz TIMESTAMPTZ, u UUID, j"
              + " JSONB)",
          "CREATE TABLE pair (a INT, b VARCHAR(5), v INT, PRIMARY KEY (a, b))",
          "ALTER TABLE pair REPLICA IDENTITY FULL");

  private static final List<String> POSTGRES_CHANGES =
      List.of(
          "INSERT INTO types VALUES (1, -7, 300, true, 12.50, 1.25, 1.5, 0.1, 'Grün', 'ab',"
              + " '\\x00ff', '2026-02-28', '10:11:12.000013', '2026-02-28 10:11:12.123456',"
              + " '2026-02-28 10:11:12.123456+00', '5b2e0dd5-7d2b-4c39-8f3b-7d54a9f6a4c1',"
              + " '{\"k\": 1}')",
          "UPDATE types SET i = 8, d = -0.05, v = NULL WHERE id = 1",
          "INSERT INTO pair VALUES (1, 'x', 5), (2, 'y', 6)",
          "UPDATE pair SET v = v + 1",
          "UPDATE pair SET a = 3 WHERE a = 2",
          "DELETE FROM pair WHERE a = 1",
          "DELETE FROM types");
}
