package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Somebody else changes the table while a pool of connections works with it: what the application
 * gets is what it would get without txwatch, on statements that were prepared before the change,
 * too. Where an error aborts the transaction, one transaction of a connection may fail that would
 * not, and no second one.
 */
class LiveChangesTest {

  private static final int CONNECTIONS = 2;

  private static final List<String> SETUP =
      List.of(
          "CREATE TABLE live (id INT PRIMARY KEY, v INT, w INT)",
          "INSERT INTO live VALUES (1, 1, 1), (2, 2, 2), (3, 3, 3)");

  /**
   * What is executed once before the application begins, and what somebody else does later. Clients
   * work at the same time if each then still has rows of its own.
   */
  private record Change(List<String> before, List<String> change, boolean rowsOfTheirOwn) {
    static Change of(String... change) {
      return new Change(List.of(), List.of(change), true);
    }

    Change after(String... before) {
      return new Change(List.of(before), change, rowsOfTheirOwn);
    }

    /**
     * Without a key, a statement locks every row, so that clients deadlock without txwatch, too.
     */
    Change withoutKey() {
      return new Change(before, change, false);
    }
  }

  private static Map<String, Change> everywhere() {
    Map<String, Change> all = new LinkedHashMap<>();
    all.put(
        "replaced by a view that has fewer columns",
        Change.of(
            "ALTER TABLE live RENAME TO former", "CREATE VIEW live AS SELECT id, v FROM former"));
    all.put(
        "replaced by a view that cannot be written",
        Change.of(
            "ALTER TABLE live RENAME TO former",
            "CREATE VIEW live AS SELECT id, max(v) AS v, max(w) AS w FROM former GROUP BY id"));
    all.put(
        "made anew without a key",
        Change.of("DROP TABLE live", "CREATE TABLE live (w INT, v INT, id INT)").withoutKey());
    all.put("a column that is used less", Change.of("ALTER TABLE live DROP COLUMN v"));
    all.put(
        "a column renamed",
        Change.of(
            "ALTER TABLE live RENAME COLUMN v TO x", "ALTER TABLE live RENAME COLUMN w TO v"));
    all.put(
        "a view replaced by its table",
        Change.of("DROP VIEW live", "ALTER TABLE former RENAME TO live")
            .after(
                "ALTER TABLE live RENAME TO former", "CREATE VIEW live AS SELECT * FROM former"));
    return all;
  }

  private static Map<String, Change> of(ServerKind kind) {
    Map<String, Change> all = everywhere();
    if (kind == ServerKind.POSTGRESQL) {
      all.put(
          "replaced by a partitioned table",
          Change.of(
              "ALTER TABLE live RENAME TO former",
              "CREATE TABLE live (id INT PRIMARY KEY, v INT, w INT) PARTITION BY RANGE (id)",
              "CREATE TABLE part PARTITION OF live FOR VALUES FROM (0) TO (1000)",
              "INSERT INTO live SELECT * FROM former"));
      all.put(
          "rules",
          Change.of(
              "CREATE TABLE notes (n INT)",
              "CREATE RULE r AS ON UPDATE TO live DO INSTEAD INSERT INTO notes VALUES (1)",
              "CREATE RULE s AS ON DELETE TO live DO ALSO INSERT INTO notes VALUES (2)",
              "GRANT ALL ON notes TO PUBLIC"));
      all.put(
          "a trigger",
          Change.of(
              "CREATE FUNCTION undone() RETURNS trigger LANGUAGE plpgsql AS"
                  + " $$BEGIN RETURN NULL; END$$",
              "CREATE TRIGGER t BEFORE INSERT OR UPDATE ON live FOR EACH ROW"
                  + " EXECUTE FUNCTION undone()"));
      all.put(
          "rights by column",
          Change.of(
              "REVOKE ALL ON live FROM %u", "GRANT SELECT (id, v), UPDATE (v) ON live TO %u"));
      all.put("rights to insert", Change.of("REVOKE SELECT ON live FROM %u"));
      all.put(
          "row security by policy",
          Change.of(
              "ALTER TABLE live ENABLE ROW LEVEL SECURITY",
              "CREATE POLICY p ON live USING (id < 3) WITH CHECK (v < 3)"));
      all.put(
          "another schema before it",
          Change.of("CREATE VIEW s.live AS SELECT * FROM public.live", "GRANT ALL ON s.live TO %u")
              .after("CREATE SCHEMA s", "GRANT USAGE ON SCHEMA s TO %u"));
    } else {
      all.put(
          "a trigger",
          Change.of("CREATE TRIGGER t BEFORE UPDATE ON live FOR EACH ROW SET NEW.w = 9"));
      all.put(
          "a generated column",
          Change.of("ALTER TABLE live DROP COLUMN v", "ALTER TABLE live ADD v INT AS (id) STORED"));
    }
    return all;
  }

  static Stream<ServerKind> kinds() {
    return TestServers.kinds().filter(kind -> kind != ServerKind.H2 && kind != ServerKind.SQLITE);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void whatTheApplicationGets(ServerKind kind) throws Exception {
    List<String> differences = new ArrayList<>();
    String rawUrl = TestServers.freshDatabase(kind);
    String watchedUrl = TestServers.freshDatabase(kind);
    for (Map.Entry<String, Change> change : of(kind).entrySet()) {
      try (Side raw = new Side(kind, rawUrl, change.getValue(), false);
          Side watched = new Side(kind, watchedUrl, change.getValue(), true)) {
        raw.work();
        watched.work();
        raw.change();
        watched.change();
        List<List<String>> expected = raw.work();
        List<List<String>> got = watched.work();
        for (int i = 0; i < CONNECTIONS; i++) {
          if (failures(expected.get(i), got.get(i)) > (kind == ServerKind.POSTGRESQL ? 1 : 0)) {
            differences.add(change.getKey() + ": " + differences(expected.get(i), got.get(i)));
          }
        }
        expected = raw.work();
        got = watched.work();
        for (int i = 0; i < CONNECTIONS; i++) {
          if (!expected.get(i).equals(got.get(i))) {
            differences.add(
                change.getKey() + ", later: " + differences(expected.get(i), got.get(i)));
          }
        }
      }
    }
    assertThat(differences).isEmpty();
  }

  static Stream<Arguments> limits() {
    return kinds()
        .filter(kind -> kind != ServerKind.POSTGRESQL)
        .flatMap(
            kind ->
                Stream.of("max_join_size=1", "sql_select_limit=1", "sql_select_limit=0")
                    .map(limit -> Arguments.of(kind, limit)));
  }

  /**
   * Somebody else limits queries for all sessions ({@code SET GLOBAL}): this holds for those that
   * begin later, those of txwatch included. Here the URL sets it, as the server is not ours alone.
   */
  @ParameterizedTest
  @MethodSource("limits")
  void queriesAreLimitedInNewSessions(ServerKind kind, String limit) throws Exception {
    TestDatabase raw = limited(kind, limit);
    TestDatabase watched = limited(kind, limit);
    try (Connection preparing = DriverManager.getConnection(watched.url)) {
      watched.prepare(preparing);
    }
    List<String> expected = workUnder(limit, raw, UnaryOperator.identity());
    List<String> got =
        workUnder(
            limit,
            watched,
            plain -> {
              Connection connection =
                  watched.watched(
                      plain, UnaryOperator.identity(), Map.of(Setting.VERSIONS, "columns"));
              if (!limit.equals("sql_select_limit=0")) {
                // of which the drivers cannot read the isolation level
                assertThat(connection).as("watched").isNotSameAs(plain);
              }
              return connection;
            });
    assertThat(got).isEqualTo(expected);
    assertThat(expected.stream().filter(outcome -> outcome.contains(" failed 42000 1104")))
        .hasSize(limit.startsWith("max_join_size") ? 10 : 0);
    assertThat(watched.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .doesNotContain(GapReason.LOOKUP_FAILED, GapReason.NOT_PREPARED, GapReason.FAULT);
  }

  @ParameterizedTest
  @EnumSource(
      value = ServerKind.class,
      names = {"MYSQL", "MARIADB"})
  void aSessionWhoseQueriesGiveNoRowsIsAskedForItsDatabase(ServerKind kind) throws Exception {
    TestDatabase database = TestDatabase.at(kind, TestServers.freshDatabase(kind), SETUP);
    try (Connection preparing = database.raw()) {
      database.prepare(preparing);
    }
    try (Connection connection =
        database.watched(
            database.raw(), UnaryOperator.identity(), Map.of(Setting.VERSIONS, "columns"))) {
      TestDatabase.execute(
          connection, "SET SESSION sql_select_limit = 0", "USE " + connection.getCatalog());
      assertThat(TestDatabase.updated(connection, "UPDATE live SET v = v + 1 WHERE id = 1"))
          .isEqualTo(1);
    }
    assertThat(database.events(Event.Gap.class)).isEmpty();
  }

  private static TestDatabase limited(ServerKind kind, String limit) throws SQLException {
    String url = TestServers.freshDatabase(kind) + "&sessionVariables=" + limit;
    return TestDatabase.at(kind, url, SETUP);
  }

  private static String unlimited(TestDatabase database, String limit) {
    return database.url.replace("&sessionVariables=" + limit, "");
  }

  /** In a session that began before, in one that begins later, and in one that limits itself. */
  private static List<String> workUnder(
      String limit, TestDatabase database, UnaryOperator<Connection> watch) throws SQLException {
    String[] texts = Arrays.copyOf(Client.TEXTS, Client.TEXTS.length + 1);
    texts[Client.TEXTS.length] = "SELECT v FROM live WHERE id <> ?";
    List<String> outcomes = new ArrayList<>();
    try (Connection before = watch.apply(DriverManager.getConnection(unlimited(database, limit)));
        Connection later = watch.apply(DriverManager.getConnection(database.url))) {
      Client client = new Client(before, 1, texts);
      outcomes.addAll(client.work());
      outcomes.addAll(new Client(later, 1, texts).work());
      TestDatabase.execute(before, "SET SESSION " + limit);
      outcomes.addAll(client.work());
    }
    return outcomes;
  }

  /** How many transactions failed that would not have; what follows from one is none more. */
  private static int failures(List<String> expected, List<String> got) {
    int failures = 0;
    for (int i = 0; i < expected.size(); i++) {
      if (got.get(i).contains(" failed ") && !expected.get(i).contains(" failed ")) {
        failures++;
      }
    }
    return failures;
  }

  private static List<String> differences(List<String> expected, List<String> got) {
    List<String> different = new ArrayList<>();
    for (int i = 0; i < expected.size(); i++) {
      if (!expected.get(i).equals(got.get(i))) {
        different.add(expected.get(i) + " became " + got.get(i));
      }
    }
    return different;
  }

  /** A database with a pool of connections that an application works with. */
  private static final class Side implements AutoCloseable {
    private final String url;
    private final String user;
    private final Change change;
    private final List<Client> clients = new ArrayList<>();

    Side(ServerKind kind, String url, Change change, boolean watched) throws SQLException {
      this.change = change;
      this.url = url;
      boolean roles = kind == ServerKind.POSTGRESQL;
      user = roles ? url.replaceAll(".*/([a-z0-9_]+)\\?.*", "$1") : "";
      clear(
          roles
              ? List.of(
                  "DROP SCHEMA s CASCADE",
                  "DROP SCHEMA public CASCADE",
                  "CREATE SCHEMA public",
                  "GRANT USAGE ON SCHEMA public TO PUBLIC",
                  "CREATE ROLE " + user + " LOGIN")
              : List.of("DROP VIEW live", "DROP TABLE live", "DROP TABLE former"));
      TestDatabase database = TestDatabase.at(kind, url, SETUP);
      if (roles) {
        execute(List.of("ALTER ROLE %u SET search_path = s, public", "GRANT ALL ON live TO %u"));
      }
      execute(change.before());
      String used = roles ? url.replaceAll("user=[^&]*", "user=" + user) : url;
      if (roles) {
        execute(List.of("GRANT ALL ON ALL TABLES IN SCHEMA public TO %u"));
      } else if (watched) {
        try (Connection raw = database.raw()) {
          database.prepare(raw);
        }
      }
      for (int i = 1; i <= CONNECTIONS; i++) {
        Connection raw = DriverManager.getConnection(used);
        Connection connection =
            watched
                ? database.watched(
                    raw,
                    UnaryOperator.identity(),
                    Map.of(Setting.VERSIONS, roles ? "system" : "columns"))
                : raw;
        clients.add(new Client(connection, i, Client.TEXTS));
      }
    }

    /** What the change before has left; what it has not left cannot be dropped. */
    private void clear(List<String> texts) throws SQLException {
      try (Connection connection = DriverManager.getConnection(url)) {
        for (String text : texts) {
          try {
            TestDatabase.execute(connection, text);
          } catch (SQLException e) {
            assertThat(e.getSQLState()).isIn("3F000", "42710", "42S02", "HY000");
          }
        }
      }
    }

    void change() throws SQLException {
      execute(change.change());
    }

    private void execute(List<String> texts) throws SQLException {
      try (Connection connection = DriverManager.getConnection(url)) {
        for (String text : texts) {
          TestDatabase.execute(connection, text.replace("%u", user));
        }
      }
    }

    /** What each client got, all working at the same time or one after another. */
    List<List<String>> work() throws Exception {
      if (!change.rowsOfTheirOwn()) {
        return clients.stream().map(Client::work).toList();
      }
      List<CompletableFuture<List<String>>> all =
          clients.stream().map(client -> CompletableFuture.supplyAsync(client::work)).toList();
      List<List<String>> outcomes = new ArrayList<>();
      for (CompletableFuture<List<String>> one : all) {
        outcomes.add(one.get());
      }
      return outcomes;
    }

    @Override
    public void close() throws SQLException {
      for (Client client : clients) {
        client.connection.close();
      }
    }
  }

  /** A client with rows of its own. */
  private static final class Client {
    private static final String[] TEXTS = {
      "SELECT v FROM live WHERE id = ?",
      "SELECT * FROM live WHERE id = ?",
      "SELECT count(*), max(v) FROM live WHERE id = ?",
      "UPDATE live SET v = v WHERE id = ?",
      "INSERT INTO live (v, id) VALUES (1, 100 + ?)",
      "DELETE FROM live WHERE id = 100 + ?",
    };

    private final Connection connection;
    private final int id;
    private final String[] texts;
    private final List<PreparedStatement> open = new ArrayList<>();

    Client(Connection connection, int id, String... texts) throws SQLException {
      this.connection = connection;
      this.id = id;
      this.texts = texts;
      for (String text : texts) {
        open.add(connection.prepareStatement(text));
      }
    }

    /** The outcomes of transactions, one each. */
    List<String> work() {
      List<String> outcomes = new ArrayList<>();
      for (boolean autoCommit : new boolean[] {false, true}) {
        for (int i = 0; i < texts.length; i++) {
          int statement = i;
          String where = (autoCommit ? "alone " : "") + texts[i];
          outcomes.add("prepared " + where + run(autoCommit, () -> prepared(statement)));
        }
        for (String text : texts) {
          String where = (autoCommit ? "alone " : "") + text;
          outcomes.add(where + run(autoCommit, () -> plain(text)));
        }
      }
      outcomes.add(
          "all"
              + run(
                  false,
                  () -> {
                    List<String> each = new ArrayList<>();
                    for (int i = 0; i < texts.length; i++) {
                      each.add(prepared(i) + plain(texts[i].replace("100", "200")));
                    }
                    return each.toString();
                  }));
      return outcomes;
    }

    private interface Step {
      String run() throws SQLException;
    }

    private String run(boolean autoCommit, Step step) {
      try {
        connection.setAutoCommit(autoCommit);
        try {
          String outcome = step.run();
          if (!autoCommit) {
            connection.commit();
          }
          return " gave " + outcome;
        } catch (SQLException e) {
          if (!autoCommit) {
            connection.rollback();
          }
          return " failed " + e.getSQLState() + " " + e.getErrorCode();
        }
      } catch (SQLException e) {
        return " broke " + e;
      }
    }

    private String prepared(int i) throws SQLException {
      PreparedStatement statement = open.get(i);
      statement.setInt(1, id);
      return outcome(statement, statement.execute());
    }

    private String plain(String text) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        return outcome(statement, statement.execute(text.replace("?", String.valueOf(id))));
      }
    }

    private static String outcome(Statement statement, boolean result) throws SQLException {
      if (!result) {
        return String.valueOf(statement.getUpdateCount());
      }
      StringBuilder rows = new StringBuilder();
      try (ResultSet rs = statement.getResultSet()) {
        Object[] row = new Object[rs.getMetaData().getColumnCount()];
        while (rs.next()) {
          for (int i = 0; i < row.length; i++) {
            row[i] = rs.getObject(i + 1);
          }
          rows.append(Arrays.toString(row));
        }
      }
      return rows.toString();
    }
  }
}
