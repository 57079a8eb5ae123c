package io.txwatch.bench.startup;

import io.txwatch.bench.ProcessMemory;
import java.lang.management.ManagementFactory;
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

/**
 * An application with a pool of ten connections. After each share of its statements it prints a
 * line: how many were executed, and the bytes of the heap after a collection; at the end the peak
 * of the resident set.
 */
public final class ManyStatements {

  private static final int CONNECTIONS = 10;
  private static final int ROWS = 10_000;

  /** The shares after which the heap is measured. */
  static final int SHARES = 10;

  private ManyStatements() {}

  /** Arguments: a JDBC URL, and the number of statements. */
  public static void main(String[] args) throws Exception {
    int share = Integer.parseInt(args[1]) / SHARES;
    List<Connection> pool = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      pool.add(DriverManager.getConnection(args[0]));
    }
    try (Statement statement = pool.get(0).createStatement()) {
      statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT)");
      statement.execute("INSERT INTO account SELECT x, 100 FROM system_range(1, " + ROWS + ")");
    }
    ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS);
    for (int done = 1; done <= SHARES; done++) {
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        Connection connection = pool.get(i);
        Random random = new Random(done * 31L + i);
        work.add(
            threads.submit(
                () -> {
                  transfer(connection, random, share / CONNECTIONS);
                  return null;
                }));
      }
      for (Future<?> each : work) {
        each.get();
      }
      System.out.println((long) done * share + " " + heapAfterCollection());
    }
    System.out.println("peak " + ProcessMemory.peakBytes(ProcessHandle.current().pid()));
    threads.shutdown();
    for (Connection connection : pool) {
      connection.close();
    }
  }

  /** Transactions of a query and an update of one row each. */
  private static void transfer(Connection connection, Random random, int statements)
      throws SQLException {
    connection.setAutoCommit(false);
    for (int i = 0; i < statements; i += 2) {
      int id = 1 + random.nextInt(ROWS);
      try (PreparedStatement query =
              connection.prepareStatement("SELECT balance FROM account WHERE id = ?");
          PreparedStatement update =
              connection.prepareStatement("UPDATE account SET balance = ? WHERE id = ?")) {
        query.setInt(1, id);
        try (ResultSet row = query.executeQuery()) {
          row.next();
          update.setInt(1, row.getInt(1) + 1);
        }
        update.setInt(2, id);
        update.executeUpdate();
        connection.commit();
      } catch (SQLException e) {
        connection.rollback(); // a conflict
      }
    }
  }

  private static long heapAfterCollection() throws InterruptedException {
    Thread.sleep(1_000); // the analysis catches up
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
