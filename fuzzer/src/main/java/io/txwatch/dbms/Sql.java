package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Helpers to execute statements. */
public final class Sql {

  private Sql() {}

  /** Executes statements one after the other. */
  public static void execute(Connection connection, String... statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Executes statements in one round trip, if the driver can. */
  public static void executeAll(Connection connection, List<String> statements)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.addBatch(sql);
      }
      statement.executeBatch();
    }
  }

  /** The number in the first column of the first row. */
  public static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** The values of the first column. */
  public static List<String> column(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      List<String> values = new ArrayList<>();
      while (result.next()) {
        values.add(result.getString(1));
      }
      return values;
    }
  }

  /** A unique name for a workspace. */
  public static String uniqueName() {
    return "txwatch_" + Long.toString(ThreadLocalRandom.current().nextLong(1L << 52), 36);
  }

  /** Executes {@code statements} on a new connection; closes it if one fails. */
  public static Connection initialize(Connection connection, String... statements)
      throws SQLException {
    try {
      execute(connection, statements);
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }
}
