package io.txwatch.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.capture.Pipeline;
import io.txwatch.history.HistoryReader;
import io.txwatch.prepare.Preparation;
import io.txwatch.product.registry.Products;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Settings;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A secret planted in the values of statements, of good ones and of ones that the DBMS refuses, is
 * in nothing that txwatch writes; and the application gets its errors as they are.
 */
@ResourceLock(Resources.SYSTEM_ERR)
class SecretsTest {

  private static final String SECRET = "Tralala";
  private static final String HEX = "5472616c616c61";
  private static final String NUMBER = "5327981";

  private static final int VALUES_PER_TEXT = 1;

  /** Values that every DBMS has. */
  private static final List<String> EVERYWHERE =
      List.of("'$'", "'it''s $'", "'a\\\\' /* $ */", "'C:\\' /* ' */", "'\n$' -- $\n", "N'$'");

  private static final List<String> POSTGRESQL =
      List.of(
          "E'it\\'s $'",
          "U&'$!0041' UESCAPE '!'",
          "$$it's $$$",
          "$tag$ it's $ $tag$",
          "'a'\n'$'",
          "'it\\'s $'",
          "CAST('$' AS text)",
          "/* a /* b */ it's $ */ '1'");

  private static final List<String> IN_MYSQL =
      List.of(
          "\"$\"",
          "_utf8mb4'$'",
          "x'5472616c616c61'",
          "0x5472616c616c61",
          "'it\\'s $'",
          "\"it\\\"s $\"",
          "'a' '$'",
          "/*!50000 '$' */",
          "'1' # $\n");

  private static final List<String> IN_H2 = List.of("$$it's $$$", "U&'$!0041' UESCAPE '!'");

  private static final List<String> IN_SQLITE = List.of("\"$\"", "x'5472616c616c61'");

  /** Around a value: what executes, and what no DBMS executes. */
  private static final List<String> TEXTS =
      List.of(
          "SELECT balance FROM account WHERE owner = %s AND balance <> 5327981",
          "SELECT balance AS b FROM account WHERE owner LIKE %s ORDER BY balance",
          "SELECT DISTINCT balance FROM account WHERE owner <> %s",
          "INSERT INTO account VALUES (7, 5327981, %s)",
          "INSERT INTO account VALUES (8, 1, %s)",
          "INSERT INTO account VALUES (7, 1, %s)",
          "UPDATE account SET balance = %s WHERE id = 2",
          "UPDATE account SET balance = balance + 1 WHERE balance = %s",
          "UPDATE account SET owner = %s WHERE id = 7",
          "DELETE FROM account WHERE id = CAST(%s AS INTEGER)",
          "DELETE FROM account WHERE owner = %s AND id > 6 AND balance < 5327981",
          "SELECT CAST(%s AS INTEGER) FROM account",
          "SELECT 1 FROM account WHERE id = 1 5327981 %s",
          "UPDATE account SET balance = 1 WHERE id = 3 %s",
          "SELECT (%s FROM account",
          "SELECT %s) FROM account",
          "SELECT nothing(%s) FROM account",
          "SELECT * FROM account a JOIN account b USING (id) WHERE a.owner = %s %s",
          "UPDATE account SET %s = 1",
          "SELEKT %s FROM account",
          "INSERT INTO account VALUES (1, %s",
          "CREATE TABLE other (name VARCHAR(90) DEFAULT %s)",
          "ALTER TABLE account ADD more VARCHAR(90) DEFAULT %s",
          "CREATE VIEW seen AS SELECT * FROM account WHERE owner = %s",
          "SET nothing = %s",
          "SET SESSION nothing = %s",
          "CALL nothing(%s)",
          "EXPLAIN QUERY PLAN SELECT * FROM account WHERE owner = %s",
          "SAVEPOINT %s",
          "XA START %s",
          "BEGIN; SELECT %s",
          "SELECT 1; SELECT %s FROM account",
          "COPY account FROM %s",
          "LOAD DATA INFILE %s INTO TABLE account",
          "LOCK TABLE account %s",
          "MERGE INTO account USING %s ON 1 = 1",
          "WITH a AS (SELECT %s) SELECT * FROM a, account",
          "COMMENT ON TABLE account IS %s",
          "NOTIFY account, %s",
          "CREATE USER txw_nobody IDENTIFIED BY %s PASSWORD EXPIRE %s",
          "SELECT * FROM account WHERE id IN (1, %s) FOR UPDATE");

  @TempDir Path folder = Path.of("");

  private record Session(ServerKind kind, String parameter, List<String> first) {

    @Override
    public String toString() {
      return kind + parameter + first;
    }
  }

  static Stream<Session> sessions() {
    List<Session> all = new ArrayList<>();
    TestServers.kinds()
        .forEach(
            kind -> {
              all.add(new Session(kind, "", List.of()));
              if (kind == ServerKind.POSTGRESQL) {
                String off = "standard_conforming_strings%3Doff";
                all.add(new Session(kind, "", List.of("SET standard_conforming_strings = off")));
                all.add(new Session(kind, "options=-c%20" + off, List.of()));
              } else if (kind == ServerKind.MYSQL || kind == ServerKind.MARIADB) {
                for (String mode : List.of("ANSI_QUOTES", "NO_BACKSLASH_ESCAPES")) {
                  all.add(new Session(kind, "", List.of("SET sql_mode = '" + mode + "'")));
                  all.add(new Session(kind, "sessionVariables=sql_mode=" + mode, List.of()));
                }
              }
            });
    return all.stream();
  }

  @ParameterizedTest
  @MethodSource("sessions")
  void secretIsInNothingThatIsWritten(Session session) throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Map<String, String> outputs = new TreeMap<>();
    System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try {
      List<String> raw = work(url(session, false), session, Map.of());
      List<String> watched = work(url(session, true), session, outputs);
      assertThat(watched).isEqualTo(raw);
    } finally {
      System.setErr(before);
    }
    outputs.put("stderr", printed.toString(StandardCharsets.UTF_8));
    writeDocuments(outputs);

    Map<String, List<String>> found = new TreeMap<>();
    outputs.forEach(
        (name, text) -> {
          List<String> lines = text.lines().filter(SecretsTest::holdsSecret).distinct().toList();
          if (!lines.isEmpty()) {
            found.put(name, lines);
          }
        });
    assertThat(found).isEmpty();
    if (isWatched(session)) {
      assertThat(outputs.get("history")).contains("account");
      if (session.kind != ServerKind.SQLITE) {
        assertThat(outputs.get("report.html")).contains("lost update");
      }
    }
  }

  /** A connection that begins in another lexical mode is not watched. */
  private static boolean isWatched(Session session) {
    return session.parameter.isEmpty();
  }

  private static boolean holdsSecret(String line) {
    String small = line.toLowerCase(Locale.ROOT);
    return small.contains("tralala") || small.contains(HEX) || small.contains(NUMBER);
  }

  private String url(Session session, boolean watched) throws SQLException {
    String url = TestServers.freshDatabase(session.kind);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE account (id INTEGER PRIMARY KEY, balance INT, owner VARCHAR(90) UNIQUE)");
      statement.execute("INSERT INTO account VALUES (1, 10, 'a'), (2, 10, 'b'), (3, 10, 'c')");
      if (watched && session.kind != ServerKind.POSTGRESQL) {
        Preparation preparation = Products.preparation(connection, url, Duration.ofSeconds(10));
        if (preparation.isPossible()) {
          preparation.execute(preparation.planPrepare(List.of()));
        }
      }
    }
    if (session.parameter.isEmpty()) {
      return url;
    }
    return url + (url.contains("?") ? "&" : "?") + session.parameter;
  }

  /** Does everything, watched or not, and returns what the application gets. */
  private List<String> work(String url, Session session, Map<String, String> outputs)
      throws Exception {
    boolean watches = outputs instanceof TreeMap;
    Properties settings = new Properties();
    int port = freePort();
    if (watches) {
      settings.setProperty("txwatch.history", folder.resolve("app.history").toString());
      settings.setProperty("txwatch.report", folder.resolve("report.jsonl").toString());
      settings.setProperty("txwatch.http", String.valueOf(port));
      settings.setProperty("txwatch.instrument", "predicates");
    }
    String reached = watches ? "jdbc:txwatch:" + url.substring("jdbc:".length()) : url;
    List<String> results = new ArrayList<>();
    try (Connection one = DriverManager.getConnection(reached, settings);
        Connection other = DriverManager.getConnection(reached, settings)) {
      for (Connection each : List.of(one, other)) {
        for (String sql : session.first) {
          results.add(result(each, sql));
        }
      }
      if (session.kind != ServerKind.SQLITE) { // two writers of it wait for each other
        for (String value : values(session.kind)) {
          loseAnUpdate(one, other, value, results);
        }
      }
      List<String> values = values(session.kind);
      for (int i = 0; i < TEXTS.size() * VALUES_PER_TEXT; i++) {
        String value = values.get(i % values.size());
        results.add(result(one, TEXTS.get(i / VALUES_PER_TEXT).replace("%s", value)));
      }
      parameters(one, results);
      if (watches && isWatched(session)) {
        Thread.sleep(300); // the page shows what was analysed
        readPage("http://127.0.0.1:" + port, outputs);
      }
    }
    if (watches) {
      Pipeline.of(Settings.ofUrlProperties(settings)).close();
    }
    return results;
  }

  private static List<String> values(ServerKind kind) {
    List<String> own =
        switch (kind) {
          case POSTGRESQL -> POSTGRESQL;
          case MARIADB, MYSQL -> IN_MYSQL;
          case H2 -> IN_H2;
          case SQLITE -> IN_SQLITE;
        };
    return Stream.concat(EVERYWHERE.stream(), own.stream())
        .map(
            value ->
                value
                    .replace("$$it's $$$", "$$it's " + SECRET + "$$")
                    .replace("$tag$ it's $ $tag$", "$tag$ it's " + SECRET + " $tag$")
                    .replaceAll("(?<!\\$)(?<!\\$tag)\\$(?![$t])", SECRET))
        .toList();
  }

  /** Two transactions read a row, and both write it. */
  private static void loseAnUpdate(
      Connection one, Connection other, String value, List<String> results) throws SQLException {
    String where = " WHERE id = 1 AND owner <> " + value;
    one.setAutoCommit(false);
    other.setAutoCommit(false);
    for (Connection each : List.of(one, other)) {
      results.add(plain(each, "SELECT balance FROM account" + where));
    }
    results.add(plain(one, "UPDATE account SET balance = balance + 1" + where));
    end(one, results);
    results.add(plain(other, "UPDATE account SET balance = balance + 2" + where));
    end(other, results);
  }

  private static String plain(Connection connection, String sql) {
    try (Statement statement = connection.createStatement()) {
      return rows(statement.execute(sql), statement);
    } catch (SQLException e) {
      return shown(e);
    }
  }

  private static void end(Connection connection, List<String> results) throws SQLException {
    try {
      connection.commit();
    } catch (SQLException e) {
      results.add(shown(e));
      connection.rollback();
    }
    connection.setAutoCommit(true);
  }

  private static String result(Connection connection, String sql) {
    List<String> all = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      all.add(rows(statement.execute(sql), statement));
    } catch (SQLException e) {
      all.add(shown(e));
    }
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      all.add(rows(statement.execute(), statement));
    } catch (SQLException e) {
      all.add(shown(e));
    }
    try (Statement statement = connection.createStatement()) {
      statement.addBatch("UPDATE account SET balance = 5327981 WHERE id = 2");
      statement.addBatch(sql);
      all.add(Arrays.toString(statement.executeBatch()));
    } catch (SQLException e) {
      all.add(shown(e));
    }
    return sql + " -> " + all;
  }

  private static String shown(SQLException e) {
    String counts =
        e instanceof BatchUpdateException batch ? Arrays.toString(batch.getUpdateCounts()) : "";
    String message = String.valueOf(e.getMessage()).replaceAll("\\(conn=\\d+\\)|txw_\\d+_\\d+", "");
    return e.getClass().getName() + counts + e.getSQLState() + e.getErrorCode() + message;
  }

  private static String rows(boolean hasRows, Statement statement) throws SQLException {
    if (!hasRows) {
      return "#" + statement.getUpdateCount();
    }
    int count = 0;
    try (ResultSet rows = statement.getResultSet()) {
      while (rows.next()) {
        count++;
      }
    }
    return count + " rows";
  }

  private static void parameters(Connection connection, List<String> results) throws SQLException {
    for (String sql :
        List.of(
            "SELECT balance FROM account WHERE owner = ? OR owner = ?",
            "INSERT INTO account VALUES (20, 5, ?), (20, 5, ?)",
            "INSERT INTO account VALUES (21, ?, ?)",
            "UPDATE account SET owner = ?, balance = ? WHERE id < 3")) {
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, SECRET);
        statement.setString(2, SECRET);
        statement.addBatch();
        results.add(Arrays.toString(statement.executeBatch()));
      } catch (SQLException e) {
        results.add(shown(e));
      }
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        statement.setString(1, SECRET);
        statement.setObject(2, SECRET);
        statement.execute();
      } catch (SQLException e) {
        results.add(shown(e));
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static void readPage(String at, Map<String, String> outputs) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    for (String path : List.of("/", "/status", "/metrics")) {
      HttpRequest request = HttpRequest.newBuilder(URI.create(at + path)).build();
      String body = client.send(request, HttpResponse.BodyHandlers.ofString()).body();
      outputs.put("page " + path, body);
    }
    outputs.put("page /events", startOfEvents(URI.create(at)));
    Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(String.join("", outputs.values()));
    while (id.find()) {
      String path = "/anomalies/" + id.group(1) + ".txt";
      HttpRequest slice = HttpRequest.newBuilder(URI.create(at + path)).build();
      outputs.put("page " + path, client.send(slice, HttpResponse.BodyHandlers.ofString()).body());
    }
  }

  /** The stream of events, as far as it is there. */
  private static String startOfEvents(URI at) throws IOException {
    try (Socket socket = new Socket(at.getHost(), at.getPort())) {
      socket.setSoTimeout(100);
      String request = "GET /events HTTP/1.1\r\nHost: " + at.getAuthority() + "\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.UTF_8));
      ByteArrayOutputStream read = new ByteArrayOutputStream();
      try {
        byte[] part = new byte[4096];
        for (int i = 0; i < 20; i++) {
          read.write(part, 0, Math.max(0, socket.getInputStream().read(part)));
        }
      } catch (SocketTimeoutException e) {
        // that is all for now
      }
      return read.toString(StandardCharsets.UTF_8);
    }
  }

  private void writeDocuments(Map<String, String> outputs) throws IOException {
    Path history = folder.resolve("app.history");
    StringBuilder events = new StringBuilder();
    if (Files.exists(history)) {
      try (HistoryReader reader = HistoryReader.open(history)) {
        reader.forEach(event -> events.append(event.toString()).append('\n'));
      }
      for (String ending : List.of("html", "md", "svg", "dot", "sarif", "xml")) {
        Path file = folder.resolve("report." + ending);
        Invocation run = Invocation.of("report", history.toString(), "--out", file.toString());
        outputs.put("report." + ending, Files.readString(file) + run.out() + run.err());
      }
      for (List<String> command :
          List.of(
              List.of("check", history.toString()),
              List.of("check", history.toString(), "--json"),
              List.of("export", history.toString(), "--out", folder.resolve("x.edn").toString()))) {
        Invocation run = Invocation.of(command.toArray(String[]::new));
        outputs.put(command.toString(), run.out() + run.err());
      }
    }
    outputs.put("history", events.toString());
    for (String name : List.of("report.jsonl", "x.edn")) {
      if (Files.exists(folder.resolve(name))) {
        outputs.put(name, Files.readString(folder.resolve(name)));
      }
    }
  }
}
