package io.txwatch.pairs;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** What an operation does on its connection. For one execution. */
public final class PairSession {

  private final Connection connection;
  private final boolean isPostgres;
  private final List<String> afterRollback = new ArrayList<>();

  /**
   * Executes statements on a connection.
   *
   * @param isPostgres the variant of statements that differ between products
   */
  public PairSession(Connection connection, boolean isPostgres) {
    this.connection = connection;
    this.isPostgres = isPostgres;
  }

  /** The statement of the DBMS that the session is on. */
  String dialect(String postgres, String mariaDb) {
    return isPostgres ? postgres : mariaDb;
  }

  /** The number in the first column of the first row; -1 if there is no row. */
  public int number(String sql, Object... parameters) throws SQLException {
    List<Integer> all = numbers(sql, parameters);
    return all.isEmpty() ? -1 : all.get(0);
  }

  /** The numbers in the first column. */
  List<Integer> numbers(String sql, Object... parameters) throws SQLException {
    List<Integer> all = new ArrayList<>();
    try (PreparedStatement query = prepared(sql, parameters);
        ResultSet rows = query.executeQuery()) {
      while (rows.next()) {
        all.add(rows.getInt(1));
      }
    }
    return all;
  }

  /** Executes a statement; returns the number of rows. */
  public int update(String sql, Object... parameters) throws SQLException {
    try (PreparedStatement update = prepared(sql, parameters)) {
      return update.executeUpdate();
    }
  }

  private PreparedStatement prepared(String sql, Object... parameters) throws SQLException {
    PreparedStatement statement = connection.prepareStatement(sql);
    for (int i = 0; i < parameters.length; i++) {
      statement.setObject(i + 1, parameters[i]);
    }
    return statement;
  }

  void commit() throws SQLException {
    connection.commit();
  }

  void rollback() throws SQLException {
    connection.rollback();
  }

  /** A query to be executed if the operation throws, after its transaction was rolled back. */
  void afterRollback(String sql) {
    afterRollback.add(sql);
  }

  /** Executes an operation, with what a transaction template does around it. */
  public Object execute(Pair.Body body) throws Exception {
    try {
      Object result = body.on(this);
      if (!connection.getAutoCommit()) {
        connection.commit();
      }
      return result;
    } catch (Exception e) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
        for (String sql : afterRollback) {
          number(sql);
          connection.commit();
        }
      }
      throw e;
    }
  }
}
