package io.txwatch.endtoend;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** What an application sees of its statements, as text that can be compared. */
final class Seen {

  private Seen() {}

  /** Of statements, each by itself: rows, counts, errors. */
  static List<String> by(Connection connection, List<String> statements) {
    List<String> seen = new ArrayList<>();
    for (String sql : statements) {
      try (Statement statement = connection.createStatement()) {
        seen.add(
            statement.execute(sql)
                ? rows(statement.getResultSet())
                : "#" + statement.getUpdateCount());
      } catch (SQLException e) {
        seen.add(
            e.getClass().getSimpleName()
                + " "
                + e.getSQLState()
                + " "
                + e.getErrorCode()
                + " "
                + e.getMessage());
      }
    }
    return seen;
  }

  private static String rows(ResultSet result) throws SQLException {
    StringBuilder text = new StringBuilder();
    int width = result.getMetaData().getColumnCount();
    while (result.next()) {
      for (int i = 1; i <= width; i++) {
        text.append(result.getMetaData().getColumnLabel(i));
        text.append('=').append(result.getString(i)).append(' ');
      }
    }
    return text.toString();
  }

  /** The same, in a transaction that is rolled back. */
  static List<String> inTransaction(Connection connection, List<String> statements)
      throws SQLException {
    connection.setAutoCommit(false);
    List<String> seen = by(connection, statements);
    connection.rollback();
    return seen;
  }
}
