package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.coverage.Coverage;
import io.txwatch.format.ElleExport;
import io.txwatch.format.ForeignFormat;
import io.txwatch.format.ForeignHistory;
import io.txwatch.format.GraphExport;
import io.txwatch.history.IsolationLevel;
import io.txwatch.report.TextReport;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.awaitility.Awaitility;
import org.h2.api.Trigger;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code txwatch.versions=triggers} as a user has it: H2 in memory, plain tables, a URL, and one
 * setting.
 *
 * <p>A schedule is one line a step: the number of a session, 0 for one that is not watched, and
 * what it executes.
 */
class VersionsFromTriggersTest {

  @TempDir private Path folder = Path.of("");

  private final String url = "jdbc:h2:mem:bank;DB_CLOSE_DELAY=-1";
  private final Map<String, Connection> sessions = new LinkedHashMap<>();
  private final List<Connection> abandoned = new ArrayList<>();
  private String level = "READ COMMITTED";
  private Connection admin;
  private Watched watched;

  @BeforeEach
  void open() throws SQLException {
    admin = DriverManager.getConnection(url);
    watched = new Watched(folder, Map.of("txwatch.versions", "triggers"));
    run(
        "0 CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, owner VARCHAR(10))",
        "0 INSERT INTO account VALUES (1, 100, 'ann'), (2, 100, 'bob'), (3, 100, 'cat')");
  }

  @AfterEach
  void close() throws SQLException {
    finish();
    try (Statement statement = admin.createStatement()) {
      statement.execute("SHUTDOWN");
    } catch (SQLException e) {
      // the test has closed it
    }
  }

  /** Closes what is watched: all that happened was analysed then. */
  private void finish() throws SQLException {
    for (Connection session : sessions.values()) {
      session.close();
    }
    sessions.clear();
    watched.close();
  }

  private Connection session(String name) throws SQLException {
    Connection known = name.equals("0") ? admin : sessions.get(name);
    if (known != null) {
      return known;
    }
    Connection opened = watched.connect(url);
    try (Statement statement = opened.createStatement()) {
      statement.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL " + level);
    }
    opened.setAutoCommit(false);
    sessions.put(name, opened);
    return opened;
  }

  private List<String> run(String... steps) throws SQLException {
    List<String> results = new ArrayList<>();
    for (String step : steps) {
      Connection session = session(step.substring(0, 1));
      String text = step.substring(2);
      if (text.equals("commit")) {
        session.commit();
      } else if (text.equals("rollback")) {
        session.rollback();
      } else {
        try (Statement statement = session.createStatement()) {
          if (statement.execute(text)) {
            try (ResultSet rows = statement.getResultSet()) {
              while (rows.next()) {
                results.add(rows.getString(1));
              }
            }
          }
        }
      }
    }
    return results;
  }

  /** What is reported of the schedule; {@code ?} precedes what is possible only. */
  private List<String> reported() throws Exception {
    finish();
    return watched.reported().stream()
        .map(anomaly -> (anomaly.possible() ? "?" : "") + anomaly.phenomenon())
        .sorted()
        .toList();
  }

  @Test
  void writesThatTheTriggersShowAreSeen() throws Exception {
    run(
        "1 SELECT balance FROM account WHERE id = 1",
        "1 UPDATE account SET balance = balance - 1 WHERE owner <> 'bob'",
        "1 INSERT INTO account VALUES (4, 1, 'dan')",
        "1 DELETE FROM account WHERE id = 9",
        "1 commit",
        "1 DELETE FROM account WHERE id = 1",
        "1 rollback");
    finish();
    Coverage coverage = coverage();
    assertThat(coverage.statements() - coverage.instrumented()).isEqualTo(1);
    assertThat(TextReport.coverage(coverage))
        .contains("1 write whose rows are not known: rolled back");
  }

  private Coverage coverage() throws Exception {
    return watched.analysedAfterwards().coverage();
  }

  private List<String> triggers() throws SQLException {
    return run("0 SELECT DISTINCT trigger_name FROM information_schema.triggers");
  }

  // ---------------------------------------------------------------- what is found

  private static final String[] LOST_UPDATE = {
    "1 SELECT balance FROM account WHERE id = 1",
    "2 SELECT balance FROM account WHERE id = 1",
    "1 UPDATE account SET balance = 90 WHERE id = 1",
    "1 commit",
    "2 UPDATE account SET balance = 80 WHERE id = 1",
    "2 commit"
  };

  @Test
  void lostUpdate() throws Exception {
    run(LOST_UPDATE);
    assertThat(reported()).containsExactly("LOST_UPDATE");
    assertThat(coverage().resolution().unique()).isEqualTo(2);
  }

  @Test
  void exportsHaveTheRowsThatWereResolved() throws Exception {
    run(LOST_UPDATE);
    finish();
    StringWriter elle = new StringWriter();
    assertThat(ElleExport.write(folder.resolve("history.txw"), elle).omitted()).isEmpty();
    List<String> found = new ArrayList<>();
    Path edn = Files.writeString(folder.resolve("history.edn"), elle.toString());
    ForeignHistory.check(
        edn,
        ForeignFormat.ELLE_APPEND,
        new ForeignHistory.CheckOptions(
            IsolationLevel.SERIALIZABLE,
            Optional.empty(),
            false,
            OptionalLong.empty(),
            Set.of(),
            Duration.ofSeconds(20)),
        anomaly -> found.add(anomaly.phenomenon().name()));
    assertThat(found).containsExactly("LOST_UPDATE");
    assertThat(GraphExport.write(folder.resolve("history.txw"), false, new StringWriter()))
        .isEqualTo(new GraphExport.Written(2, 2, 2));
    assertThat(coverage().sessions()).isEqualTo(2);
  }

  @Test
  void updateThatIsLostToASessionThatIsNotWatchedNamesIt() throws Exception {
    run(
        "1 SELECT balance FROM account WHERE id = 1",
        "0 UPDATE account SET balance = 90 WHERE id = 1",
        "1 UPDATE account SET balance = 80 WHERE id = 1",
        "1 commit",
        "1 SELECT balance FROM account WHERE id = 2",
        "0 UPDATE account SET balance = 70 WHERE id = 3",
        "0 UPDATE account SET owner = 'eve' WHERE id = 2",
        "1 UPDATE account SET balance = 60 WHERE id = 2",
        "1 commit");
    assertThat(reported()).containsExactly("LOST_UPDATE");
    String found = watched.reported().get(0).json().toString();
    long connection;
    try (Statement statement = admin.createStatement();
        ResultSet row = statement.executeQuery("CALL SESSION_ID()")) {
      assertThat(row.next()).isTrue();
      connection = row.getLong(1);
    }
    assertThat(found)
        .contains("a session that is not watched (connection " + connection + "), at ")
        .containsIgnoringCase("account (not watched)");
    assertThat(watched.analysedAfterwards().anomalies()).hasSize(1);
  }

  @Test
  void writeSkew() throws Exception {
    level = "SNAPSHOT";
    run(
        "1 SELECT id, balance FROM account WHERE id = 1",
        "1 SELECT id, balance FROM account WHERE id = 2",
        "2 SELECT id, balance FROM account WHERE id IN (1, 2)",
        "1 UPDATE account SET balance = 0 WHERE id = 1",
        "2 UPDATE account SET balance = 0 WHERE id = 2",
        "1 commit",
        "2 commit");
    assertThat(reported()).containsExactly("WRITE_SKEW");
  }

  /** Each counts the rows, and inserts one that the other did not count. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT COUNT(*) FROM account",
        "SELECT SUM(balance) FROM account WHERE balance BETWEEN 50 AND 150",
        "SELECT balance FROM account WHERE owner = 'ann' OR owner IN ('bob', 'dan')",
        "SELECT DISTINCT owner FROM account a WHERE NOT (a.balance < 7 OR a.id = 3)",
        "SELECT id FROM account WHERE id >= 5"
      })
  void phantoms(String query) throws Exception {
    level = "SNAPSHOT";
    run(
        "1 " + query,
        "2 " + query,
        "1 INSERT INTO account VALUES (5, 100, 'dan')",
        "2 INSERT INTO account VALUES (6, 100, 'dan')",
        "1 commit",
        "2 commit");
    assertThat(reported()).containsExactly("G2");
  }

  /** The rows that the others insert, change and delete are not among those that were chosen. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT COUNT(*) FROM account WHERE balance > 100",
        "SELECT owner FROM account WHERE id % 2 = 1 AND balance = 100",
        "SELECT MAX(balance) FROM account WHERE owner IS NULL",
      })
  void changesOfOtherRowsAreNoPhantoms(String query) throws Exception {
    level = "SNAPSHOT";
    run(
        "1 " + query,
        "2 " + query,
        "1 INSERT INTO account VALUES (6, 100, 'dan')",
        "2 DELETE FROM account WHERE id = 2",
        "1 commit",
        "2 commit");
    assertThat(reported()).isEmpty();
  }

  @Test
  void sumsThatMissAnUpdateEach() throws Exception {
    level = "SNAPSHOT";
    run(
        "1 SELECT SUM(balance) FROM account WHERE id < 3",
        "2 SELECT SUM(balance) FROM account WHERE id < 3",
        "1 UPDATE account SET balance = balance - 100 WHERE id = 1",
        "2 UPDATE account SET balance = balance - 100 WHERE id = 2",
        "1 commit",
        "2 commit");
    assertThat(reported()).containsExactly("WRITE_SKEW");
  }

  /** The second count has what the first one lacks. */
  @Test
  void countsThatDiffer() throws Exception {
    run(
        "1 SELECT COUNT(*) FROM account WHERE owner = 'dan'",
        "2 INSERT INTO account VALUES (5, 100, 'dan')",
        "2 commit",
        "1 SELECT COUNT(*) FROM account WHERE owner = 'dan'",
        "1 commit");
    assertThat(reported()).containsExactly("PHANTOM");
  }

  @Test
  void readSkew() throws Exception {
    run(
        "1 SELECT balance FROM account WHERE id = 1",
        "2 UPDATE account SET balance = balance - 10 WHERE id = 1",
        "2 UPDATE account SET balance = balance + 10 WHERE id = 2",
        "2 commit",
        "1 SELECT balance FROM account WHERE id = 2",
        "1 commit");
    assertThat(reported()).containsExactly("READ_SKEW");
  }

  /** What was never committed is in no record: nothing is guessed of it. */
  @Test
  void dirtyReadIsCountedAndNotGuessed() throws Exception {
    level = "READ UNCOMMITTED";
    List<String> seen =
        run(
            "1 UPDATE account SET balance = 80 WHERE id = 1",
            "1 commit",
            "1 UPDATE account SET balance = 90 WHERE id = 1",
            "2 SELECT balance FROM account WHERE id = 1",
            "1 rollback",
            "2 UPDATE account SET balance = 5 WHERE id = 2",
            "2 commit");
    assertThat(seen).containsExactly("90");
    assertThat(reported()).isEmpty();
    assertThat(coverage().resolution().none()).isEqualTo(1);
  }

  @Test
  void whatWasRolledBackToASavepointWasNotWritten() throws Exception {
    run(
        "1 SELECT balance FROM account WHERE id = 1",
        "2 SELECT balance FROM account WHERE id = 3",
        "2 UPDATE account SET balance = 70 WHERE id = 3",
        "2 SAVEPOINT s",
        "2 UPDATE account SET balance = 80 WHERE id = 1",
        "2 ROLLBACK TO SAVEPOINT s",
        "2 UPDATE account SET balance = 80 WHERE id = 2",
        "2 commit",
        "1 UPDATE account SET balance = 90 WHERE id = 1",
        "1 SELECT balance FROM account WHERE id = 2",
        "1 commit");
    assertThat(reported()).isEmpty();
    assertThat(coverage().resolution().unique()).isEqualTo(3);
  }

  @Test
  void merge() throws Exception {
    run(
        "1 SELECT balance FROM account WHERE id = 1",
        "2 MERGE INTO account KEY (id) VALUES (1, 70, 'ann')",
        "2 commit",
        "1 MERGE INTO account t USING (VALUES (1, 60)) v (id, n) ON t.id = v.id"
            + " WHEN MATCHED THEN UPDATE SET balance = v.n",
        "1 commit");
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  @Test
  void cascade() throws Exception {
    run(
        "0 CREATE TABLE card (id INT PRIMARY KEY, account INT, valid INT,"
            + " FOREIGN KEY (account) REFERENCES account (id) ON DELETE CASCADE)",
        "0 INSERT INTO card VALUES (7, 1, 1)",
        "1 SELECT balance FROM account WHERE id = 2",
        "1 SELECT valid FROM card WHERE id = 7",
        "2 UPDATE account SET balance = 0 WHERE id = 2",
        "2 DELETE FROM account WHERE id = 1",
        "2 commit",
        "1 UPDATE account SET balance = 5 WHERE id = 2",
        "1 commit");
    assertThat(reported()).contains("LOST_UPDATE");
  }

  /** A trigger of the application, which writes another table. */
  public static final class Audit implements Trigger {
    @Override
    public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("UPDATE total SET n = n + 1 WHERE id = 1");
      }
    }
  }

  @Test
  void aTriggerOfTheApplication() throws Exception {
    run(
        "0 CREATE TABLE total (id INT PRIMARY KEY, n INT)",
        "0 INSERT INTO total VALUES (1, 0)",
        "0 CREATE TRIGGER audit AFTER UPDATE ON account FOR EACH ROW CALL '"
            + Audit.class.getName()
            + "'",
        "1 SELECT n FROM total WHERE id = 1",
        "2 UPDATE account SET balance = 1 WHERE id = 2",
        "2 commit",
        "1 UPDATE total SET n = 9 WHERE id = 1",
        "1 commit");
    assertThat(reported()).containsExactly("LOST_UPDATE");
    Awaitility.await().until(() -> triggers().equals(List.of("AUDIT")));
  }

  /** A trigger of the application, which writes another row of its table. */
  public static final class Transfer implements Trigger {
    @Override
    public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
      if (!after[0].equals(2)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("UPDATE account SET balance = balance - 1 WHERE id = 2");
        }
      }
    }
  }

  /** A trigger of the application, which writes another column in another row of its table. */
  public static final class Mark implements Trigger {
    @Override
    public void fire(Connection connection, Object[] before, Object[] after) throws SQLException {
      if (!List.of(after).contains(2)) {
        try (Statement statement = connection.createStatement()) {
          statement.execute("UPDATE account SET owner = 'x' || owner WHERE id = 2");
        }
      }
    }
  }

  private void watchAcrossTransactions() {
    watched.close();
    watched =
        new Watched(folder, Map.of("txwatch.versions", "triggers", "txwatch.across", "session"));
  }

  private void createTrigger(Class<? extends Trigger> trigger) throws SQLException {
    run(
        "0 CREATE TRIGGER application AFTER UPDATE ON account FOR EACH ROW CALL '"
            + trigger.getName()
            + "'");
  }

  @ParameterizedTest
  @ValueSource(strings = {"id = 1", "owner = 'ann'", "id IN (1)", "id < 2", "id + 0 = 1"})
  void whatATriggerWritesInTheSameTableIsNoStaleWrite(String where) throws Exception {
    watchAcrossTransactions();
    createTrigger(Transfer.class);
    run(
        "1 SELECT balance, owner FROM account WHERE id = 2",
        "1 commit",
        "2 UPDATE account SET balance = 50 WHERE id = 2",
        "2 commit",
        "1 UPDATE account SET balance = 90 WHERE " + where,
        "1 commit");
    assertThat(reported()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"id = 1", "owner = 'ann'"})
  void whatATriggerWritesInTheSameTableAreTheColumnsThatChanged(String where) throws Exception {
    createTrigger(Mark.class);
    run(
        "1 SELECT balance FROM account WHERE id = 2",
        "2 UPDATE account SET balance = 50 WHERE " + where,
        "2 commit",
        "1 UPDATE account SET balance = 90 WHERE id = 2",
        "1 commit");
    assertThat(reported()).isEmpty();
  }

  /** A connection to the database that is closed was never closed itself. */
  @Test
  void nothingIsKnownOfATableOfAnEarlierDatabaseOfTheSameName() throws Exception {
    run("1 UPDATE account SET balance = 50 WHERE owner = 'ann'", "1 commit");
    abandoned.addAll(sessions.values());
    sessions.clear();
    run("0 SHUTDOWN");
    admin = DriverManager.getConnection(url);
    run(
        "0 CREATE TABLE account (owner VARCHAR(10), balance INT NOT NULL, id INT PRIMARY KEY)",
        "0 INSERT INTO account VALUES ('ann', 100, 1), ('bob', 100, 2)");
    createTrigger(Mark.class);
    run(
        "1 SELECT balance FROM account WHERE id = 2",
        "2 UPDATE account SET balance = 50 WHERE owner = 'ann'",
        "2 commit",
        "1 UPDATE account SET balance = 90 WHERE id = 2",
        "1 commit");
    assertThat(reported()).isEmpty();
  }

  /** What a cascade and a trigger of the application write for a session that is not watched. */
  @Test
  void cascadesAndTriggersOfASessionThatIsNotWatched() throws Exception {
    run(
        "0 CREATE TABLE total (id INT PRIMARY KEY, n INT)",
        "0 INSERT INTO total VALUES (1, 0)",
        "0 CREATE TRIGGER audit AFTER UPDATE ON account FOR EACH ROW CALL '"
            + Audit.class.getName()
            + "'",
        "0 CREATE TABLE card (id INT PRIMARY KEY, account INT, valid INT,"
            + " FOREIGN KEY (account) REFERENCES account (id) ON DELETE CASCADE)",
        "0 INSERT INTO card VALUES (7, 1, 1)",
        "1 SELECT n FROM total WHERE id = 1",
        "1 SELECT valid FROM card WHERE id = 7",
        "0 UPDATE account SET balance = 1 WHERE id = 2",
        "0 DELETE FROM account WHERE id = 1",
        "1 UPDATE total SET n = 9 WHERE id = 1",
        "1 SELECT valid FROM card WHERE id = 7",
        "1 commit");
    assertThat(reported()).contains("LOST_UPDATE").allMatch(name -> !name.startsWith("?"));
    assertThat(watched.reported())
        .allSatisfy(
            found ->
                assertThat(found.json().toString())
                    .contains("a session that is not watched (connection "));
  }

  @Test
  void aTableMadeInTheMiddle() throws Exception {
    run("1 SELECT balance FROM account WHERE id = 1");
    run("1 commit");
    run(
        "1 CREATE TABLE seat (id INT PRIMARY KEY, n INT)",
        "1 INSERT INTO seat VALUES (1, 1)",
        "1 commit",
        "1 SELECT n FROM seat WHERE id = 1",
        "2 SELECT n FROM seat WHERE id = 1",
        "1 UPDATE seat SET n = 2 WHERE id = 1",
        "1 commit",
        "2 UPDATE seat SET n = 3 WHERE id = 1",
        "2 commit");
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  /** As the migration of a test's database is. */
  @Test
  void aTableThatSomebodyElseHasJustMade() throws Exception {
    run("3 SELECT owner FROM account", "3 commit");
    run(
        "0 CREATE TABLE stock (id INT PRIMARY KEY, balance INT NOT NULL)",
        "0 INSERT INTO stock VALUES (1, 100)");
    for (String step : LOST_UPDATE) {
      run(step.replace("account", "stock"));
    }
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  @Test
  void rowsWithoutKeyAreCounted() throws Exception {
    run(
        "0 CREATE TABLE log (id INT, n INT)",
        "0 INSERT INTO log VALUES (1, 1)",
        "1 SELECT id, n FROM log",
        "2 UPDATE log SET n = 2 WHERE id = 1",
        "2 commit",
        "1 UPDATE log SET n = 3 WHERE id = 1",
        "1 commit");
    assertThat(reported()).isEmpty();
  }

  // ---------------------------------------------------------------- what is left alone

  private void awaitNoTriggers() {
    Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> triggers().isEmpty());
  }

  @Test
  void nothingIsLeftBehind() throws Exception {
    run("1 SELECT balance FROM account WHERE id = 1", "1 commit");
    assertThat(triggers()).hasSize(1);
    finish();
    awaitNoTriggers();
    assertThat(run("0 SCRIPT")).noneMatch(line -> line.contains("TXWATCH"));
  }

  /** What each does, the rest goes on, and nothing wrong is reported. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRUNCATE TABLE account",
        "ALTER TABLE account ADD COLUMN more INT DEFAULT 5",
        "ALTER TABLE account DROP COLUMN owner",
        "ALTER TABLE account ALTER COLUMN balance VARCHAR(20)",
        "ALTER TABLE account RENAME TO other",
        "DROP TABLE account",
        "DROP ALL OBJECTS"
      })
  void ddlUnderWatch(String ddl) throws Exception {
    run(
        "1 SELECT id, balance FROM account",
        "2 SELECT id, balance FROM account",
        "1 UPDATE account SET balance = 90 WHERE id = 1",
        "1 commit",
        "2 commit",
        "2 " + ddl,
        "2 DROP TABLE IF EXISTS account",
        "2 DROP TABLE IF EXISTS other",
        "2 CREATE TABLE account (id INT PRIMARY KEY, balance INT)",
        "2 INSERT INTO account VALUES (1, 100), (2, 100)",
        "2 commit",
        "1 SELECT balance FROM account WHERE id = 1",
        "2 UPDATE account SET balance = 1 WHERE id = 2",
        "2 commit",
        "1 commit");
    Awaitility.await().until(() -> triggers().size() == 1);
    run(LOST_UPDATE);
    assertThat(reported()).containsExactly("LOST_UPDATE");
    awaitNoTriggers();
  }

  @ParameterizedTest
  @ValueSource(strings = {"SHUTDOWN", "SHUTDOWN IMMEDIATELY"})
  void aDatabaseOfTheSameNameIsAnother(String shutdown) throws Exception {
    run(LOST_UPDATE);
    run("1 SELECT balance FROM account WHERE id = 2");
    Connection one = session("1");
    run("3 " + shutdown); // what session 1 executes after its COMMIT may have made its change
    assertThatThrownBy(one::createStatement).isInstanceOf(SQLException.class);
    sessions.clear();
    admin = DriverManager.getConnection(url);
    run(
        "0 CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)",
        "0 INSERT INTO account VALUES (1, 80), (2, 100), (3, 100)",
        "1 SELECT balance FROM account WHERE id = 1",
        "1 UPDATE account SET balance = 7 WHERE id = 2",
        "1 commit",
        "2 SELECT balance FROM account WHERE id = 2",
        "2 commit");
    long began = System.nanoTime();
    assertThat(reported()).containsExactly("LOST_UPDATE");
    assertThat(System.nanoTime() - began).isLessThan(1_500_000_000L);
    assertThat(coverage().resolution().unrecorded()).isZero();
  }

  @Test
  void filesAndServersAreRefused() throws Exception {
    Server server = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    try {
      for (String other :
          List.of(
              "jdbc:h2:file:" + folder.resolve("shop"),
              "jdbc:h2:tcp://127.0.0.1:" + server.getPort() + "/mem:shop")) {
        String printed =
            printed(
                () -> {
                  try (Connection connection = watched.connect(other);
                      Statement statement = connection.createStatement()) {
                    statement.execute("CREATE TABLE t (id INT PRIMARY KEY)");
                    statement.execute("INSERT INTO t VALUES (1)");
                    try (ResultSet rows =
                        statement.executeQuery("SELECT * FROM information_schema.triggers")) {
                      assertThat(rows.next()).isFalse();
                    }
                  }
                });
        assertThat(printed)
            .contains("no row versions come from triggers: the H2 database is ")
            .contains("txwatch.versions=statements; txwatch.versions=columns")
            .doesNotContain("fault of txwatch");
      }
    } finally {
      server.stop();
    }
  }

  /** Something that may fail. */
  private interface Action {
    void run() throws Exception;
  }

  /** What is printed on standard error. */
  private static String printed(Action action) throws Exception {
    PrintStream before = System.err;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
    try {
      action.run();
    } finally {
      System.setErr(before);
    }
    String text = bytes.toString(StandardCharsets.UTF_8);
    System.err.print(text);
    return text;
  }
}
