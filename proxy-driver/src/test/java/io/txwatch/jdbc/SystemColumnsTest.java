package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.txwatch.history.Event;
import io.txwatch.history.Event.StatementExecuted;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import io.txwatch.history.WriterToken;
import io.txwatch.servers.ServerKind;
import io.txwatch.servers.TestServers;
import io.txwatch.settings.Setting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * PostgreSQL's system columns identify the versions of tables that nothing was added to. Rows are
 * written {@code UPDATE 41 a>b}: row 41, the version of writer a replaced by that of writer b.
 */
class SystemColumnsTest {

  private static final String ACCOUNT = "CREATE TABLE account (id INT PRIMARY KEY, n INT)";

  private final List<Long> writers = new ArrayList<>();

  private static TestDatabase database(String... setup) throws SQLException {
    return TestDatabase.at(
        ServerKind.POSTGRESQL, TestServers.freshDatabase(ServerKind.POSTGRESQL), List.of(setup));
  }

  private static Connection watched(TestDatabase database) throws SQLException {
    return database.watched(UnaryOperator.identity(), Map.of(Setting.VERSIONS, "system"));
  }

  /** A name that an alias gives a column may be that of the key, or hide it. */
  @ParameterizedTest
  @ValueSource(strings = {"inline", "items", "predicates"})
  void rowsOfRenamedColumnsAreNotTakenForOthers(String level) throws Exception {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (1, 2), (2, 1)");
    try (Connection connection =
            database.watched(UnaryOperator.identity(), Map.of(Setting.INSTRUMENT, level));
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (String sql :
          List.of(
              "SELECT c FROM account AS q (c) WHERE c = 1",
              "SELECT id FROM account AS q (n, id) WHERE n = 1",
              "SELECT DISTINCT id FROM account AS q (xmin, id) WHERE xmin = 1",
              "SELECT count(*) FROM account AS q (n, id)")) {
        statement.execute(sql);
      }
      connection.commit();
    }
    assertThat(database.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .containsOnly(GapReason.SHAPE)
        .hasSize(4);
    assertThat(database.statements())
        .hasSize(4)
        .allSatisfy(statement -> assertThat(statement.rows()).isEmpty());
  }

  private static int majorVersion(TestDatabase database) throws SQLException {
    try (Connection raw = database.raw()) {
      return raw.getMetaData().getDatabaseMajorVersion();
    }
  }

  /** The rows of a statement. */
  private List<String> rows(StatementExecuted statement) {
    return statement.rows().stream().map(this::row).toList();
  }

  private String row(RowAccess row) {
    WriterList list = row.writers();
    StringBuilder text = new StringBuilder(row.access() + " " + row.row() + " ");
    for (int i = 0; i < list.size(); i++) {
      assertThat(list.statement(i)).isEqualTo(WriterToken.BY_DBMS);
      text.append(i == 0 ? "" : ">").append(writer(list.transaction(i)));
    }
    return text.toString();
  }

  private char writer(long id) {
    if (!writers.contains(id)) {
      writers.add(id);
    }
    return (char) ('a' + writers.indexOf(id));
  }

  private List<List<String>> allRows(TestDatabase database) {
    return database.statements().stream().map(this::rows).toList();
  }

  /** A column or an aggregate of ours changes neither what a number means nor what is read. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT n FROM account ORDER BY 2",
        "SELECT n FROM account ORDER BY (3)",
        "SELECT *, n FROM account ORDER BY 4",
        "SELECT DISTINCT n FROM account ORDER BY 2",
        "SELECT n FROM account UNION SELECT id FROM account ORDER BY 2",
        "SELECT n FROM account UNION ALL SELECT id FROM account ORDER BY 2",
        "SELECT n, count(*) FROM account GROUP BY 3",
        "SELECT n, count(*) FROM account GROUP BY n ORDER BY 3",
        "SELECT n, count(*) FROM account GROUP BY ROLLUP (3)",
        "SELECT x.n FROM (SELECT n FROM account ORDER BY 2) x",
        "SELECT 1 FROM account WHERE 1 / n = 1 HAVING 1 < 2",
        "SELECT 1 FROM account WHERE 1 / n = 1 GROUP BY ()",
        "SELECT max(id) FROM account WHERE 1 / n = 1",
      })
  void nothingOfOursChangesWhatAStatementDoes(String sql) throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (1, 0), (2, 1)");
    try (Connection raw = database.raw();
        Connection watched = watched(database)) {
      assertThat(outcome(watched, sql)).isEqualTo(outcome(raw, sql));
    }
  }

  private static String outcome(Connection connection, String sql) {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> all = new ArrayList<>();
      while (rows.next()) {
        all.add(rows.getString(1));
      }
      return all.toString();
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  @Test
  void aColumnOfTheApplicationsWithOneOfOurNamesIsFoundByIt() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 7)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      ResultSet named = statement.executeQuery("SELECT n AS txw_rid FROM account");
      assertThat(named.next()).isTrue();
      assertThat(named.getInt("txw_rid")).isEqualTo(7);
      assertThat(named.findColumn("TXW_RID")).isEqualTo(1);
      assertThatThrownBy(() -> named.getString("txw_wl"))
          .hasMessageContaining("The column name txw_wl was not found");
    }
  }

  /** Columns that an earlier version of txwatch has added are columns of the application's. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT * FROM account",
        "SELECT * FROM account ORDER BY 1",
        "SELECT * FROM (SELECT * FROM account) x",
        "SELECT * FROM (SELECT id, txw_rid FROM account) x, account y",
        "SELECT x FROM (SELECT * FROM account) x",
        "UPDATE account SET n = 3 RETURNING *",
        "INSERT INTO account VALUES (2, 3, 4, 'w') RETURNING *",
        "INSERT INTO account SELECT id + 5, n, txw_rid, txw_wl FROM account RETURNING account",
      })
  void oldColumnsAreShown(String sql) throws SQLException {
    TestDatabase database =
        database(
            ACCOUNT,
            "ALTER TABLE account ADD COLUMN txw_rid bigint, ADD COLUMN txw_wl varchar(112)",
            "INSERT INTO account VALUES (1, 7, 17, 'b')");
    List<List<String>> seen = new ArrayList<>();
    for (boolean isWatched : List.of(false, true)) {
      try (Connection connection = isWatched ? watched(database) : database.raw();
          Statement statement = connection.createStatement();
          PreparedStatement keys =
              connection.prepareStatement(
                  "UPDATE account SET n = 1", Statement.RETURN_GENERATED_KEYS)) {
        connection.setAutoCommit(false);
        List<String> mine = new ArrayList<>();
        assertThat(statement.execute(sql)).isTrue();
        all(statement.getResultSet(), mine);
        keys.executeUpdate();
        all(keys.getGeneratedKeys(), mine);
        all(connection.getMetaData().getColumns(null, null, "account", null), mine);
        connection.rollback();
        seen.add(mine);
      }
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(0)).contains("txw_wl");
  }

  private static void all(ResultSet rows, List<String> into) throws SQLException {
    int columns = rows.getMetaData().getColumnCount();
    for (int i = 1; i <= columns; i++) {
      into.add(rows.getMetaData().getColumnLabel(i));
    }
    while (rows.next()) {
      for (int i = 1; i <= columns; i++) {
        into.add(rows.getString(i));
      }
    }
    rows.close();
  }

  /** What the server has not executed before is guarded by a savepoint, so it has its own id. */
  @Test
  void eachStatementReturnsTheWritersOfItsRows() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1), (42, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeQuery("SELECT * FROM account WHERE id = 41 FOR UPDATE").next();
      assertThat(statement.executeUpdate("UPDATE account SET n = 2 WHERE id = 41")).isOne();
      assertThat(statement.executeUpdate("UPDATE account a SET n = 3 WHERE a.id = 41")).isOne();
      assertThat(statement.executeUpdate("INSERT INTO account VALUES (43, 1)")).isOne();
      assertThat(
              statement.executeUpdate(
                  "INSERT INTO account VALUES (43, 5), (44, 5)"
                      + " ON CONFLICT (id) DO UPDATE SET n = excluded.n"))
          .isEqualTo(2);
      assertThat(statement.executeUpdate("DELETE FROM account WHERE id = 42")).isOne();
      connection.commit();
    }
    assertThat(allRows(database))
        .containsExactly(
            List.of("READ 41 a"),
            List.of("UPDATE 41 a>b"),
            List.of("UPDATE 41 b>c"),
            List.of("INSERT 43 d"),
            List.of("UPDATE 43 d>e", "INSERT 44 e"),
            List.of("DELETE 42 a"));
    assertThat(database.statements()).allMatch(StatementExecuted::writesSeen);
  }

  @Test
  void aSavepointHasAnIdOfItsOwn() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.executeUpdate("UPDATE account SET n = 2 WHERE id = 41");
      Savepoint savepoint = connection.setSavepoint();
      statement.executeUpdate("UPDATE account SET n = 3 WHERE id = 41");
      connection.rollback(savepoint);
      statement.executeUpdate("UPDATE account SET n = 4 WHERE id = 41");
      connection.commit();
    }
    assertThat(allRows(database))
        .containsExactly(
            List.of("UPDATE 41 a>b"), List.of("UPDATE 41 b>c"), List.of("UPDATE 41 b>d"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"n - 1, n AS now", "old.n, new.n AS now"})
  void theApplicationsOwnReturningStaysAsItIs(String list) throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    assumeTrue(majorVersion(database) >= 18 || !list.startsWith("old"));
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("UPDATE account SET n = 2 RETURNING " + list)) {
      assertThat(result.getMetaData().getColumnCount()).isEqualTo(2);
      assertThat(result.next()).isTrue();
      assertThat(result.getInt("now")).isEqualTo(2);
      assertThat(result.next()).isFalse();
    }
    assertThat(allRows(database)).containsExactly(List.of("UPDATE 41 a>b"));
  }

  @Test
  void aTransactionWithUnseenWritesIsIdentifiedBeforeItsCommit() throws SQLException {
    TestDatabase database = database(ACCOUNT);
    try (Connection connection = watched(database)) {
      connection.setAutoCommit(false);
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO account VALUES (?, 1)")) {
        for (int id = 1; id <= 3; id++) {
          insert.setInt(1, id);
          insert.addBatch();
        }
        assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
      }
      connection.commit();
      try (Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("SELECT n FROM account WHERE id = 2")) {
        assertThat(result.next()).isTrue();
        assertThat(result.next()).isFalse();
      }
      connection.commit();
    }
    List<Long> identified =
        database.events().stream()
            .filter(Event.TransactionIdentified.class::isInstance)
            .map(event -> ((Event.TransactionIdentified) event).idByDbms())
            .toList();
    RowAccess read = database.statements().get(3).rows().get(0);
    assertThat(identified).containsExactly(read.writers().transaction(0));
  }

  @ParameterizedTest
  @CsvSource({
    "SET LOCAL work_mem = '4MB', true",
    "CREATE TABLE t (n INT), true",
    "DROP TABLE account, true",
    "LOCK TABLE account, true",
    "TRUNCATE account, false",
    "CREATE TABLE t AS SELECT * FROM account, false",
    "DO 'BEGIN DELETE FROM account; END', false"
  })
  void aStatementThatAccessesNoRowsNeedsNoId(String sql, boolean accessesNoRows)
      throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute(sql);
      connection.commit();
    }
    assertThat(database.statements().get(0).writesSeen()).isEqualTo(accessesNoRows);
    assertThat(database.events(Event.TransactionIdentified.class)).hasSize(accessesNoRows ? 0 : 1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          k VARCHAR(9) PRIMARY KEY              | 'seven'
          a INT, k TEXT, PRIMARY KEY (a, k)     | 1, 'x'
          k UUID UNIQUE NOT NULL                | '0c0ffee0-0000-4000-8000-000000000000'
          k NUMERIC(20) PRIMARY KEY             | 12345678901234567890
          """)
  void anyKeyIdentifiesItsRow(String columns, String values) throws SQLException {
    TestDatabase database =
        database(
            "CREATE TABLE t (" + columns + ", n INT)", "INSERT INTO t VALUES (" + values + ", 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE t SET n = 2");
      ResultSet one = statement.executeQuery("SELECT n FROM t");
      assertThat(one.next()).isTrue();
      assertThat(one.next()).isFalse();
      ResultSet sum = statement.executeQuery("SELECT sum(n) FROM t");
      assertThat(sum.next()).isTrue();
      assertThat(sum.next()).isFalse();
    }
    List<StatementExecuted> statements = database.statements();
    assertThat(statements).allMatch(statement -> statement.rows().size() == 1);
    assertThat(statements.stream().map(s -> s.rows().get(0).row()).distinct()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          CREATE TABLE t (n INT PRIMARY KEY); ALTER TABLE t ENABLE ROW LEVEL SECURITY | NOT_A_BASE_TABLE
          CREATE TABLE t (n INT PRIMARY KEY); CREATE RULE r AS ON INSERT TO t DO ALSO NOTHING | NOT_A_BASE_TABLE
          """)
  void otherTablesAreLeftAloneAndCounted(String setup, GapReason reason) throws SQLException {
    TestDatabase database = database(setup);
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      statement.executeQuery("SELECT * FROM t").next();
    }
    assertThat(database.events())
        .anyMatch(event -> event instanceof Event.Gap gap && gap.reason() == reason);
    assertThat(database.statements().get(0).rows()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          CREATE TABLE t (n INT)
          CREATE TABLE t (at TIMESTAMPTZ DEFAULT now() PRIMARY KEY, n INT)
          CREATE TABLE t (k INT UNIQUE, n INT)
          """)
  void withoutAKeyARowIsIdentifiedByItsFirstPlace(String setup) throws SQLException {
    TestDatabase database = database(setup, "INSERT INTO t (n) VALUES (1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 3; i++) {
        assertThat(statement.executeUpdate("UPDATE t SET n = n + 1")).isOne();
        ResultSet rows = statement.executeQuery("SELECT n FROM t");
        assertThat(rows.next()).isTrue();
        assertThat(rows.next()).isFalse();
      }
      ResultSet sum = statement.executeQuery("SELECT sum(n) FROM t");
      assertThat(sum.next()).isTrue();
      assertThat(sum.next()).isFalse();
      assertThat(statement.executeUpdate("DELETE FROM t")).isOne();
    }
    List<StatementExecuted> statements = database.statements();
    assertThat(statements).hasSize(8).allMatch(statement -> statement.rows().size() == 1);
    assertThat(statements.stream().map(s -> s.rows().get(0).row()).distinct()).hasSize(1);
  }

  @Test
  void aKeyThatMayContainNullsIdentifiesNoRow() throws SQLException {
    TestDatabase database =
        database("CREATE TABLE t (k INT UNIQUE, n INT)", "INSERT INTO t VALUES (NULL, 1)");
    try (Connection raw = database.raw();
        Statement statement = raw.createStatement()) {
      if (majorVersion(database) >= 18) {
        statement.execute("ALTER TABLE t ADD CONSTRAINT c NOT NULL k NOT VALID");
      }
    }
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeQuery("SELECT n FROM t").next()).isTrue();
    }
    assertThat(database.statements().get(0).rows()).hasSize(1);
  }

  /** Settings that differ give each connection plans and a history of its own. */
  @Test
  void rowsMovedByOneConnectionAreRecognizedByAnother() throws SQLException {
    TestDatabase database = database("CREATE TABLE t (n INT)", "INSERT INTO t VALUES (1)");
    try (Connection first = watched(database);
        Connection second =
            database.watched(UnaryOperator.identity(), Map.of(Setting.REDACT, "false"));
        Statement write = first.createStatement();
        Statement read = second.createStatement()) {
      assertThat(write.executeUpdate("UPDATE t SET n = 2")).isOne();
      assertThat(read.executeQuery("SELECT n FROM t").next()).isTrue();
    }
    assertThat(database.statements().stream().map(s -> s.rows().get(0).row()).distinct())
        .hasSize(1);
  }

  @Test
  void anUpdateOfTheKeyDeletesARowAndInsertsOne() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1), (42, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      assertThat(
              statement.executeUpdate(
                  "UPDATE account SET id = CASE id WHEN 41 THEN 50 ELSE id END"))
          .isEqualTo(2);
    }
    List<StatementExecuted> statements = database.statements();
    assertThat(rows(statements.get(statements.size() - 1)))
        .containsExactlyInAnyOrder("DELETE 41 a", "INSERT 50 b", "UPDATE 42 a>b");
  }

  /**
   * Before PostgreSQL 18, and where {@code old} has another meaning, the condition keeps what is
   * replaced.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          UPDATE account AS old SET n = 2                                             | UPDATE 41 a>b
          UPDATE account AS old SET n = 2 WHERE n = 1 OR n = 7 -- a comment           | UPDATE 41 a>b
          UPDATE account AS old SET n = 2 WHERE n = 1 RETURNING n                     | UPDATE 41 a>b
          UPDATE account AS old SET n = (SELECT 2) WHERE n = 1                        | UPDATE 41 a>b
          UPDATE account AS old SET id = 50 WHERE n = 1                               | DELETE 41 a, INSERT 50 b
          INSERT INTO account AS old VALUES (41, 1) ON CONFLICT (id) DO UPDATE SET n = 2              | UPDATE 41 a>b
          INSERT INTO account AS old VALUES (41, 1) ON CONFLICT (id) DO UPDATE SET n = 2 WHERE old.n < 9 OR old.n > 9 | UPDATE 41 a>b
          INSERT INTO account AS old VALUES (42, 1) ON CONFLICT (id) DO UPDATE SET n = 2              | INSERT 42 a
          UPDATE account AS old SET n = 2 WHERE id IN (SELECT id FROM account)        | READ 41 a, UPDATE 41 b
          UPDATE account AS old SET n = 2 FROM pg_class c WHERE c.relname = 'account' | UPDATE 41 a
          """)
  void theConditionKeepsTheReplacedVersion(String sql, String expected) throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
      ResultSet result = statement.getResultSet();
      if (result != null) {
        assertThat(result.getMetaData().getColumnCount()).isOne();
        assertThat(result.next()).isTrue();
        assertThat(result.next()).isFalse();
      }
    }
    assertThat(String.join(", ", allRows(database).get(0))).isEqualTo(expected);
  }

  private static final String MERGE =
      "MERGE INTO account a USING (VALUES (41, 5), (43, 5)) v(id, n) ON a.id = v.id"
          + " WHEN MATCHED THEN UPDATE SET n = v.n"
          + " WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.n)";

  @Test
  void mergeReturnsWhatItDidToEachRow() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1), (42, 1)");
    int version = majorVersion(database);
    assumeTrue(version >= 15);
    String deletes = version < 17 ? "" : " WHEN NOT MATCHED BY SOURCE THEN DELETE";
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate(MERGE + deletes)).isEqualTo(version < 17 ? 2 : 3);
      if (version >= 17) {
        ResultSet result = statement.executeQuery(MERGE + " RETURNING merge_action()");
        assertThat(result.getMetaData().getColumnCount()).isOne();
        assertThat(result.next()).isTrue();
        assertThat(result.getString(1)).isEqualTo("UPDATE");
        assertThat(result.next()).isTrue();
        assertThat(result.next()).isFalse();
      }
    }
    if (version >= 18) {
      assertThat(allRows(database).get(0))
          .containsExactlyInAnyOrder("UPDATE 41 a>b", "INSERT 43 b", "DELETE 42 a");
      assertThat(allRows(database).get(1)).containsExactly("UPDATE 41 b>c", "UPDATE 43 b>c");
    } else {
      assertThat(database.statements()).noneMatch(StatementExecuted::writesSeen);
    }
  }

  /** A statement that waits for a lock evaluates its condition once more, on the newer version. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE account SET n = n + 1 WHERE id = 41",
        "UPDATE account AS old SET n = n + 1 WHERE id = 41",
        "INSERT INTO account AS old VALUES (41, 1) ON CONFLICT (id) DO UPDATE SET n = 2",
        "DELETE FROM account WHERE id = 41"
      })
  void theVersionOfTheWriterThatWasWaitedForIsReplaced(String sql) throws Exception {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection first = watched(database);
        Connection second = watched(database);
        Statement ofFirst = first.createStatement();
        Statement ofSecond = second.createStatement()) {
      first.setAutoCommit(false);
      assertThat(ofFirst.executeUpdate("UPDATE account SET n = 5 WHERE id = 41")).isOne();
      CompletableFuture<Void> waits =
          CompletableFuture.runAsync(() -> executeUnchecked(ofSecond, sql));
      awaitLockWait(database);
      first.commit();
      waits.get(1, TimeUnit.MINUTES);
    }
    List<List<String>> rows = allRows(database);
    assertThat(rows.get(0)).containsExactly("UPDATE 41 a>b");
    assertThat(rows.get(1))
        .containsExactly(sql.startsWith("DELETE") ? "DELETE 41 b" : "UPDATE 41 b>c");
  }

  private static void executeUnchecked(Statement statement, String sql) {
    try {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void awaitLockWait(TestDatabase database) throws SQLException {
    try (Connection raw = database.raw();
        Statement statement = raw.createStatement()) {
      await()
          .until(() -> statement.executeQuery("SELECT 1 FROM pg_locks WHERE NOT granted").next());
    }
  }

  /** The second partition has its columns in another order, where PostgreSQL raises an error. */
  private static final String[] PARTITIONED = {
    "CREATE TABLE account (id INT, region INT, n INT, PRIMARY KEY (id, region))"
        + " PARTITION BY LIST (region)",
    "CREATE TABLE account_1 PARTITION OF account FOR VALUES IN (1)",
    "CREATE TABLE account_2 (n INT, region INT NOT NULL, id INT NOT NULL)",
    "ALTER TABLE account ATTACH PARTITION account_2 FOR VALUES IN (2)",
    "INSERT INTO account VALUES (41, 1, 1), (42, 2, 1)"
  };

  @Test
  void rowsOfPartitionsAreObservedWherePostgresReturnsThem() throws SQLException {
    TestDatabase database = database(PARTITIONED);
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      assertThat(statement.executeUpdate("UPDATE account SET n = 2")).isEqualTo(2);
      assertThat(statement.executeUpdate("DELETE FROM account WHERE id = 41")).isOne();
      connection.commit();
      assertThat(statement.executeUpdate("INSERT INTO account VALUES (43, 1, 1)")).isOne();
      assertThat(statement.executeUpdate("UPDATE account SET region = 3 - region")).isEqualTo(2);
      connection.commit();
      statement.executeQuery("SELECT n FROM account WHERE id = 43").next();
    }
    List<StatementExecuted> statements = database.statements();
    assertThat(rows(statements.get(0))).hasSize(2).allMatch(row -> row.endsWith(" a>b"));
    assertThat(rows(statements.get(1))).hasSize(1).allMatch(row -> row.endsWith(" b"));
    assertThat(statements.get(2).writesSeen()).isFalse();
    assertThat(statements.get(3).writesSeen()).isFalse();
    long reader = statements.get(4).rows().get(0).writers().transaction(0);
    assertThat(database.events())
        .anyMatch(
            event ->
                event instanceof Event.TransactionIdentified identified
                    && identified.idByDbms() == reader
                    && identified.transaction() == statements.get(2).transaction());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TRIGGER t BEFORE UPDATE ON account FOR EACH ROW EXECUTE FUNCTION move()",
        "CREATE TRIGGER t BEFORE UPDATE ON account_2 FOR EACH ROW EXECUTE FUNCTION move()"
      })
  void triggersMayMoveRowsToOtherPartitions(String trigger) throws SQLException {
    TestDatabase database = database(PARTITIONED);
    try (Connection raw = database.raw();
        Statement statement = raw.createStatement()) {
      statement.execute(
          "CREATE FUNCTION move() RETURNS trigger LANGUAGE plpgsql AS"
              + " 'BEGIN NEW.region := 3 - NEW.region; RETURN NEW; END'");
      statement.execute(trigger);
    }
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE account SET n = 2 WHERE id = 42")).isOne();
    }
    assertThat(database.statements()).noneMatch(StatementExecuted::writesSeen);
  }

  /** The row in the message ends with what could be the values of auxiliary columns. */
  @Test
  void detailsOfErrorsAreUnchanged() throws SQLException {
    TestDatabase database =
        database("CREATE TABLE t (id INT PRIMARY KEY, n INT, s TEXT, CHECK (n > 9))");
    String insert = "INSERT INTO t VALUES (1, 5, NULL)";
    try (Connection raw = database.raw();
        Connection connection = watched(database);
        Statement expected = raw.createStatement();
        Statement statement = connection.createStatement()) {
      String message = catchThrowable(() -> expected.executeUpdate(insert)).getMessage();
      assertThat(message).contains("(1, 5, null)");
      assertThatThrownBy(() -> statement.executeUpdate(insert)).hasMessage(message);
    }
  }

  @Test
  void generatedKeysAreThoseOfTheApplication() throws SQLException {
    TestDatabase database =
        database("CREATE TABLE t (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT)");
    try (Connection connection = watched(database);
        PreparedStatement all =
            connection.prepareStatement(
                "INSERT INTO t (n) VALUES (?)", Statement.RETURN_GENERATED_KEYS);
        PreparedStatement one =
            connection.prepareStatement("INSERT INTO t (n) VALUES (?)", new String[] {"id"})) {
      for (PreparedStatement insert : List.of(all, one)) {
        insert.setInt(1, 7);
        assertThat(insert.executeUpdate()).isOne();
        ResultSet keys = insert.getGeneratedKeys();
        assertThat(keys.getMetaData().getColumnCount()).isEqualTo(insert == all ? 2 : 1);
        assertThat(keys.next()).isTrue();
        assertThat(keys.getInt("id")).isEqualTo(insert == all ? 1 : 2);
        assertThat(keys.next()).isFalse();
      }
    }
    assertThat(allRows(database)).containsExactly(List.of("INSERT 1 a"), List.of("INSERT 2 b"));
    assertThat(database.statements()).allMatch(StatementExecuted::writesSeen);
  }

  @Test
  void generatedKeysOfABatchAreThoseOfTheApplication() throws SQLException {
    TestDatabase database =
        database("CREATE TABLE t (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT)");
    try (Connection connection = watched(database);
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO t (n) VALUES (?)", Statement.RETURN_GENERATED_KEYS)) {
      for (int n = 0; n < 3; n++) {
        insert.setInt(1, n);
        insert.addBatch();
      }
      assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
      ResultSet keys = insert.getGeneratedKeys();
      assertThat(keys.getMetaData().getColumnCount()).isEqualTo(2);
      for (int id = 1; id <= 3; id++) {
        assertThat(keys.next()).isTrue();
        assertThat(keys.getInt(1)).isEqualTo(id);
      }
      assertThat(keys.next()).isFalse();
    }
  }

  /** An item of a batch has another text than the statement that the driver has already. */
  @Test
  void batchWithGeneratedKeysOfAStatementThatWasExecutedBefore() throws SQLException {
    TestDatabase database =
        database("CREATE TABLE t (id INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, n INT)");
    try (Connection connection = watched(database)) {
      for (String[] keys : List.of(new String[] {"id"}, new String[] {"id", "n"})) {
        for (int round = 0; round < 3; round++) {
          try (PreparedStatement insert =
              connection.prepareStatement("INSERT INTO t (n) VALUES (?)", keys)) {
            insert.setInt(1, 0);
            assertThat(insert.executeUpdate()).isOne();
            for (int n = 1; n < 4; n++) {
              insert.setInt(1, n);
              insert.addBatch();
            }
            assertThat(insert.executeBatch()).containsExactly(1, 1, 1);
          }
        }
      }
      try (Statement statement = connection.createStatement();
          ResultSet sum = statement.executeQuery("SELECT COUNT(*), SUM(n) FROM t")) {
        assertThat(sum.next()).isTrue();
        assertThat(List.of(sum.getInt(1), sum.getInt(2))).containsExactly(24, 36);
      }
    }
  }

  /** An upsert that does nothing has no keys. */
  @Test
  void generatedKeysOfOtherWritesAreThoseOfTheDriver() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Connection raw = database.raw()) {
      for (Connection each : List.of(connection, raw)) {
        try (PreparedStatement insert =
            each.prepareStatement(
                "INSERT INTO account VALUES (41, ?) ON CONFLICT DO NOTHING",
                Statement.RETURN_GENERATED_KEYS)) {
          insert.setInt(1, 7);
          assertThat(insert.executeUpdate()).isZero();
          assertThat(insert.getGeneratedKeys().next()).isFalse();
        }
        try (PreparedStatement update =
            each.prepareStatement("UPDATE account SET n = 2 ; ", new String[] {"n", "id"})) {
          assertThat(update.execute()).isFalse();
          assertThat(update.getUpdateCount()).isOne();
          ResultSet keys = update.getGeneratedKeys();
          assertThat(keys.next()).isTrue();
          assertThat(keys.getInt(1)).isEqualTo(2);
          assertThat(keys.getInt("id")).isEqualTo(41);
        }
        try (PreparedStatement wrong =
            each.prepareStatement("INSERT INTO account VALUES (50, 1)", new String[] {"nothing"})) {
          assertThatThrownBy(wrong::executeUpdate).hasMessageContaining("\"nothing\"");
        }
      }
    }
  }

  /** The driver appends RETURNING to a MERGE, unless the first command in its text is SELECT. */
  @ParameterizedTest
  @ValueSource(strings = {"(SELECT 41 AS k, 5 AS m) v", "(VALUES (41, 5), (43, 5)) v(k, m)"})
  void generatedKeysOfMergeAreThoseOfTheDriver(String source) throws SQLException {
    String merge =
        "MERGE INTO account a USING %s ON a.id = v.k WHEN MATCHED THEN UPDATE SET n = v.m"
                .formatted(source)
            + " WHEN NOT MATCHED THEN INSERT VALUES (v.k, v.m)";
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1), (42, 1)");
    assumeTrue(majorVersion(database) >= 17); // RETURNING of MERGE
    List<List<String>> seen = new ArrayList<>();
    for (Connection each : List.of(database.raw(), watched(database))) {
      try (each;
          PreparedStatement all = each.prepareStatement(merge, Statement.RETURN_GENERATED_KEYS);
          PreparedStatement named = each.prepareStatement(merge, new String[] {"n"});
          Statement statement = each.createStatement()) {
        each.setAutoCommit(false);
        List<String> mine = new ArrayList<>();
        mine.add("" + all.executeUpdate());
        all(all.getGeneratedKeys(), mine);
        mine.add("" + named.executeUpdate());
        all(named.getGeneratedKeys(), mine);
        mine.add("" + statement.executeUpdate(merge, Statement.RETURN_GENERATED_KEYS));
        all(statement.getGeneratedKeys(), mine);
        each.rollback();
        seen.add(mine);
      }
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(0));
  }

  /**
   * A statement that was prepared to give its keys gives those of another text as the driver does.
   */
  @Test
  void generatedKeysOfAnotherTextThanThePreparedOne() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    List<List<String>> seen = new ArrayList<>();
    for (boolean isWatched : List.of(false, true)) {
      List<String> mine = new ArrayList<>();
      for (String sql :
          List.of(
              "UPDATE account SET n = n WHERE id = 41",
              "INSERT INTO account VALUES (50, 1)",
              "DELETE FROM account WHERE id = 50")) {
        try (Connection connection = isWatched ? watched(database) : database.raw();
            PreparedStatement prepared =
                connection.prepareStatement(
                    "INSERT INTO account VALUES (?, 1)", Statement.RETURN_GENERATED_KEYS)) {
          mine.add("" + prepared.executeLargeUpdate(sql, new String[] {"id"}));
          all(prepared.getGeneratedKeys(), mine);
          mine.add("" + prepared.executeLargeUpdate("UPDATE account SET n = n WHERE id = 41"));
          all(prepared.getGeneratedKeys(), mine);
        }
      }
      seen.add(mine);
    }
    assertThat(seen.get(1)).isEqualTo(seen.get(0)).doesNotContain("n");
  }

  /** The driver pipelines the items if it can estimate how much they return. */
  @Test
  void aBatchThatReturnsRowsTakesAsManyRoundTripsAsUnwatched() throws SQLException {
    TestDatabase database = database(ACCOUNT);
    try (Connection raw = database.raw();
        Connection connection = watched(database)) {
      raw.setAutoCommit(false);
      connection.setAutoCommit(false);
      insertInBatch(raw, 1, 2);
      raw.commit();
      insertInBatch(connection, 3, 2); // its table is looked up
      int unwatched = insertInBatch(raw, 1_000, 100);
      assertThat(unwatched).isLessThan(10);
      assertThat(insertInBatch(connection, 2_000, 100)).isEqualTo(unwatched);
    }
    assertThat(database.statements()).hasSize(102).allMatch(StatementExecuted::writesSeen);
  }

  /** The round trips, of which each ends with a Sync. */
  private static int insertInBatch(Connection connection, int from, int rows) throws SQLException {
    Logger logger = Logger.getLogger("org.postgresql.core.v3.QueryExecutorImpl");
    Thread own = Thread.currentThread();
    AtomicInteger trips = new AtomicInteger();
    Handler counter =
        new Handler() {
          @Override
          public void publish(LogRecord message) {
            if (Thread.currentThread() == own && message.getMessage().contains("FE=> Sync")) {
              trips.incrementAndGet();
            }
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    counter.setLevel(Level.ALL);
    Level before = logger.getLevel();
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO account VALUES (?, 1) RETURNING id, n")) {
      logger.setLevel(Level.ALL);
      logger.addHandler(counter);
      for (int i = 0; i < rows; i++) {
        insert.setInt(1, from + i);
        insert.addBatch();
      }
      insert.executeBatch();
    } finally {
      logger.removeHandler(counter);
      logger.setLevel(before);
    }
    return trips.get();
  }

  @Test
  void theyAreReadByDefault() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    read(database);
    assertThat(database.statements().get(0).rows().get(0).row()).isEqualTo(41);
  }

  private static void read(TestDatabase database) throws SQLException {
    try (Connection connection = database.watched(UnaryOperator.identity(), Map.of());
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM account")) {
      assertThat(result.getMetaData().getColumnCount()).isEqualTo(2);
      assertThat(result.next()).isTrue();
    }
  }

  @Test
  void aPreparedDatabaseKeepsItsColumnsHidden() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection raw = database.raw()) {
      database.prepare(raw);
    }
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT * FROM account")) {
      assertThat(result.getMetaData().getColumnCount()).isEqualTo(2);
    }
  }

  @Test
  void insertByAUserWhoMayNotRead() throws SQLException {
    TestDatabase database = database(ACCOUNT);
    String role = "writer_" + Long.toHexString(System.nanoTime());
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE ROLE " + role + "; GRANT pg_write_all_data TO " + role);
      List<String> writes =
          List.of(
              "INSERT INTO account VALUES (1, 1)",
              "INSERT INTO account VALUES (2)",
              "INSERT INTO account (id) VALUES (3)",
              "UPDATE account SET n = 5",
              "DELETE FROM account");
      for (String sql : writes) {
        statement.executeUpdate(sql); // as a user who may read
      }
      statement.execute("SET SESSION AUTHORIZATION " + role);
      for (String sql : writes) {
        connection.setAutoCommit(false);
        int rows = statement.executeUpdate(sql);
        connection.rollback();
        connection.setAutoCommit(true);
        assertThat(statement.executeUpdate(sql)).as(sql).isEqualTo(rows).isPositive();
      }
      statement.execute("RESET SESSION AUTHORIZATION");
      statement.execute("DROP ROLE " + role);
    }
  }

  @Test
  void theTemporarySchemaIsTheApplicationsToCreate() throws SQLException {
    TestDatabase database = database(ACCOUNT);
    for (String path : List.of("PG_TEMP, public", "nosuch, \"pg_temp\"")) {
      try (Connection connection = watched(database);
          Statement statement = connection.createStatement()) {
        statement.execute("SET search_path TO " + path);
        statement.execute("SELECT * FROM public.account");
        assertThat(number(statement, "SELECT pg_my_temp_schema()")).as(path).isZero();
        connection.setAutoCommit(false);
        statement.executeQuery("SELECT current_schema()").close();
        assertThatThrownBy(() -> statement.execute("PREPARE TRANSACTION 'with_temporary_schema'"))
            .as(path)
            .isInstanceOf(SQLException.class)
            .hasFieldOrPropertyWithValue("SQLState", "0A000");
        connection.rollback();
      }
    }
  }

  @Test
  void pathWithATemporarySchemaThatIsNotThereYet() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (1, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE SCHEMA \"Other\"");
      statement.execute("CREATE TABLE \"Other\".account (id INT PRIMARY KEY, more INT)");
      statement.execute("INSERT INTO \"Other\".account VALUES (1, 5)");
      statement.execute("SET search_path TO pg_temp, nosuch, \"$user\", \"Other\", PUBLIC");
      assertThat(number(statement, "SELECT more FROM account")).isEqualTo(5);
      statement.execute("SET search_path TO PG_TEMP, Public, \"Other\"");
      assertThat(number(statement, "SELECT n FROM account")).isEqualTo(1);
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, most INT)");
      statement.execute("INSERT INTO account VALUES (1, 7)");
      assertThat(number(statement, "SELECT most FROM account")).isEqualTo(7);
    }
    assertThat(database.events(Event.Gap.class))
        .extracting(Event.Gap::reason)
        .doesNotContain(GapReason.FAULT);
    assertThat(database.statements())
        .filteredOn(s -> s.sql().startsWith("SELECT more") || s.sql().startsWith("SELECT n"))
        .hasSize(2)
        .allMatch(s -> !s.rows().isEmpty());
  }

  @Test
  void lookUpsAreNoPreparedStatementsOfTheSession() throws SQLException {
    TestDatabase database = database();
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < 12; i++) {
        statement.execute("CREATE TABLE t" + i + " (id INT PRIMARY KEY)");
        statement.executeQuery("SELECT * FROM t" + i).close();
      }
      assertThat(number(statement, "SELECT count(*) FROM pg_prepared_statements")).isZero();
    }
  }

  private static long number(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).isTrue();
      return rows.getLong(1);
    }
  }
}
