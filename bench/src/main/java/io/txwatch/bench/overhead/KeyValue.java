package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Random;

/**
 * Reads and updates single rows by key in autocommit mode, with Zipfian keys: the core of YCSB
 * (Cooper et al., SoCC 2010; the generator is Gray et al.'s, SIGMOD 1994). These are the smallest
 * possible transactions, so the overhead is most visible.
 */
final class KeyValue implements Workload {

  static final int ROWS = 10_000;
  private static final int VALUE_LENGTH = 100;
  private static final double THETA = 0.99;

  private static final double ZETA = zeta(ROWS);
  private static final double ALPHA = 1 / (1 - THETA);
  private static final double ETA = (1 - Math.pow(2.0 / ROWS, 1 - THETA)) / (1 - zeta(2) / ZETA);

  private final int readPercent;

  KeyValue(int readPercent) {
    this.readPercent = readPercent;
  }

  private static double zeta(int n) {
    double sum = 0;
    for (int i = 1; i <= n; i++) {
      sum += 1 / Math.pow(i, THETA);
    }
    return sum;
  }

  @Override
  public void create(Connection connection, long seed) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE usertable (id INT PRIMARY KEY, field0 VARCHAR(100) NOT NULL)");
    }
    Random random = new Random(seed);
    connection.setAutoCommit(false);
    try (BatchInsert users = new BatchInsert(connection, "usertable", 2)) {
      for (int i = 0; i < ROWS; i++) {
        users.add(i, value(random));
      }
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  @Override
  public void configure(Connection connection) throws SQLException {
    connection.setAutoCommit(true);
  }

  @Override
  public Client client(int number, long seed) {
    Random random = new Random(seed * 31 + number);
    return () -> {
      int key = key(random);
      if (random.nextInt(100) < readPercent) {
        return connection -> get(connection, key);
      }
      String value = value(random);
      return connection -> put(connection, key, value);
    };
  }

  /** A Zipfian key; popular keys are scattered. */
  private static int key(Random random) {
    double u = random.nextDouble();
    double uz = u * ZETA;
    int rank =
        uz < 1
            ? 0
            : uz < 1 + Math.pow(0.5, THETA) ? 1 : (int) (ROWS * Math.pow(ETA * u - ETA + 1, ALPHA));
    return (int) ((Math.min(rank, ROWS - 1) * 7919L) % ROWS);
  }

  private static String value(Random random) {
    char[] text = new char[VALUE_LENGTH];
    for (int i = 0; i < text.length; i++) {
      text[i] = (char) ('a' + random.nextInt(26));
    }
    return new String(text);
  }

  private static void get(Connection connection, int key) throws SQLException {
    try (PreparedStatement select =
        connection.prepareStatement("SELECT field0 FROM usertable WHERE id = ?")) {
      select.setInt(1, key);
      try (ResultSet row = select.executeQuery()) {
        if (!row.next() || row.getString(1).length() != VALUE_LENGTH) {
          throw new IllegalStateException("key " + key + " is not as it was written");
        }
      }
    }
  }

  private static void put(Connection connection, int key, String value) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE usertable SET field0 = ? WHERE id = ?")) {
      update.setString(1, value);
      update.setInt(2, key);
      if (update.executeUpdate() != 1) {
        throw new IllegalStateException("key " + key + " was not updated");
      }
    }
  }
}
