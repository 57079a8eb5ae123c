package io.txwatch.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  @Test
  void theApplicationsOwnReturningStaysAsItIs() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery("UPDATE account SET n = 2 RETURNING old.n, new.n AS now")) {
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
          CREATE TABLE t (n INT PRIMARY KEY) PARTITION BY RANGE (n) | NOT_A_BASE_TABLE
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

  @Test
  void aTableNamedOldHidesTheReplacedVersion() throws SQLException {
    TestDatabase database = database(ACCOUNT, "INSERT INTO account VALUES (41, 1)");
    try (Connection connection = watched(database);
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("UPDATE account AS old SET n = 2 WHERE old.n = 1"))
          .isOne();
    }
    assertThat(allRows(database)).containsExactly(List.of("UPDATE 41 a"));
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
}
