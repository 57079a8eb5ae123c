package io.txwatch.endtoend;

import io.txwatch.endtoend.Scenario.Step;
import io.txwatch.endtoend.StatementOutcome.Status;
import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** How an application speaks to its driver. */
enum Style {
  /** Everything is SQL for a Statement, BEGIN and COMMIT too. */
  SQL_TEXT {
    @Override
    StatementOutcome execute(Connection connection, Step step, String sql) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        return statement.execute(sql)
            ? rows(step, sql, statement.getResultSet())
            : count(step, statement.getUpdateCount());
      }
    }

    @Override
    void rollback(Connection connection) throws SQLException {
      try (Statement statement = connection.createStatement()) {
        statement.execute("ROLLBACK");
      }
    }
  },

  /** Transactions by the Connection's methods, everything else by PreparedStatement. */
  JDBC_CALLS {
    @Override
    StatementOutcome execute(Connection connection, Step step, String sql) throws SQLException {
      if (step.begins()) {
        connection.setAutoCommit(false);
        return count(step, 0);
      }
      if (step.commits()) {
        connection.commit();
        connection.setAutoCommit(true);
        return count(step, 0);
      }
      if (step.rollsBack()) {
        rollback(connection);
        return count(step, 0);
      }
      try (PreparedStatement statement = connection.prepareStatement(sql)) {
        return statement.execute()
            ? rows(step, sql, statement.getResultSet())
            : count(step, statement.getUpdateCount());
      }
    }

    @Override
    void rollback(Connection connection) throws SQLException {
      connection.rollback();
      connection.setAutoCommit(true);
    }
  };

  /** Executes one step and reads its result to the end. */
  abstract StatementOutcome execute(Connection connection, Step step, String sql)
      throws SQLException;

  /** Ends the transaction without its effects. */
  abstract void rollback(Connection connection) throws SQLException;

  private static StatementOutcome count(Step step, long count) {
    return new StatementOutcome(step, Status.OK, false, "", 0, count, List.of(), List.of());
  }

  /** A value as cases write it: 2 whatever the type of the number. */
  private static String text(@Nullable Object value) {
    return value instanceof Number number && !(value instanceof Long || value instanceof Integer)
        ? new BigDecimal(number.toString()).stripTrailingZeros().toPlainString()
        : String.valueOf(value);
  }

  private static StatementOutcome rows(Step step, String sql, ResultSet result)
      throws SQLException {
    int width = result.getMetaData().getColumnCount();
    List<String> columns = new ArrayList<>();
    for (int i = 1; i <= width; i++) {
      columns.add(result.getMetaData().getColumnLabel(i));
    }
    List<String> rows = new ArrayList<>();
    while (result.next()) {
      StringJoiner row = new StringJoiner(",");
      for (int i = 1; i <= width; i++) {
        row.add(text(result.getObject(i)));
      }
      rows.add(row.toString());
    }
    if (!sql.contains("ORDER BY")) {
      rows.sort(null);
    }
    return new StatementOutcome(step, Status.OK, false, "", 0, -1, columns, rows);
  }
}
