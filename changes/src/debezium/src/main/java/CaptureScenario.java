import io.debezium.engine.ChangeEvent;
import io.debezium.engine.DebeziumEngine;
import io.debezium.engine.format.Json;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.MySqlServer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Writes the recording of {@code DebeziumJoinTest}: two clients, watched, and the records that
 * Debezium's engine makes meanwhile.
 *
 * <p>Arguments: mysql or mariadb, the file of records (each line a key, a tab and a value), the
 * history, the value of {@code txwatch.versions}, that of {@code txwatch.value-key}.
 */
public final class CaptureScenario {

  /** MariaDB's log has no numbers of connections, so that the text must state the row. */
  private static String condition = "id BETWEEN ? AND ?";

  public static void main(String[] args) throws Exception {
    if (args[0].equals("mariadb")) {
      condition = "id = ? AND id = ?";
    }
    DatabaseServer server =
        args[0].equals("mysql")
            ? MySqlServer.start()
            : MariaDbServer.start("--log-bin=binlog", "--binlog-format=ROW", "--server-id=7");
    String url = server.newDatabase("shopdb");
    List<String> lines = new CopyOnWriteArrayList<>();
    Connection plain = DriverManager.getConnection(url);
    Statement st = plain.createStatement();
    st.execute("CREATE TABLE start (v VARCHAR(10) PRIMARY KEY, n INT)");
    st.execute("INSERT INTO start VALUES ('start', 0)");
    st.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
    st.execute("INSERT INTO account VALUES (1,100),(2,100),(3,100),(4,100)");
    Properties p = new Properties();
    URI uri = URI.create(url.substring(5));
    p.put("name", "capture");
    p.put("topic.prefix", "shop");
    p.put("database.hostname", uri.getHost());
    p.put("database.port", "" + uri.getPort());
    p.put("database.user", server.user());
    p.put("database.password", server.password());
    p.put("offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore");
    p.put("provide.transaction.metadata", "true");
    p.put("snapshot.mode", "no_data");
    p.put(
        "connector.class",
        args[0].equals("mysql")
            ? "io.debezium.connector.mysql.MySqlConnector"
            : "io.debezium.connector.mariadb.MariaDbConnector");
    p.put("database.include.list", "shopdb");
    p.put("database.server.id", "4711");
    p.put("database.ssl.mode", args[0].equals("mysql") ? "preferred" : "disable");
    p.put("driver.allowPublicKeyRetrieval", "true");
    p.put("schema.history.internal", "io.debezium.relational.history.MemorySchemaHistory");
    DebeziumEngine<ChangeEvent<String, String>> engine =
        DebeziumEngine.create(Json.class)
            .using(p)
            .notifying(
                e -> {
                  if (e.destination() != null)
                    lines.add(e.key() + "\t" + e.value());
                })
            .build();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    thread.execute(engine);
    while (lines.stream().noneMatch(l -> l.contains("\"ready\""))) {
      st.execute("UPDATE start SET v='ready', n=n+1");
      Thread.sleep(500);
    }
    // all rows are written once, so that their first versions are in the topics
    for (int i = 1; i <= 4; i++) st.execute("UPDATE account SET balance = 90 WHERE id = " + i);
    Thread.sleep(1200);
    String watched =
        url.replace("jdbc:", "jdbc:txwatch:")
            + (url.contains("?") ? "&" : "?")
            + "txwatch.versions="
            + args[3]
            + "&txwatch.history="
            + args[2]
            + "&txwatch.value-key="
            + args[4];
    try (Connection a = DriverManager.getConnection(watched);
        Connection b = DriverManager.getConnection(watched)) {
      a.setAutoCommit(false);
      b.setAutoCommit(false);
      a.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      b.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      if (args[0].equals("mariadb")) {
        // What is read next is not what was written last: only the log has that version.
        update(a, 1, 80);
        a.commit();
        Thread.sleep(1100);
        st.execute("UPDATE account SET balance = 70 WHERE id = 1");
        Thread.sleep(1100);
      }
      // lost update
      int seenA = balance(a, 1), seenB = balance(b, 1);
      update(a, 1, seenA - 10);
      a.commit();
      update(b, 1, seenB - 20);
      b.commit();
      Thread.sleep(1100);
      // write skew
      balance(a, 2);
      balance(a, 3);
      balance(b, 2);
      balance(b, 3);
      update(a, 2, 0);
      update(b, 3, 0);
      a.commit();
      b.commit();
      Thread.sleep(1100);
      // no anomaly
      int x = balance(a, 4);
      update(a, 4, x - 1);
      a.commit();
      x = balance(b, 4);
      update(b, 4, x - 1);
      b.commit();
      Thread.sleep(1100);
      balance(a, 4);
      a.commit();
    }
    Thread.sleep(1200);
    st.execute("UPDATE start SET v='end'");
    while (lines.stream().noneMatch(l -> l.contains("\"end\""))) Thread.sleep(100);
    Thread.sleep(1500);
    engine.close();
    thread.shutdown();
    Files.write(
        Path.of(args[1]), lines.stream().filter(l -> !l.contains("\"databaseName\"")).toList());
    server.close();
    System.exit(0);
  }

  static int balance(Connection c, int id) throws SQLException {
    try (PreparedStatement s = c.prepareStatement("SELECT id, balance FROM account WHERE id = ?")) {
      s.setInt(1, id);
      ResultSet r = s.executeQuery();
      r.next();
      return r.getInt(2);
    }
  }

  static void update(Connection c, int id, int v) throws SQLException {
    try (PreparedStatement s =
        c.prepareStatement("UPDATE account SET balance = ? WHERE " + condition)) {
      s.setInt(1, v);
      s.setInt(2, id);
      s.setInt(3, id);
      s.executeUpdate();
    }
  }
}
