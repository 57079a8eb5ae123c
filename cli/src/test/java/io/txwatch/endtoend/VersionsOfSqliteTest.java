package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code txwatch.versions=statements} on SQLite, whose driver gives the rows that a statement
 * writes: also where the statement does not state them.
 *
 * <p>Sessions share a cache and read what is not committed, since SQLite is serializable otherwise.
 * One reads row 1 of a table, another one writes it in some way, and the first one overwrites that:
 * an update is lost. It is found only if it is known which rows the other one wrote. A schedule is
 * one line a step: the number of a session, 0 for one that is not watched, and what it executes.
 */
class VersionsOfSqliteTest {

  private static final String[] TABLES = {
    "CREATE TABLE account (id INTEGER PRIMARY KEY, grp INT, balance INT, owner TEXT UNIQUE)",
    "INSERT INTO account VALUES (1, 7, 100, 'ann'), (2, 7, 100, 'bob'), (3, 8, 100, 'cat')",
    "CREATE TABLE card (id INTEGER PRIMARY KEY, valid INT,"
        + " account INT REFERENCES account (id) ON UPDATE CASCADE ON DELETE SET NULL)",
    "INSERT INTO card VALUES (1, 1, 3), (2, 1, 2)",
    "CREATE TABLE total (id INTEGER PRIMARY KEY, n INT)",
    "INSERT INTO total VALUES (1, 0), (2, 0)",
    "CREATE TABLE seen (id INTEGER PRIMARY KEY, n INT)",
    "CREATE TRIGGER audit AFTER INSERT ON seen BEGIN"
        + " UPDATE total SET n = n + 1 WHERE id = new.n; END",
    "CREATE TABLE word (name TEXT PRIMARY KEY, n INT) WITHOUT ROWID",
    "INSERT INTO word VALUES ('a', 1), ('b', 1)"
  };

  @TempDir private Path folder = Path.of("");

  private final Map<String, Connection> sessions = new LinkedHashMap<>();
  private String url = "";
  private Watched watched;

  @BeforeEach
  void open() throws SQLException {
    url = "jdbc:sqlite:file:" + folder.resolve("bank.db") + "?cache=shared&foreign_keys=true";
    watched = new Watched(folder, Map.of("txwatch.versions", "statements"));
    for (String text : TABLES) {
      run("0 " + text);
    }
  }

  @AfterEach
  void close() throws SQLException {
    for (Connection session : sessions.values()) {
      session.close();
    }
    sessions.clear();
    watched.close();
  }

  private Connection session(String name) throws SQLException {
    Connection known = sessions.get(name);
    if (known == null) {
      known = name.equals("0") ? DriverManager.getConnection(url) : watched.connect(url);
      known.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      sessions.put(name, known);
    }
    return known;
  }

  private List<String> run(String... steps) throws SQLException {
    List<String> results = new ArrayList<>();
    for (String step : steps) {
      try (Statement statement = session(step.substring(0, 1)).createStatement()) {
        if (statement.execute(step.substring(2))) {
          try (ResultSet rows = statement.getResultSet()) {
            while (rows.next()) {
              results.add(rows.getString(1));
            }
          }
        }
      }
    }
    return results;
  }

  private List<String> reported() throws Exception {
    close();
    return watched.reported().stream().map(ReportedAnomaly::phenomenon).toList();
  }

  // ---------------------------------------------------------------- what is found

  /** What each writes to the row that was loaded is known. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "account | UPDATE account SET balance = 90 WHERE id = 1",
        "account | UPDATE account SET balance = 90 WHERE grp = 7",
        "account | UPDATE account SET balance = 90",
        "account | UPDATE account SET balance = s.n FROM (SELECT 90 AS n, 'ann' AS o) s WHERE owner = s.o",
        "account | INSERT INTO account VALUES (1, 7, 90, 'x') ON CONFLICT (id) DO UPDATE SET balance = 90",
        "account | INSERT INTO account VALUES (9, 7, 90, 'ann') ON CONFLICT (owner) DO UPDATE SET balance = 90",
        "account | REPLACE INTO account VALUES (1, 7, 90, 'ann')",
        "account | UPDATE account SET balance = 90 WHERE grp = 7 RETURNING id",
        "card    | UPDATE account SET id = 30 WHERE owner = 'cat'",
        "card    | DELETE FROM account WHERE owner = 'cat'",
        "total   | INSERT INTO seen (n) VALUES (1)",
        "total   | INSERT INTO seen (n) SELECT id FROM account",
      })
  void whatIsSavedOverAWriteIsFound(String table, String write) throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM " + table + " WHERE id = 1",
        "2 " + write,
        "1 UPDATE "
            + table
            + (table.equals("account")
                ? " SET balance"
                : table.equals("card") ? " SET valid" : " SET n")
            + " = 80 WHERE id = 1",
        "1 COMMIT");
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  /** None of them writes the row that was loaded. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE account SET balance = 90 WHERE grp = 8",
        "INSERT INTO account VALUES (9, 7, 90, 'ann') ON CONFLICT (owner) DO NOTHING",
        "INSERT OR IGNORE INTO account VALUES (1, 7, 90, 'ann')",
        "INSERT INTO account (grp, balance) VALUES (7, 90)",
        "DELETE FROM account WHERE owner = 'bob'",
        "UPDATE word SET n = 2 WHERE name = 'a'"
      })
  void whatWroteOtherRowsIsNotReported(String write) throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM account WHERE id = 1",
        "2 " + write,
        "1 UPDATE account SET balance = 80 WHERE id = 1",
        "1 COMMIT");
    assertThat(reported()).isEmpty();
  }

  @Test
  void whatWasUndoneWasNotWritten() throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM account WHERE id = 1",
        "2 BEGIN",
        "2 UPDATE account SET balance = 70 WHERE grp = 8",
        "2 SAVEPOINT s",
        "2 UPDATE account SET balance = 90 WHERE grp = 7",
        "2 ROLLBACK TO s",
        "2 COMMIT",
        "2 BEGIN",
        "2 UPDATE account SET balance = 90 WHERE grp = 7",
        "2 ROLLBACK");
    assertThatThrownBy(() -> run("2 UPDATE account SET balance = 1, owner = 'cat' WHERE grp = 7"))
        .isInstanceOf(SQLException.class);
    run("1 UPDATE account SET balance = 80 WHERE id = 1", "1 COMMIT");
    assertThat(reported()).isEmpty();
  }

  @Test
  void whatPrecedesASavepointRemains() throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM account WHERE id = 1",
        "2 BEGIN",
        "2 UPDATE account SET balance = 90 WHERE grp = 7",
        "2 SAVEPOINT s",
        "2 UPDATE account SET balance = 70 WHERE grp = 8",
        "2 ROLLBACK TO s",
        "2 COMMIT",
        "1 UPDATE account SET balance = 80 WHERE id = 1",
        "1 COMMIT");
    assertThat(reported()).containsExactly("LOST_UPDATE");
  }

  @ParameterizedTest
  @CsvSource({"7, LOST_UPDATE", "8, ''"})
  void eachItemOfABatch(int group, String expected) throws Exception {
    run("1 BEGIN", "1 SELECT * FROM account WHERE id = 1");
    try (PreparedStatement update =
        session("2").prepareStatement("UPDATE account SET balance = 90 WHERE grp = ?")) {
      for (int each : List.of(5, group, 6)) {
        update.setInt(1, each);
        update.addBatch();
      }
      update.executeBatch();
    }
    run("1 UPDATE account SET balance = 80 WHERE id = 1", "1 COMMIT");
    assertThat(String.join(",", reported())).isEqualTo(expected);
  }

  /** A DELETE of all rows gives none of them; nor is anything else reported. */
  @Test
  void aDeleteOfAllRows() throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM total WHERE id = 1",
        "2 DELETE FROM total",
        "2 INSERT INTO total VALUES (1, 5)",
        "1 UPDATE total SET n = 6 WHERE id = 1",
        "1 SELECT * FROM total WHERE id = 1",
        "1 COMMIT");
    assertThat(reported()).isEmpty();
  }

  /** What a connection that is not watched writes shows in nothing. */
  @Test
  void aWriterThatIsNotWatched() throws Exception {
    for (int i = 0; i < 5; i++) {
      run(
          "1 BEGIN",
          "1 SELECT * FROM account WHERE id = 1",
          "0 UPDATE account SET balance = 100 WHERE id = 1",
          "2 UPDATE account SET balance = 90 WHERE grp = 8",
          "1 UPDATE account SET balance = balance - 1 WHERE grp = 7",
          "1 COMMIT");
    }
    assertThat(reported()).isEmpty();
  }

  @Test
  void readSkew() throws Exception {
    run(
        "1 BEGIN",
        "1 SELECT * FROM account WHERE id = 1",
        "2 UPDATE account SET balance = balance + 1 WHERE grp = 7",
        "1 SELECT * FROM account WHERE id = 2",
        "1 COMMIT");
    assertThat(reported()).containsExactly("READ_SKEW");
  }

  // ---------------------------------------------------------------- what is left alone

  private static final String[] WORK = {
    "INSERT INTO seen (n) VALUES (1), (2)",
    "UPDATE account SET balance = 1 WHERE grp = 7",
    "REPLACE INTO account VALUES (5, 7, 1, 'cat')",
    "INSERT OR IGNORE INTO account VALUES (1, 7, 90, 'ann')",
    "UPDATE word SET n = 2",
    "UPDATE account SET id = 40 WHERE id = 2",
    "DELETE FROM account WHERE id = 1",
    "DELETE FROM word",
    "CREATE TABLE more (id INTEGER PRIMARY KEY)",
    "INSERT INTO more SELECT id FROM account",
    "ALTER TABLE account RENAME COLUMN balance TO amount",
    "DROP TABLE more"
  };

  private static List<String> countsOf(Connection connection) throws SQLException {
    List<String> counts = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      for (String text : WORK) {
        counts.add(text + ": " + statement.executeUpdate(text));
        for (String asked :
            List.of(
                "SELECT changes()",
                "SELECT total_changes()",
                "SELECT last_insert_rowid()",
                "SELECT COUNT(*) FROM sqlite_temp_master",
                "PRAGMA schema_version",
                "PRAGMA database_list")) {
          try (ResultSet row = statement.executeQuery(asked)) {
            counts.add(row.next() ? asked + " " + row.getString(1) : asked);
          }
        }
      }
    }
    return counts;
  }

  private static List<String> dump(Connection connection) throws SQLException {
    List<String> dump = new ArrayList<>();
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement()) {
      try (ResultSet rows =
          statement.executeQuery("SELECT type, name, sql FROM sqlite_master ORDER BY rowid")) {
        while (rows.next()) {
          dump.add(rows.getString(1) + " " + rows.getString(2) + " " + rows.getString(3));
          if (rows.getString(1).equals("table")) {
            tables.add(rows.getString(2));
          }
        }
      }
      for (String table : tables) {
        try (ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " ORDER BY 1")) {
          while (rows.next()) {
            StringBuilder line = new StringBuilder(table);
            for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
              line.append(' ').append(rows.getString(i));
            }
            dump.add(line.toString());
          }
        }
      }
    }
    return dump;
  }

  @Test
  void theApplicationSeesWhatItSeesWithoutTxwatch() throws Exception {
    String plain = "jdbc:sqlite:" + folder.resolve("plain.db") + "?foreign_keys=true";
    List<String> expected;
    List<String> expectedDump;
    try (Connection raw = DriverManager.getConnection(plain)) {
      try (Statement statement = raw.createStatement()) {
        for (String text : TABLES) {
          statement.execute(text);
        }
      }
    }
    try (Connection raw = DriverManager.getConnection(plain)) {
      expected = countsOf(raw);
      expectedDump = dump(raw);
    }
    List<String> shown = countsOf(session("1"));
    List<String> shownDump = dump(session("1"));
    close();
    String file = folder.toString();
    assertThat(shown.stream().map(line -> line.replace(file, "")).toList())
        .isEqualTo(expected.stream().map(line -> line.replace(file, "")).toList());
    assertThat(shownDump).isEqualTo(expectedDump);
    try (Connection raw = DriverManager.getConnection(url)) {
      assertThat(dump(raw)).isEqualTo(expectedDump);
    }
  }
}
