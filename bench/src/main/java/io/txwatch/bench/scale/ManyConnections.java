package io.txwatch.bench.scale;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** The application of {@link ConnectionsCommand}, with a thread for each connection. */
final class ManyConnections {

  /** The beginning of the line with the {@link Result}. */
  static final String RESULT_PREFIX = "result ";

  /** The rows of each table. */
  static final int ROWS = 50;

  private final List<Connection> connections;
  private final int tables;
  private final AtomicLong read = new AtomicLong();

  private ManyConnections(List<Connection> connections, int tables) {
    this.connections = connections;
    this.tables = tables;
  }

  /**
   * What the application has measured.
   *
   * @param firstMillis the time of its first transactions
   * @param warmMillis the time of as many after them
   * @param read the rows that it has read
   * @param known those of them whose version is known
   */
  record Result(long firstMillis, long warmMillis, long read, long known) {

    static Result parse(String line) {
      String[] cells = line.split(" ");
      return new Result(
          Long.parseLong(cells[0]),
          Long.parseLong(cells[1]),
          Long.parseLong(cells[2]),
          Long.parseLong(cells[3]));
    }

    @Override
    public String toString() {
      return firstMillis + " " + warmMillis + " " + read + " " + known;
    }
  }

  /** Arguments: a JDBC URL, the numbers of connections, of tables and of transactions. */
  public static void main(String[] args) throws Exception {
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(args[1]); i++) {
      Connection connection = DriverManager.getConnection(args[0]);
      connection.setAutoCommit(false);
      connections.add(connection);
    }
    ManyConnections application = new ManyConnections(connections, Integer.parseInt(args[2]));
    long transactions = Long.parseLong(args[3]);
    long first = application.millis(transactions, 1);
    long warm = application.millis(transactions, 2);
    long read = application.read.get();
    long known = args[0].startsWith("jdbc:txwatch:") ? WatchedByDefault.awaitKnown(read) : 0;
    if (known < read) {
      System.out.println(WatchedByDefault.coverage());
    }
    System.out.println(RESULT_PREFIX + new Result(first, warm, read, known));
    System.exit(0); // the server need not be notified of each connection's end
  }

  /** The milliseconds of so many transactions. */
  private long millis(long transactions, int seed) throws Exception {
    AtomicLong left = new AtomicLong(transactions);
    ExecutorService threads = Executors.newFixedThreadPool(connections.size());
    long started = System.nanoTime();
    List<Future<?>> running = new ArrayList<>();
    for (int i = 0; i < connections.size(); i++) {
      Connection connection = connections.get(i);
      Random random = new Random(seed * 1_000_003L + i);
      running.add(
          threads.submit(
              () -> {
                while (left.getAndDecrement() > 0) {
                  transfer(connection, random);
                }
                return null;
              }));
    }
    for (Future<?> each : running) {
      each.get();
    }
    long millis = (System.nanoTime() - started) / 1_000_000;
    threads.shutdown();
    return millis;
  }

  private void transfer(Connection connection, Random random) throws SQLException {
    String table = "account" + random.nextInt(tables);
    int id = random.nextInt(ROWS);
    boolean literal = random.nextInt(4) == 0;
    try {
      int balance = literal ? query(connection, table, id) : prepared(connection, table, id);
      if (literal) {
        try (Statement update = connection.createStatement()) {
          update.executeUpdate(
              "UPDATE " + table + " SET balance = " + (balance + 1) + " WHERE id = " + id);
        }
      } else {
        try (PreparedStatement update =
            connection.prepareStatement("UPDATE " + table + " SET balance = ? WHERE id = ?")) {
          update.setInt(1, balance + 1);
          update.setInt(2, id);
          update.executeUpdate();
        }
      }
      connection.commit();
    } catch (SQLException e) {
      connection.rollback(); // a deadlock
    }
  }

  private int query(Connection connection, String table, int id) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT id, owner, balance FROM " + table + " WHERE id = " + id)) {
      return balance(rows);
    }
  }

  private int prepared(Connection connection, String table, int id) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement("SELECT id, owner, balance FROM " + table + " WHERE id = ?")) {
      statement.setInt(1, id);
      try (ResultSet rows = statement.executeQuery()) {
        return balance(rows);
      }
    }
  }

  private int balance(ResultSet rows) throws SQLException {
    rows.next();
    read.incrementAndGet();
    rows.getString(2);
    return rows.getInt(3);
  }
}
