package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A DBMS that is read as its driver describes it: Apache Derby, of which txwatch knows little more,
 * and HSQLDB, whose effects on transactions it knows.
 */
class VersionsOfAnyDatabaseTest {

  private static final AtomicInteger COUNT = new AtomicInteger();

  @TempDir private Path folder = Path.of("");

  /** A DBMS of the tests: how it is reached, and how a test begins. */
  enum Product {
    DERBY("jdbc:derby:memory:bank%d;create=true"),
    HSQLDB("jdbc:hsqldb:mem:bank%d;hsqldb.tx=mvcc");

    private final String url;

    Product(String url) {
      this.url = url;
    }
  }

  private String url = "";

  @BeforeAll
  static void logsIntoAFile() {
    System.setProperty("derby.stream.error.file", "target/derby.log");
  }

  private void tables(Product product) throws SQLException {
    url = product.url.formatted(COUNT.incrementAndGet());
    execute(
        "CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL, owner VARCHAR(10))",
        "INSERT INTO account VALUES (1, 100, 'ann'), (2, 100, 'bob')",
        "CREATE TABLE rate (code BIGINT NOT NULL UNIQUE, cents DECIMAL(9, 2))",
        "INSERT INTO rate VALUES (7, 1.50)",
        "CREATE TABLE \"Mixed_Name\" (\"Id\" INT PRIMARY KEY, n INT)",
        "CREATE TABLE \"MixedXName\" (\"Other\" INT PRIMARY KEY, n INT)",
        "INSERT INTO \"Mixed_Name\" VALUES (1, 1)",
        "CREATE SCHEMA archive",
        "CREATE TABLE archive.account (id INT PRIMARY KEY, balance INT NOT NULL)",
        "INSERT INTO archive.account VALUES (1, 5)");
  }

  private void execute(String... texts) throws SQLException {
    try (Connection raw = DriverManager.getConnection(url);
        Statement statement = raw.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  /** What two sessions do. */
  private interface Work {
    void with(Connection one, Connection other) throws SQLException;
  }

  private Watched run(String versions, int level, Work work) throws SQLException {
    Watched watched = new Watched(folder, Map.of("txwatch.versions", versions));
    try (Connection one = watched.connect(url);
        Connection other = watched.connect(url)) {
      for (Connection connection : List.of(one, other)) {
        if (level != one.getTransactionIsolation()) {
          connection.setTransactionIsolation(level);
        }
        connection.setAutoCommit(false);
      }
      work.with(one, other);
    }
    watched.close();
    return watched;
  }

  private static int balance(Connection connection, String more) throws SQLException {
    try (PreparedStatement read =
        connection.prepareStatement("SELECT balance FROM account WHERE id = ?" + more)) {
      read.setInt(1, 1);
      try (ResultSet row = read.executeQuery()) {
        assertThat(row.next()).isTrue();
        return row.getInt(1);
      }
    }
  }

  private static void set(Connection connection, int balance) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
      update.setInt(1, balance);
      update.setInt(2, 1);
      assertThat(update.executeUpdate()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @CsvSource({"DERBY, auto", "DERBY, statements", "DERBY, columns", "HSQLDB, auto"})
  void aLostUpdateIsReported(Product product, String versions) throws Exception {
    tables(product);
    Watched watched =
        run(
            versions,
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              int seenByOne = balance(one, "");
              int seenByOther = balance(other, "");
              set(one, seenByOne - 10);
              one.commit();
              set(other, seenByOther - 20);
              other.commit();
            });
    assertThat(watched.reported())
        .singleElement()
        .satisfies(
            anomaly -> {
              assertThat(anomaly.phenomenon()).isEqualTo("LOST_UPDATE");
              assertThat(anomaly.possible()).isFalse();
              assertThat(anomaly.toString()).contains("HAZARD").containsIgnoringCase("account");
            });
  }

  @ParameterizedTest
  @CsvSource({"DERBY, 2", "DERBY, 4", "DERBY, 8", "HSQLDB, 2", "HSQLDB, 4", "HSQLDB, 8"})
  void oneAfterTheOtherIsCorrect(Product product, int level) throws Exception {
    tables(product);
    Watched watched =
        run(
            "statements",
            level,
            (one, other) -> {
              for (int i = 0; i < 20; i++) {
                for (Connection session : List.of(one, other)) {
                  set(session, balance(session, i % 2 == 0 ? " FOR UPDATE" : "") - 1);
                  session.commit();
                }
              }
            });
    assertThat(watched.reported()).isEmpty();
    assertThat(watched.analysedAfterwards().coverage().resolution().unique()).isPositive();
  }

  /** Derby reads a row, and waits for its lock, when the application moves to it. */
  @ParameterizedTest
  @CsvSource({"'', 1", "' FOR UPDATE', 1", "'', 2"})
  void aRowIsReadWhenTheApplicationMovesToIt(String lock, int id) throws Exception {
    tables(Product.DERBY);
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              set(other, 90);
              try (Statement read = one.createStatement();
                  ResultSet row =
                      read.executeQuery(
                          "SELECT id, balance FROM account WHERE id IN (1, " + id + ")" + lock)) {
                other.commit();
                assertThat(row.next()).isTrue();
                assertThat(row.getInt(2)).isEqualTo(90);
              }
              set(one, 80);
              one.commit();
            });
    assertThat(watched.reported()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void rowsAreReadByTheKeysThatMetadataShows(Product product) throws Exception {
    tables(product);
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              try (Statement statement = one.createStatement()) {
                for (String text :
                    List.of(
                        "SELECT * FROM account",
                        "SELECT cents FROM rate WHERE code = 7",
                        "SELECT * FROM \"Mixed_Name\" /* of a pattern */ -- or not",
                        "SET SCHEMA archive",
                        "SELECT * FROM account WHERE id = 1")) {
                  if (statement.execute(text)) {
                    try (ResultSet rows = statement.getResultSet()) {
                      while (rows.next()) {
                        rows.getString(1);
                      }
                    }
                  }
                }
              }
              one.rollback();
            });
    assertThat(rowsRead(watched))
        .containsExactly("ACCOUNT 2", "RATE 1", "Mixed_Name 1", "ARCHIVE.ACCOUNT 1");
  }

  private static List<String> rowsRead(Watched watched) throws IOException {
    return watched.events().stream()
        .filter(Event.ValuesObserved.class::isInstance)
        .flatMap(event -> ((Event.ValuesObserved) event).reads().stream())
        .map(rows -> rows.table() + " " + rows.size())
        .toList();
  }

  private static List<Outcome> outcomes(Watched watched) throws IOException {
    return watched.events().stream()
        .filter(Event.TransactionEnded.class::isInstance)
        .map(event -> ((Event.TransactionEnded) event).outcome())
        .toList();
  }

  /** SQL Server rolls back after some errors, and not after others; HSQLDB does not. */
  @ParameterizedTest
  @EnumSource
  void afterAnErrorACommitMayBeOfLess(Product product) throws Exception {
    tables(product);
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              for (boolean commits : List.of(true, false, true)) {
                set(one, 1);
                assertThatThrownBy(
                        () -> {
                          try (Statement statement = one.createStatement()) {
                            statement.execute("INSERT INTO account VALUES (2, 0, 'eve')");
                          }
                        })
                    .isInstanceOf(SQLException.class);
                if (commits) {
                  one.commit();
                } else {
                  one.rollback();
                }
              }
              set(one, 2);
              one.commit();
            });
    Outcome committed = product == Product.DERBY ? Outcome.UNKNOWN : Outcome.COMMITTED;
    assertThat(outcomes(watched))
        .containsExactly(committed, Outcome.ABORTED, committed, Outcome.COMMITTED);
  }

  /** Oracle commits before each definition, also before one that fails; Derby does not. */
  @ParameterizedTest
  @EnumSource
  void aDefinitionMayCommitOrNot(Product product) throws Exception {
    tables(product);
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              for (String definition : List.of("CREATE TABLE made (id INT)", "DROP TABLE made")) {
                set(one, 1);
                try (Statement statement = one.createStatement()) {
                  statement.execute(definition);
                }
                if (definition.startsWith("DROP")) {
                  one.rollback();
                } else {
                  one.commit();
                }
              }
              try (Statement statement = one.createStatement()) {
                statement.execute("LOCK TABLE account IN EXCLUSIVE MODE");
              } catch (SQLException e) {
                one.rollback(); // HSQLDB's is another
              }
              try (Statement statement = one.createStatement()) {
                statement.execute("SET SCHEMA archive");
              }
              set(one, 1);
              one.commit();
            });
    List<Outcome> outcomes = new ArrayList<>(outcomes(watched));
    outcomes.remove(Outcome.ABORTED); // of the statement that HSQLDB refused
    assertThat(outcomes).containsExactly(Outcome.UNKNOWN, Outcome.UNKNOWN, Outcome.COMMITTED);
  }

  /** Oracle commits when a connection is closed; Derby refuses to close it. */
  @Test
  void whatIsOpenWhenAConnectionIsClosedIsRolledBackOnHsqldb() throws Exception {
    tables(Product.HSQLDB);
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              set(one, 1);
              one.close();
            });
    assertThat(outcomes(watched)).containsExactly(Outcome.ABORTED);
  }

  /** Oracle closes the stream of a LONG when another column of the row is read. */
  @ParameterizedTest
  @EnumSource
  void besideALargeValueNothingIsRead(Product product) throws Exception {
    tables(product);
    execute(
        "CREATE TABLE letter (id INT PRIMARY KEY, n INT, body CLOB)",
        "INSERT INTO letter VALUES (1, 2, 'dear')");
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              try (Statement statement = one.createStatement()) {
                for (String text :
                    List.of(
                        "SELECT id, n FROM letter",
                        "SELECT * FROM letter",
                        "SELECT n, body FROM letter WHERE id = 1")) {
                  try (ResultSet row = statement.executeQuery(text)) {
                    assertThat(row.next()).isTrue();
                    assertThat(row.getInt("n")).isEqualTo(2);
                    if (text.indexOf('*') >= 0) {
                      assertThat(row.getCharacterStream(3).read()).isEqualTo('d');
                    }
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                }
              }
              one.rollback();
            });
    assertThat(rowsRead(watched)).containsExactly("LETTER 1");
  }

  /**
   * A trigger may give a row another key, and MERGE and TRUNCATE write rows that are not stated.
   */
  @ParameterizedTest
  @EnumSource
  void whatATriggerMayChangeIsNotKnown(Product product) throws Exception {
    tables(product);
    execute(
        product == Product.DERBY
            ? "CREATE TRIGGER moves AFTER INSERT ON account REFERENCING NEW AS n FOR EACH ROW"
                + " UPDATE account SET id = n.id + 100 WHERE id = n.id"
            : "CREATE TRIGGER moves BEFORE INSERT ON account REFERENCING NEW AS n FOR EACH ROW"
                + " SET n.id = n.id + 100");
    Watched watched =
        run(
            "statements",
            Connection.TRANSACTION_READ_COMMITTED,
            (one, other) -> {
              try (Statement statement = one.createStatement()) {
                statement.execute("INSERT INTO account VALUES (3, 1, 'eve')");
                statement.execute("UPDATE \"Mixed_Name\" SET n = 2 WHERE \"Id\" = 1");
                statement.execute(
                    "MERGE INTO rate USING account ON code = id"
                        + " WHEN MATCHED THEN UPDATE SET cents = 3");
              }
              balance(one, "");
              one.commit();
              try (Statement statement = one.createStatement()) {
                statement.execute("TRUNCATE TABLE rate");
              }
              one.commit();
            });
    assertThat(rowsRead(watched)).isEmpty();
    assertThat(
            watched.events().stream()
                .filter(Event.ValuesObserved.class::isInstance)
                .flatMap(event -> ((Event.ValuesObserved) event).writes().stream())
                .map(write -> write.rows().table() + " " + write.rows().size() + write.complete()))
        .containsExactly("ACCOUNT 0false", "Mixed_Name 1true");
    assertThat(
            watched.events().stream()
                .filter(Event.StatementExecuted.class::isInstance)
                .map(event -> ((Event.StatementExecuted) event).kind())
                .filter(StatementKind::mayWrite))
        .containsExactly(
            StatementKind.INSERT, StatementKind.UPDATE, StatementKind.MERGE, StatementKind.DDL);
  }
}
