package io.txwatch.changes.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.txwatch.changes.sqlite.RowIdListener.Committed;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
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

  private static List<String> lines(Committed committed) {
    return committed.changes().stream()
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
      RowIdListener listener = new RowIdListener(connection);
      execute(connection, "BEGIN", "INSERT INTO p VALUES (1, 1), (2, 1), (3, 2)");
      execute(connection, "INSERT INTO k VALUES (9, 2)", "COMMIT");
      assertThat(lines(listener.ended()))
          .containsExactly(
              "INSERT main.p 1", "INSERT main.p 2", "INSERT main.p 3", "INSERT main.k 9");
      execute(connection, "UPDATE p SET n = 7 WHERE n = 1");
      assertThat(lines(listener.ended()))
          .containsExactly(
              "UPDATE main.p 1", "INSERT main.a 1", "UPDATE main.p 2", "INSERT main.a 2");
      execute(connection, "DELETE FROM p WHERE id = 2");
      assertThat(lines(listener.ended()))
          .containsExactlyInAnyOrder("DELETE main.p 2", "DELETE main.k 9");
      listener.close();
      execute(connection, "UPDATE p SET n = 8");
      assertThat(listener.ended().changes()).isEmpty();
    }
  }

  @Test
  void rolledBackRowsAreForgotten() throws Exception {
    try (SQLiteConnection connection = connect()) {
      execute(connection, "CREATE TABLE p(id INTEGER PRIMARY KEY, n INT)");
      RowIdListener listener = new RowIdListener(connection);
      execute(connection, "BEGIN", "INSERT INTO p VALUES (1, 1)", "ROLLBACK");
      assertThat(listener.ended()).isEqualTo(new Committed(0, List.of(), true));
      execute(connection, "BEGIN", "INSERT INTO p VALUES (1, 1)", "SAVEPOINT s");
      int size = listener.size();
      execute(connection, "UPDATE p SET n = 2", "ROLLBACK TO s");
      listener.undoTo(size);
      assertThatThrownBy(() -> execute(connection, "INSERT INTO p VALUES (5, 5), (1, 1)"))
          .isInstanceOf(SQLException.class);
      listener.undoTo(size);
      execute(connection, "COMMIT");
      assertThat(lines(listener.ended())).containsExactly("INSERT main.p 1");
      assertThatThrownBy(() -> execute(connection, "INSERT INTO p VALUES (5, 5), (1, 1)"))
          .isInstanceOf(SQLException.class);
      assertThat(listener.ended().changes()).isEmpty();
    }
  }

  @Test
  void commitsOfSeveralConnectionsHaveAnOrder() throws Exception {
    try (SQLiteConnection one = connect();
        SQLiteConnection other = connect()) {
      execute(one, "CREATE TABLE p(id INTEGER PRIMARY KEY, n INT)");
      RowIdListener first = new RowIdListener(one);
      RowIdListener second = new RowIdListener(other);
      execute(other, "INSERT INTO p VALUES (1, 1)");
      execute(one, "UPDATE p SET n = 2");
      Committed later = first.ended();
      Committed earlier = second.ended();
      assertThat(earlier.order()).isPositive().isLessThan(later.order());
    }
  }

  /** What the update count of the statement shows to be missing; and no schema change breaks it. */
  @Test
  void whatIsNotSeenIsAsDescribed() throws Exception {
    try (SQLiteConnection connection = connect();
        SQLiteConnection other = connect();
        Statement statement = connection.createStatement()) {
      execute(
          connection,
          "CREATE TABLE p(id INTEGER PRIMARY KEY, n INT, m INT)",
          "CREATE TABLE w(a TEXT PRIMARY KEY) WITHOUT ROWID",
          "INSERT INTO p VALUES (1, 1, 1), (2, 2, 2)");
      RowIdListener listener = new RowIdListener(connection);
      assertThat(statement.executeUpdate("INSERT INTO w VALUES ('a')")).isEqualTo(1);
      assertThat(listener.ended().changes()).isEmpty();
      execute(other, "ALTER TABLE p DROP COLUMN m");
      assertThat(statement.executeUpdate("UPDATE p SET n = 3 WHERE id = 1")).isEqualTo(1);
      assertThat(listener.ended().changes()).hasSize(1);
      assertThat(statement.executeUpdate("DELETE FROM p")).isEqualTo(2);
      assertThat(listener.ended().changes()).isEmpty();
      try (ResultSet rows = statement.executeQuery("SELECT * FROM sqlite_temp_master")) {
        assertThat(rows.next()).isFalse();
      }
      assertThat(RowIdListener.problem(connection)).isEmpty();
    }
  }
}
