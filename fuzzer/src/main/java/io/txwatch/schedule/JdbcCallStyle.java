package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;

/** How a session uses JDBC. */
public enum JdbcCallStyle {
  /** All SQL, including BEGIN and COMMIT, runs through a Statement. */
  SQL_TEXT {
    @Override
    boolean controlTransaction(Connection connection, Step.Role role) {
      return false;
    }

    @Override
    Statement open(Connection connection, String sql) throws SQLException {
      return connection.createStatement();
    }

    @Override
    boolean execute(Statement statement, String sql) throws SQLException {
      return statement.execute(sql);
    }

    @Override
    void rollBack(Connection connection) throws SQLException {
      try (Statement rollback = connection.createStatement()) {
        rollback.execute("ROLLBACK");
      }
    }
  },

  /** Transactions by the Connection's methods, all other SQL through a Statement. */
  SQL_IN_JDBC_TRANSACTIONS {
    @Override
    boolean controlTransaction(Connection connection, Step.Role role) throws SQLException {
      return controlByConnection(connection, role);
    }

    @Override
    Statement open(Connection connection, String sql) throws SQLException {
      return connection.createStatement();
    }

    @Override
    boolean execute(Statement statement, String sql) throws SQLException {
      return statement.execute(sql);
    }

    @Override
    void rollBack(Connection connection) throws SQLException {
      rollBackByConnection(connection);
    }
  },

  /** Transactions by the Connection's methods, all other SQL through a PreparedStatement. */
  JDBC_CALLS {
    @Override
    boolean controlTransaction(Connection connection, Step.Role role) throws SQLException {
      return controlByConnection(connection, role);
    }

    @Override
    Statement open(Connection connection, String sql) throws SQLException {
      return connection.prepareStatement(sql);
    }

    @Override
    boolean execute(Statement statement, String sql) throws SQLException {
      return ((PreparedStatement) statement).execute();
    }

    @Override
    void rollBack(Connection connection) throws SQLException {
      rollBackByConnection(connection);
    }
  };

  private static boolean controlByConnection(Connection connection, Step.Role role)
      throws SQLException {
    switch (role) {
      case BEGIN -> {
        if (!connection.getAutoCommit()) {
          connection.commit(); // as MySQL and MariaDB do before a BEGIN
        }
        connection.setAutoCommit(false);
      }
      case COMMIT -> {
        connection.commit();
        connection.setAutoCommit(true);
      }
      case ROLLBACK -> rollBackByConnection(connection);
      case WORK -> {
        return false;
      }
    }
    return true;
  }

  private static void rollBackByConnection(Connection connection) throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
  }

  /**
   * Begins or ends a transaction by a method of the connection; false if the step is one for {@link
   * #execute}.
   */
  abstract boolean controlTransaction(Connection connection, Step.Role role) throws SQLException;

  /** Creates the statement that executes {@code sql}. */
  abstract Statement open(Connection connection, String sql) throws SQLException;

  /** Executes {@code sql} with the statement that was created for it; true if it returned rows. */
  abstract boolean execute(Statement statement, String sql) throws SQLException;

  /** Rolls back the transaction. */
  abstract void rollBack(Connection connection) throws SQLException;
}
