package io.txwatch.debezium;

import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.ServerKind;
import java.io.IOException;
import java.net.URI;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Debezium's embedded engine, which reads the log of a server and collects the records that a
 * connector would write to topics whose prefix is {@code shop}.
 */
final class RunningEngine implements AutoCloseable {

  private static final Duration MAX_WAIT = Duration.ofSeconds(60);
  private static final long POLL_MILLIS = 50;

  /** A field, so that its level is not collected. */
  private static final Logger LOG_READER = Logger.getLogger("com.github.shyiko");

  private static final String MARKER_TABLE =
      "CREATE TABLE start (v VARCHAR(10) PRIMARY KEY, n INT)";

  private final List<Captured> records = new CopyOnWriteArrayList<>();
  private final ExecutorService thread = Executors.newSingleThreadExecutor();
  private final DebeziumEngine<ChangeEvent<String, String>> engine;

  /** A record of a topic; the value of a tombstone is null. */
  record Captured(String topic, @Nullable String key, @Nullable String value) {}

  private RunningEngine(Properties properties) {
    engine =
        DebeziumEngine.create(Json.class)
            .using(properties)
            .notifying(
                event -> {
                  if (event.destination() != null) {
                    records.add(new Captured(event.destination(), event.key(), event.value()));
                  }
                })
            .build();
    thread.execute(engine);
  }

  /**
   * Starts one, and waits until it reads the log.
   *
   * @param url of a new database, in which the table {@code start} is created
   * @param statement on that database
   * @param more further settings of the connector
   */
  static RunningEngine start(
      DatabaseServer server, String url, Statement statement, Map<String, String> more)
      throws Exception {
    LOG_READER.setLevel(Level.OFF);
    statement.execute(MARKER_TABLE);
    statement.execute("INSERT INTO start VALUES ('start', 0)");
    Properties properties = properties(server, URI.create(url.substring("jdbc:".length())));
    properties.putAll(more);
    RunningEngine engine = new RunningEngine(properties);
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    while (!engine.hasRead("ready")) {
      if (System.nanoTime() > end) {
        engine.close();
        throw new IllegalStateException("the engine reads no change");
      }
      statement.execute("UPDATE start SET v = 'ready', n = n + 1");
      Thread.sleep(10 * POLL_MILLIS);
    }
    return engine;
  }

  private static Properties properties(DatabaseServer server, URI uri) {
    Properties properties = new Properties();
    properties.put("name", "capture");
    properties.put("topic.prefix", "shop");
    properties.put("database.hostname", uri.getHost());
    properties.put("database.port", String.valueOf(uri.getPort()));
    properties.put("database.user", server.user());
    properties.put("database.password", server.password());
    properties.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    properties.put("provide.transaction.metadata", "true");
    String database = uri.getPath().substring(1);
    if (server.kind() == ServerKind.POSTGRESQL) {
      properties.put("connector.class", "io.debezium.connector.postgresql.PostgresConnector");
      properties.put("database.dbname", database);
      properties.put("plugin.name", "pgoutput");
      properties.put("schema.include.list", "public");
      return properties;
    }
    boolean isMySql = server.kind() == ServerKind.MYSQL;
    properties.put(
        "connector.class",
        isMySql
            ? "io.debezium.connector.mysql.MySqlConnector"
            : "io.debezium.connector.mariadb.MariaDbConnector");
    properties.put("database.include.list", database);
    properties.put("database.server.id", "4711");
    properties.put("database.ssl.mode", isMySql ? "preferred" : "disable");
    properties.put("driver.allowPublicKeyRetrieval", "true");
    properties.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    return properties;
  }

  /** The records up to now, once all that was committed is among them. */
  List<Captured> recordsToEnd(Statement statement) throws SQLException, InterruptedException {
    statement.execute("UPDATE start SET v = 'end'");
    long end = System.nanoTime() + MAX_WAIT.toNanos();
    while (!hasRead("end") || !isEnd(records.get(records.size() - 1))) {
      if (System.nanoTime() > end) {
        throw new IllegalStateException("the engine has not read all changes");
      }
      Thread.sleep(POLL_MILLIS);
    }
    return List.copyOf(records);
  }

  /** The end of a transaction follows its rows. */
  private static boolean isEnd(Captured record) {
    return record.value() != null && record.value().contains("\"status\":\"END\"");
  }

  private boolean hasRead(String marker) {
    return records.stream()
        .map(Captured::value)
        .anyMatch(value -> value != null && value.contains("\"v\":\"" + marker + "\""));
  }

  @Override
  public void close() throws IOException {
    engine.close();
    thread.shutdown();
  }
}
