import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import io.txwatch.servers.PostgresServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Writes the test resources of the decoder: the records that a real engine of Debezium makes of
 * real servers. Each line is an object with topic, key and value; a tombstone's value is null.
 *
 * <p>Arguments: mysql, mariadb or postgresql; default (schemas, decimals as bytes, adaptive times)
 * or plain (no schemas, decimals as texts, connect's times); the file.
 */
public final class CaptureEnvelopes {

  private static final String PREFIX = "shop";

  private CaptureEnvelopes() {}

  public static void main(String[] args) throws Exception {
    DatabaseServer server =
        switch (args[0]) {
          case "mysql" -> MySqlServer.start();
          case "mariadb" ->
              MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
          default -> PostgresServer.start(List.of("wal_level=logical"));
        };
    boolean isPostgres = args[0].equals("postgresql");
    String url = server.newDatabase("shopdb");
    List<String> lines = new CopyOnWriteArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : isPostgres ? POSTGRES_TABLES : TABLES) {
        statement.execute(sql);
      }
      DebeziumEngine<ChangeEvent<String, String>> engine =
          DebeziumEngine.create(Json.class)
              .using(properties(args, server, url))
              .notifying(
                  event -> {
                    if (event.destination() != null) {
                      lines.add(
                          "{\"topic\":\"%s\",\"key\":%s,\"value\":%s}"
                              .formatted(event.destination(), event.key(), event.value()));
                    }
                  })
              .build();
      ExecutorService thread = Executors.newSingleThreadExecutor();
      thread.execute(engine);
      while (lines.stream().noneMatch(line -> line.contains("ready"))) {
        statement.execute("UPDATE start SET v = 'ready', n = n + 1");
        Thread.sleep(1000);
      }
      connection.setAutoCommit(false);
      for (String sql : isPostgres ? POSTGRES_CHANGES : CHANGES) {
        statement.execute(sql);
      }
      connection.commit();
      statement.execute("UPDATE start SET v = 'end'");
      connection.commit();
      while (lines.stream().noneMatch(line -> line.contains("\"end\""))) {
        Thread.sleep(100);
      }
      Thread.sleep(1500);
      engine.close();
      thread.shutdown();
    }
    Files.write(Path.of(args[2]), lines.stream().filter(line -> !line.contains("ready")).toList());
    server.close();
    System.exit(0);
  }

  private static Properties properties(String[] args, DatabaseServer server, String url) {
    URI uri = URI.create(url.substring("jdbc:".length()));
    Properties properties = new Properties();
    properties.put("name", "capture");
    properties.put("topic.prefix", PREFIX);
    properties.put("database.hostname", uri.getHost());
    properties.put("database.port", String.valueOf(uri.getPort()));
    properties.put("database.user", server.user());
    properties.put("database.password", server.password());
    properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    properties.put("provide.transaction.metadata", "true");
    properties.put("snapshot.mode", "initial");
    if (args[0].equals("postgresql")) {
      properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
      properties.put("database.dbname", "shopdb");
      properties.put("plugin.name", "pgoutput");
      properties.put("schema.include.list", "public");
    } else {
      properties.put(
          "connector.class",
          args[0].equals("mysql")
              ? "io.debezium.connector.mysql.MySqlConnector"
              : "io.debezium.connector.mariadb.MariaDbConnector");
      properties.put("database.include.list", "shopdb");
      properties.put("database.server.id", "4711");
      properties.put("database.ssl.mode", args[0].equals("mysql") ? "preferred" : "disable");
      properties.put("driver.allowPublicKeyRetrieval", "true");
      properties.put(
          "schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    }
    if (args[1].equals("plain")) {
      properties.put("converter.schemas.enable", "false");
      properties.put("decimal.handling.mode", "string");
      properties.put("time.precision.mode", "connect");
    } else if (args[1].equals("strings")) {
      properties.put("decimal.handling.mode", "string");
      properties.put("bigint.unsigned.handling.mode", "precise");
      properties.put("time.precision.mode", "connect");
    }
    return properties;
  }

  private static final List<String> TABLES =
      List.of(
          "CREATE TABLE start (v VARCHAR(10) PRIMARY KEY, n INT)",
          "INSERT INTO start VALUES ('start', 0)",
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
          "CREATE TABLE start (v VARCHAR(10) PRIMARY KEY, n INT)",
          "INSERT INTO start VALUES ('start', 0)",
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
