package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.Event;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A DBMS of which txwatch knows nothing but what its driver says: Apache Derby in memory. */
class VersionsOfAnyDatabaseTest {

  private static final AtomicInteger COUNT = new AtomicInteger();

  @TempDir private Path folder = Path.of("");

  private final String url = "jdbc:derby:memory:bank" + COUNT.incrementAndGet() + ";create=true";

  @BeforeAll
  static void logsIntoAFile() {
    System.setProperty("derby.stream.error.file", "target/derby.log");
  }

  @BeforeEach
  void tables() throws SQLException {
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
  @ValueSource(strings = {"auto", "statements", "columns"})
  void aLostUpdateIsReported(String versions) throws Exception {
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
  @ValueSource(
      ints = {
        Connection.TRANSACTION_READ_COMMITTED,
        Connection.TRANSACTION_REPEATABLE_READ,
        Connection.TRANSACTION_SERIALIZABLE
      })
  void oneAfterTheOtherIsCorrect(int level) throws Exception {
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

  @Test
  void rowsAreReadByTheKeysThatMetadataShows() throws Exception {
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
    assertThat(
            watched.events().stream()
                .filter(Event.ValuesObserved.class::isInstance)
                .flatMap(event -> ((Event.ValuesObserved) event).reads().stream())
                .map(rows -> rows.table() + " " + rows.size())
                .toList())
        .containsExactly("ACCOUNT 2", "RATE 1", "Mixed_Name 1", "ARCHIVE.ACCOUNT 1");
  }
}
