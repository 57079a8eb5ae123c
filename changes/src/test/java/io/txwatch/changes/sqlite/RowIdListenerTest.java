package io.txwatch.changes.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.SQLiteConnection;

/** Real SQLite: which rows a connection changes. */
class RowIdListenerTest {

  @SuppressWarnings("NullAway.Init")
  @TempDir
  private Path folder;

  private SQLiteConnection connect() throws SQLException {
    return (SQLiteConnection) DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("f.db"));
  }

  private static void execute(Connection connection, String... texts) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String text : texts) {
        statement.execute(text);
      }
    }
  }

  private static RowIdListener listener(Connection connection) {
    return Objects.requireNonNull(RowIdListener.to(connection));
  }

  /** The rows that statements changed. */
  private static List<String> changed(
      RowIdListener listener, Connection connection, String... texts) throws SQLException {
    listener.begin();
    execute(connection, texts);
    return Objects.requireNonNull(listener.changes()).stream()
        .map(one -> one.kind() + " " + one.database() + "." + one.table() + " " + one.rowId())
        .toList();
  }

  @Test
  void rowsOfPredicatesTriggersAndCascadesAreSeen() throws Exception {
    try (SQLiteConnection connection = connect()) {
      execute(
          connection,
          "PRAGMA foreign_keys = ON",
          "CREATE TABLE p(id INTEGER PRIMARY KEY, n INT)",
          "CREATE TABLE k(id INTEGER PRIMARY KEY, p INT REFERENCES p(id) ON DELETE CASCADE)",
          "CREATE TABLE a(id INTEGER PRIMARY KEY, n INT)",
          "CREATE TRIGGER tr AFTER UPDATE ON p BEGIN INSERT INTO a(n) VALUES (new.n); END");
      RowIdListener listener = listener(connection);
      assertThat(
              changed(
                  listener,
                  connection,
                  "INSERT INTO p VALUES (1, 1), (2, 1), (3, 2)",
                  "INSERT INTO k VALUES (9, 2)"))
          .containsExactly(
              "INSERT main.p 1", "INSERT main.p 2", "INSERT main.p 3", "INSERT main.k 9");
      assertThat(changed(listener, connection, "UPDATE p SET n = 7 WHERE n = 1"))
          .containsExactly(
              "UPDATE main.p 1", "INSERT main.a 1", "UPDATE main.p 2", "INSERT main.a 2");
      assertThat(changed(listener, connection, "DELETE FROM p WHERE id = 2"))
          .containsExactlyInAnyOrder("DELETE main.p 2", "DELETE main.k 9");
      assertThat(changed(listener, connection, "INSERT INTO a(n) SELECT id FROM p"))
          .containsExactly("INSERT main.a 3", "INSERT main.a 4");
      assertThat(
              changed(
                  listener,
                  connection,
                  "INSERT INTO p VALUES (3, 1), (4, 1) ON CONFLICT (id) DO UPDATE SET n = 9"))
          .containsExactly("UPDATE main.p 3", "INSERT main.a 5", "INSERT main.p 4");
      assertThat(listener.unseen()).isZero();
      listener.close();
      assertThat(changed(listener, connection, "UPDATE p SET n = 8")).isEmpty();
      listener.close();
    }
  }

  /** What SQLite's count shows to be missing; and no schema change breaks it. */
  @Test
  void whatIsNotSeenIsAsDescribed() throws Exception {
    try (SQLiteConnection connection = connect();
        SQLiteConnection other = connect();
        Statement statement = connection.createStatement()) {
      execute(
          connection,
          "CREATE TABLE p(id INTEGER PRIMARY KEY, n INT UNIQUE, m INT)",
          "CREATE TABLE w(a TEXT PRIMARY KEY) WITHOUT ROWID",
          "CREATE TABLE t(id INTEGER PRIMARY KEY)",
          "CREATE TRIGGER tr AFTER INSERT ON t BEGIN DELETE FROM w; END",
          "INSERT INTO p VALUES (1, 1, 1), (2, 2, 2)");
      RowIdListener listener = listener(connection);
      assertThat(changed(listener, connection, "INSERT INTO w VALUES ('a')")).isEmpty();
      assertThat(listener.unseen()).isEqualTo(1);
      assertThat(changed(listener, connection, "INSERT INTO t VALUES (1)")).hasSize(1);
      assertThat(listener.unseen()).isEqualTo(1);
      execute(other, "ALTER TABLE p DROP COLUMN m");
      assertThat(changed(listener, connection, "UPDATE p SET n = 3 WHERE id = 1")).hasSize(1);
      assertThat(listener.unseen()).isZero();
      assertThat(changed(listener, connection, "UPDATE p SET id = 7 WHERE id = 1"))
          .containsExactly("UPDATE main.p 7");
      assertThat(changed(listener, connection, "REPLACE INTO p VALUES (8, 3)"))
          .containsExactly("INSERT main.p 8"); // which took 7 away
      assertThat(listener.unseen()).isZero();
      assertThat(changed(listener, connection, "DELETE FROM p")).isEmpty();
      assertThat(listener.unseen()).isEqualTo(2);
      try (ResultSet rows = statement.executeQuery("SELECT * FROM sqlite_temp_master")) {
        assertThat(rows.next()).isFalse();
      }
    }
  }

  @Test
  void aStatementOfManyRowsIsNotKept() throws Exception {
    try (SQLiteConnection connection = connect()) {
      execute(connection, "CREATE TABLE p(id INTEGER PRIMARY KEY)");
      RowIdListener listener = listener(connection);
      listener.begin();
      execute(
          connection,
          "WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n <= "
              + RowIdListener.MAX_ROWS
              + ") INSERT INTO p SELECT n FROM c");
      assertThat(listener.changes()).isNull();
      assertThat(listener.unseen()).isZero();
    }
  }

  @Test
  void aClosedConnectionIsLeftAlone() throws Exception {
    SQLiteConnection connection = connect();
    RowIdListener listener = listener(connection);
    connection.close();
    listener.begin();
    assertThat(listener.unseen()).isNegative();
    listener.close();
  }
}
