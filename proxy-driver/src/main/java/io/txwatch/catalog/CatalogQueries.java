package io.txwatch.catalog;

import io.txwatch.plan.Catalog;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Runs the queries of the schema readers. */
public final class CatalogQueries {

  private CatalogQueries() {}

  /** What a view's query shows of it; nothing if this user may not see it. */
  public static Catalog.Traits view(Connection connection, String sql, String... parameters)
      throws SQLException {
    List<String> found = query(connection, sql, row -> text(row, 1), parameters);
    return found.isEmpty() ? Catalog.Traits.UNKNOWN : Catalog.Traits.ofView(found.get(0));
  }

  /** Runs a query with string parameters and reads all of its rows. */
  public static <T> List<T> query(
      Connection connection, String sql, RowMapper<T> mapper, String... parameters)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      doNotPrepareOnServer(statement);
      for (int i = 0; i < parameters.length; i++) {
        statement.setString(i + 1, parameters[i]);
      }
      List<T> values = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          values.add(mapper.map(rows));
        }
      }
      return values;
    }
  }

  /**
   * On PostgreSQL, a text that is executed often becomes a prepared statement of the session, which
   * {@code pg_prepared_statements} lists and {@code DEALLOCATE} counts.
   */
  private static void doNotPrepareOnServer(PreparedStatement statement) {
    if (!statement.getClass().getName().startsWith("org.postgresql.")) {
      return;
    }
    try {
      statement.getClass().getMethod("setPrepareThreshold", int.class).invoke(statement, 0);
    } catch (ReflectiveOperationException | RuntimeException e) {
      return; // a driver without it prepares nothing, or the statement is listed
    }
  }

  /** The rows of a query of two columns: the second one by the first. */
  public static Map<String, String> pairs(Connection connection, String sql) throws SQLException {
    Map<String, String> pairs = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      while (rows.next()) {
        pairs.put(rows.getString(1), text(rows, 2));
      }
    }
    return pairs;
  }

  /** The first column of the first row of a query; empty if there is none. */
  public static String single(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? text(rows, 1) : "";
    }
  }

  /** Runs statements one by one. */
  public static void run(Connection connection, List<String> statements) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** A column's text, "" for null. */
  public static String text(ResultSet row, int column) throws SQLException {
    return Optional.ofNullable(row.getString(column)).orElse("");
  }

  /** Turns a row into a value. */
  public interface RowMapper<T> {
    T map(ResultSet row) throws SQLException;
  }

  /** On a connection of which the driver knows that it is in no transaction. */
  public static <T> T outsideOfTransactions(Connection connection, DedicatedConnection.Use<T> use)
      throws SQLException {
    if (connection.getAutoCommit()) {
      return use.with(connection);
    }
    connection.setAutoCommit(true);
    try {
      return use.with(connection);
    } finally {
      connection.setAutoCommit(false);
    }
  }
}
