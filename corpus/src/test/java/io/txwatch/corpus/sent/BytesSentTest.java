package io.txwatch.corpus.sent;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.corpus.Outcome;
import io.txwatch.corpus.Watching;
import io.txwatch.history.Ids;
import io.txwatch.jdbc.Watch;
import io.txwatch.servers.DatabaseServer;
import io.txwatch.servers.MariaDbServer;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.derby.drda.NetworkServerControl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * By value, each byte that an application's connection sends to a server is one that it sends
 * unwatched: as a relay between the driver and the server sees it.
 */
class BytesSentTest {

  /** A server, and how its driver is configured; {@code %d} in the URL is the port. */
  private record Way(String name, String url, int port, String versions, boolean tracksSessions) {

    Way(String name, String url, int port, String versions) {
      this(name, url, port, versions, true);
    }

    Numbers numbers() {
      return url.startsWith("jdbc:mariadb:")
          ? Numbers.MARIADB
          : url.startsWith("jdbc:derby:")
              ? Numbers.DERBY
              : url.startsWith("jdbc:hsqldb:") ? Numbers.HSQLDB : Numbers.NONE;
    }

    @Override
    public String toString() {
      return name + ", " + versions;
    }
  }

  /** Numbers that a server gives out to all its sessions, so that two raw runs differ in them. */
  private enum Numbers {
    NONE,
    /** MariaDB's client sends back the number of a prepared statement. */
    MARIADB {
      @Override
      String withoutNumbers(String sent) {
        Pattern command =
            Pattern.compile("(?s)(...\\x00[\\x17-\\x1c\\xfa])((?!\\xff\\xff\\xff\\xff)....)");
        return command.matcher(sent).replaceAll("$1[id]");
      }
    },
    /** Derby's client sends back the name of a constraint. */
    DERBY {
      @Override
      String withoutNumbers(String sent) {
        return sent.replaceAll("SQL\\d{10}-[-0-9a-f]{27}", "[name]");
      }
    },
    /** HSQLDB's client sends back the number of a prepared statement. */
    HSQLDB {
      @Override
      String withoutNumbers(String sent) {
        return sent.replaceAll("(?s)\\x00{6}..", "[id]");
      }
    };

    String withoutNumbers(String sent) {
      return sent;
    }
  }

  private record Run(String sent, List<String> seen) {}

  private static final String OTHER = "bytes_other";

  private static final List<AutoCloseable> STARTED = new ArrayList<>();

  @AfterAll
  static void stop() throws Exception {
    for (AutoCloseable started : STARTED) {
      started.close();
    }
  }

  static Stream<Way> ways() throws Exception {
    TestServers.startBy(
        ServerKind.MARIADB, () -> MariaDbServer.start("--log-bin", "--binlog-format=ROW"));
    List<Way> ways = new ArrayList<>();
    for (ServerKind kind : TestServers.kinds().toList()) {
      if (kind == ServerKind.H2 || kind == ServerKind.SQLITE) {
        continue;
      }
      DatabaseServer server = TestServers.of(kind);
      server.newDatabase(OTHER);
      String url = TestServers.freshDatabase(kind);
      int port = URI.create(url.substring("jdbc:".length())).getPort();
      String relayed = url.replace(":" + port + "/", ":%d/");
      String plain = kind == ServerKind.POSTGRESQL ? "" : "&useSSL=false";
      ways.add(new Way(kind + "", relayed + plain, port, "statements"));
      switch (kind) {
        case POSTGRESQL -> {
          ways.add(new Way("simple", relayed + "&preferQueryMode=simple", port, "statements"));
          ways.add(new Way("autosave", relayed + "&autosave=always", port, "statements"));
        }
        case MYSQL -> {
          String cursors = "&useServerPrepStmts=true&useCursorFetch=true&cachePrepStmts=true";
          ways.add(new Way(kind + " prepared", relayed + plain + cursors, port, "log"));
          String terms = "&databaseTerm=SCHEMA&useLocalSessionState=true";
          ways.add(new Way(kind + " schemas", relayed + plain + terms, port, "auto"));
        }
        default -> {
          String prepared = "&useServerPrepStmts=true&allowMultiQueries=true";
          ways.add(new Way(kind + " prepared", relayed + plain + prepared, port, "log"));
          String terms = "&useCatalogTerm=SCHEMA";
          ways.add(new Way(kind + " schemas", relayed + plain + terms, port, "auto"));
          ways.add(new Way("untracked", relayed + plain, port, "log", false));
          ways.add(new Way("untracked schemas", relayed + plain + terms, port, "log", false));
        }
      }
    }
    ways.add(h2());
    ways.add(derby());
    ways.add(hsqldb());
    return ways.stream();
  }

  private static Way h2() throws SQLException {
    org.h2.tools.Server server =
        org.h2.tools.Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    STARTED.add(server::stop);
    return new Way(
        "H2", "jdbc:h2:tcp://127.0.0.1:%d/mem:bytes;DB_CLOSE_DELAY=-1", server.getPort(), "auto");
  }

  private static Way derby() throws Exception {
    System.setProperty("derby.stream.error.file", "target/derby.log");
    int port = freePort();
    NetworkServerControl server = new NetworkServerControl(InetAddress.getLoopbackAddress(), port);
    server.start(new PrintWriter(Writer.nullWriter()));
    STARTED.add(server::shutdown);
    for (int attempt = 0; attempt < 100 && !answers(server); attempt++) {
      Thread.sleep(50);
    }
    return new Way(
        "Derby", "jdbc:derby://127.0.0.1:%d/memory:bytes;create=true;user=app", port, "statements");
  }

  private static boolean answers(NetworkServerControl server) {
    try {
      server.ping();
      return true;
    } catch (Exception e) {
      return false; // not yet
    }
  }

  private static Way hsqldb() throws IOException {
    int port = freePort();
    org.hsqldb.server.Server server = new org.hsqldb.server.Server();
    server.setAddress("127.0.0.1");
    server.setPort(port);
    server.setDatabaseName(0, "bytes");
    server.setDatabasePath(0, "mem:bytes");
    server.setSilent(true);
    server.setLogWriter(null);
    server.start();
    STARTED.add(server::shutdown);
    return new Way("HSQLDB", "jdbc:hsqldb:hsql://127.0.0.1:%d/bytes", port, "auto");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @ParameterizedTest
  @MethodSource("ways")
  void theSameBytesAreSent(Way way) throws Exception {
    Run raw = run(way, false);
    Run again = run(way, false);
    Run watched = run(way, true);
    assertThat(difference(raw.sent(), again.sent())).as("two raw runs").isEmpty();
    assertThat(difference(raw.sent(), watched.sent())).isEmpty();
    assertThat(watched.seen()).isEqualTo(again.seen()); // HSQLDB cannot show no keys twice
    assertThat(raw.sent()).hasSizeGreaterThan(2_000);
  }

  /** The first difference, with what is around it; empty if there is none. */
  private static String difference(String raw, String other) {
    int at = Arrays.mismatch(raw.toCharArray(), other.toCharArray());
    return at < 0
        ? ""
        : "at byte " + at + "\n    one   " + around(raw, at) + "\n    other " + around(other, at);
  }

  private static String around(String sent, int at) {
    return sent.substring(Math.max(0, at - 150), Math.min(sent.length(), at + 150))
        .replaceAll("[^ -~]", ".");
  }

  private static Run run(Way way, boolean isWatched) throws Exception {
    SentBytes.Greeting greeting =
        sent -> way.tracksSessions() ? sent : withoutSessionTracking(sent);
    try (SentBytes relay = SentBytes.to("127.0.0.1", way.port(), greeting)) {
      String url = way.url().formatted(relay.port());
      Outcome seen;
      int opened;
      SentBytes.OfClient client;
      try (Connection real = DriverManager.getConnection(url)) {
        client = relay.clients().get(0);
        opened = client.bytes().length;
        Connection connection =
            isWatched
                ? Watching.byValue(
                    real,
                    url,
                    way.versions(),
                    "root",
                    new Pipeline(Ids.ofNode(1), IgnoredEvents.INSTANCE))
                : real;
        assertThat(Watch.isWatched(connection)).isEqualTo(isWatched);
        seen = Outcome.of(true, false, outcome -> work(connection, outcome));
        connection.close();
      }
      client.awaitEnd();
      byte[] sent = client.bytes();
      String text =
          new String(Arrays.copyOfRange(sent, opened, sent.length), StandardCharsets.ISO_8859_1);
      return new Run(way.numbers().withoutNumbers(text), seen.lines());
    }
  }

  /** The greeting of a server of MariaDB that does not report changes of a session's state. */
  private static byte[] withoutSessionTracking(byte[] greeting) {
    int version = 5;
    while (greeting[version] != 0) {
      version++;
    }
    int upperCapabilities = version + 1 + 4 + 8 + 1 + 2 + 1 + 2;
    greeting[upperCapabilities] &= (byte) ~0x80;
    return greeting;
  }

  private static void work(Connection connection, Outcome seen) throws SQLException {
    List<String> own = new ArrayList<>(List.of("DROP TABLE item", "DROP TABLE big"));
    try (Statement statement = connection.createStatement()) {
      for (String sql :
          List.of(
              "CREATE TABLE item (id INT NOT NULL PRIMARY KEY, name VARCHAR(20), qty INT)",
              "INSERT INTO item VALUES (1, 'apple', 10), (2, 'pear', 20), (3, NULL, 30)",
              " SELECT * FROM item -- a comment\n ORDER BY id ",
              "CREATE TABLE big (id INT NOT NULL PRIMARY KEY, note CLOB, data BLOB)",
              "CREATE TABLE big (id INT NOT NULL PRIMARY KEY, note TEXT, data TEXT)",
              "INSERT INTO big (id, note) VALUES (1, 'long')",
              "SELECT nothing FROM item",
              "SET SCHEMA PUBLIC",
              "SET LOCK_TIMEOUT 2000",
              "CREATE SCHEMA other",
              "CREATE TABLE other.item (id INT NOT NULL PRIMARY KEY, name VARCHAR(20), qty INT)",
              "UPDATE item SET qty = qty + 1 WHERE id = 1",
              "ALTER TABLE item ADD COLUMN note VARCHAR(10)",
              "SELECT id, name, note FROM item ORDER BY id")) {
        step(seen, () -> seen.line("result " + statement.execute(sql)));
      }
      rows(statement.executeQuery("SELECT * FROM big"), seen);
    }
    described(connection, seen);
    elsewhere(connection, seen);
    transactions(connection, seen);
    try (Statement statement = connection.createStatement()) {
      own.addAll(
          List.of("DROP TABLE other.item", "DROP SCHEMA other", "DROP SCHEMA other RESTRICT"));
      for (String sql : own) {
        step(seen, () -> statement.execute(sql));
      }
    }
  }

  /** What an application can ask about a connection and its statements. */
  private static void described(Connection connection, Outcome seen) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      step(
          seen,
          () ->
              statement.executeUpdate(
                  "INSERT INTO item (id, name) VALUES (50, 'x')", Statement.RETURN_GENERATED_KEYS));
      step(seen, () -> rows(statement.getGeneratedKeys(), seen));
    }
    DatabaseMetaData metaData = connection.getMetaData();
    seen.line(metaData.getDatabaseProductName());
    step(seen, () -> metaData.getTables(null, null, "item", null).close());
    step(seen, () -> metaData.getPrimaryKeys(null, null, "item").close());
    step(seen, () -> seen.line("level " + connection.getTransactionIsolation()));
    step(seen, () -> seen.line("valid " + connection.isValid(5)));
    step(seen, () -> seen.line("warnings " + (connection.getWarnings() != null)));
    step(seen, () -> connection.setReadOnly(true));
    step(seen, () -> connection.setReadOnly(false));
    try (PreparedStatement read =
        connection.prepareStatement("SELECT id, name FROM item WHERE id = ?")) {
      step(seen, () -> seen.line("columns " + read.getMetaData().getColumnCount()));
      step(seen, () -> seen.line("type " + read.getParameterMetaData().getParameterType(1)));
      read.setInt(1, 1);
      rows(read.executeQuery(), seen);
    }
    try (Statement scrolled =
        connection.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_READ_ONLY)) {
      try (ResultSet rows = scrolled.executeQuery("SELECT id, name, qty FROM item ORDER BY id")) {
        rows.last();
        seen.line("last " + rows.getString(1) + rows.wasNull());
        rows.first();
        seen.line("first " + rows.getString(1));
      }
    }
  }

  /** Where unqualified names are looked up changes by methods of the connection. */
  private static void elsewhere(Connection connection, Outcome seen) throws SQLException {
    String catalog = connection.getCatalog();
    String schema = connection.getSchema();
    try (PreparedStatement read = connection.prepareStatement("SELECT qty FROM item WHERE id = 1");
        PreparedStatement write =
            connection.prepareStatement("UPDATE item SET qty = 5 WHERE id = ?")) {
      rows(read.executeQuery(), seen);
      for (String other : List.of("OTHER", "other", OTHER)) {
        step(seen, () -> connection.setSchema(other));
        step(seen, () -> rows(read.executeQuery(), seen));
        write.setInt(1, 1);
        step(seen, write::executeUpdate);
        step(seen, write::addBatch);
        step(seen, write::executeBatch);
        step(seen, () -> prepared(connection, "SELECT id FROM item", seen));
        step(seen, () -> connection.setSchema(schema));
      }
      step(seen, () -> connection.setCatalog(OTHER));
      step(seen, () -> rows(read.executeQuery(), seen));
      step(seen, () -> prepared(connection, "SELECT id FROM item", seen));
      step(seen, () -> connection.setCatalog(catalog));
      step(seen, () -> rows(read.executeQuery(), seen));
    }
  }

  private static void prepared(Connection connection, String sql, Outcome seen)
      throws SQLException {
    try (PreparedStatement read = connection.prepareStatement(sql)) {
      rows(read.executeQuery(), seen);
    }
  }

  private static void transactions(Connection connection, Outcome seen) throws SQLException {
    connection.setAutoCommit(false);
    step(seen, () -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
    try (PreparedStatement write =
            connection.prepareStatement("UPDATE item SET qty = ?, name = ? WHERE id = ?");
        PreparedStatement insert =
            connection.prepareStatement("INSERT INTO item (id, name) VALUES (?, ?)");
        PreparedStatement read =
            connection.prepareStatement("SELECT id, name, qty FROM item WHERE id >= ?");
        Statement statement = connection.createStatement()) {
      for (int i = 1; i <= 3; i++) {
        write.setInt(1, i);
        write.setString(2, "it's é " + i);
        write.setInt(3, i);
        write.addBatch();
      }
      seen.line("counts " + write.executeBatch().length);
      Savepoint savepoint = connection.setSavepoint("before_it");
      statement.executeUpdate("DELETE FROM item WHERE id = 2");
      connection.rollback(savepoint);
      connection.commit();
      for (int from = 0; from < 7; from++) {
        read.setInt(1, from % 4);
        read.setFetchSize(from % 2);
        rows(read.executeQuery(), seen);
      }
      for (int id = 20; id < 23; id++) {
        insert.setInt(1, id == 22 ? 1 : id);
        insert.setString(2, "x");
        step(seen, insert::executeUpdate);
      }
      connection.rollback();
      step(seen, () -> prepared(connection, "SELECT FROM WHERE", seen));
      connection.rollback();
    }
    connection.setAutoCommit(true);
  }

  private static void rows(ResultSet rows, Outcome seen) throws SQLException {
    try (rows) {
      while (rows.next()) {
        seen.line(rows.getString(1) + " " + rows.wasNull());
      }
    }
  }

  private static void step(Outcome seen, Action action) {
    try {
      action.run();
    } catch (SQLException e) {
      seen.line("SQLState " + e.getSQLState() + " " + e.getErrorCode());
    } catch (AssertionError e) { // pgjdbc's own, of metadata in its simple mode
      seen.line("assertion of the driver");
    }
  }

  private interface Action {
    void run() throws SQLException;
  }
}
