package io.txwatch.endtoend;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** The results of statements as an application sees them, as text that can be compared. */
final class StatementResults {

  private StatementResults() {}

  /** The rows, update count or error of each statement. */
  static List<String> of(Connection connection, List<String> statements) {
    List<String> results = new ArrayList<>();
    for (String sql : statements) {
      try (Statement statement = connection.createStatement()) {
        results.add(
            statement.execute(sql)
                ? rows(statement.getResultSet())
                : "#" + statement.getUpdateCount());
      } catch (SQLException e) {
        results.add(
            e.getClass().getSimpleName()
                + " "
                + e.getSQLState()
                + " "
                + e.getErrorCode()
                + " "
                + e.getMessage());
      }
    }
    return results;
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
    List<String> results = of(connection, statements);
    connection.rollback();
    return results;
  }
}
