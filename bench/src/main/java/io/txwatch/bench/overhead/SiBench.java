package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * SIBench (Cahill, <em>Serializable Isolation for Snapshot Databases</em>, 2009): half of the
 * transactions search all rows for the minimum, half increment one row, at SERIALIZABLE. The result
 * is the number of aborts; on PostgreSQL it depends on the plan, because a sequential scan locks
 * the whole table.
 */
final class SiBench implements Workload {

  private static final int ROWS = 100;

  @Override
  public void create(Connection connection, long seed) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE sitest (id INT PRIMARY KEY, value INT NOT NULL)");
    }
    connection.setAutoCommit(false);
    try (BatchInsert rows = new BatchInsert(connection, "sitest", 2)) {
      for (int i = 0; i < ROWS; i++) {
        rows.add(i, i);
      }
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  @Override
  public void configure(Connection connection) throws SQLException {
    connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    connection.setAutoCommit(false);
  }

  @Override
  public Client client(int number, long seed) {
    Random random = new Random(seed * 31 + number);
    return () -> {
      int id = random.nextInt(ROWS);
      return random.nextBoolean()
          ? SiBench::minimum
          : connection -> {
            add(connection, id);
          };
    };
  }

  private static void minimum(Connection connection) throws SQLException {
    try (PreparedStatement select =
            connection.prepareStatement("SELECT id FROM sitest ORDER BY value, id LIMIT 1");
        ResultSet row = select.executeQuery()) {
      row.next();
    }
    connection.commit();
  }

  /** Reads the row before writing it: a transaction that only writes is never aborted. */
  private static void add(Connection connection, int id) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT value FROM sitest WHERE id = ?")) {
      select.setInt(1, id);
      try (ResultSet row = select.executeQuery()) {
        row.next();
      }
    }
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE sitest SET value = value + 1 WHERE id = ?")) {
      update.setInt(1, id);
      update.executeUpdate();
    }
    connection.commit();
  }
}
