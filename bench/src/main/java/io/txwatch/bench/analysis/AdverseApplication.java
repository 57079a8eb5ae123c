package io.txwatch.bench.analysis;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The application of {@link AdverseSoakCommand}, in a process of its own. Two workers on each URL
 * update rows by key, read several rows, and read and overwrite single rows; another transaction
 * has read a row and stays open. It prints a line for each sample and one at the end.
 */
final class AdverseApplication {

  static final String SAMPLE = "sample";
  static final String END = "end";

  private static final int ROWS = 1000;
  private static final int WORKERS_PER_URL = 2;
  private static final int KINDS = 10;
  private static final int MAX_ERRORS_PRINTED = 20;

  private final long operations;
  private final AtomicLong done = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private volatile long longestNanos;
  private long slowestConnectNanos;

  private AdverseApplication(long operations) {
    this.operations = operations;
  }

  /** Arguments: the number of operations, the number of samples, and the URLs. */
  public static void main(String[] args) throws Exception {
    AdverseApplication application = new AdverseApplication(Long.parseLong(args[0]));
    List<String> urls = List.of(args).subList(2, args.length);
    application.run(Integer.parseInt(args[1]), urls);
    System.exit(0); // whatever threads are left: the shutdown hooks are part of the measurement
  }

  private void run(int samples, List<String> urls) throws Exception {
    long start = System.nanoTime();
    List<Connection> idle = new ArrayList<>();
    List<Thread> workers = new ArrayList<>();
    for (int u = 0; u < urls.size(); u++) {
      String table = "t" + u;
      Connection connection = connect(urls.get(u));
      create(connection, table);
      connection.setAutoCommit(false);
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT v FROM " + table + " WHERE id = 0")) {
        rows.next();
      }
      idle.add(connection);
      for (int w = 0; w < WORKERS_PER_URL; w++) {
        Random random = new Random(31L * u + w);
        Connection own = connect(urls.get(u));
        workers.add(new Thread(() -> work(own, table, random)));
      }
    }
    workers.forEach(Thread::start);
    for (int i = 1; i <= samples; i++) {
      while (done.get() < operations * i / samples) {
        Thread.sleep(5);
      }
      System.gc();
      long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
      double seconds = (System.nanoTime() - start) / 1e9;
      print("%s %d %.3f %d %d %d", SAMPLE, done.get(), seconds, heap, errors.get(), longest());
    }
    for (Thread worker : workers) {
      worker.join();
    }
    for (Connection connection : idle) {
      try {
        connection.rollback();
        connection.close();
      } catch (SQLException e) {
        failed(e);
      }
    }
    print("%s %d %d %.0f", END, done.get(), errors.get(), slowestConnectNanos / 1e6);
  }

  private Connection connect(String url) throws SQLException {
    long start = System.nanoTime();
    Connection connection = DriverManager.getConnection(url);
    slowestConnectNanos = Math.max(slowestConnectNanos, System.nanoTime() - start);
    return connection;
  }

  private long longest() {
    long millis = longestNanos / 1_000_000;
    longestNanos = 0;
    return millis;
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
    System.out.flush();
  }

  private static void create(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE " + table + " (id INT PRIMARY KEY, v INT)");
    }
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO " + table + " (id, v) VALUES (?, 0)")) {
      for (int row = 0; row < ROWS; row++) {
        insert.setInt(1, row);
        insert.executeUpdate();
      }
    }
  }

  private void work(Connection connection, String table, Random random) {
    try (connection;
        Worker worker = new Worker(connection, table, random)) {
      while (done.get() < operations) {
        long start = System.nanoTime();
        try {
          worker.executeOnce();
        } catch (Throwable e) { // anything that an application could observe
          failed(e);
          connection.setAutoCommit(true);
        }
        long nanos = System.nanoTime() - start;
        if (nanos > longestNanos) {
          longestNanos = nanos;
        }
      }
    } catch (SQLException e) {
      failed(e);
    }
  }

  /** One worker with its prepared statements. */
  private final class Worker implements AutoCloseable {
    private final Connection connection;
    private final PreparedStatement increment;
    private final PreparedStatement read;
    private final PreparedStatement readSeveral;
    private final PreparedStatement overwrite;
    private final Random random;

    Worker(Connection connection, String table, Random random) throws SQLException {
      this.connection = connection;
      this.random = random;
      this.increment =
          connection.prepareStatement("UPDATE " + table + " SET v = v + 1 WHERE id = ?");
      this.read = connection.prepareStatement("SELECT v FROM " + table + " WHERE id = ?");
      this.readSeveral =
          connection.prepareStatement(
              "SELECT id, v FROM " + table + " WHERE id BETWEEN ? AND ? + 9");
      this.overwrite = connection.prepareStatement("UPDATE " + table + " SET v = ? WHERE id = ?");
    }

    void executeOnce() throws SQLException {
      int row = random.nextInt(ROWS - 10);
      int kind = random.nextInt(KINDS);
      if (kind < 3) {
        readSeveral(row);
      } else if (kind < 6) {
        readAndOverwrite(row % 50); // some updates are lost
      } else {
        increment.setInt(1, row);
        increment.executeUpdate();
        done.incrementAndGet();
      }
    }

    private void readSeveral(int first) throws SQLException {
      readSeveral.setInt(1, first);
      readSeveral.setInt(2, first);
      try (ResultSet rows = readSeveral.executeQuery()) {
        while (rows.next()) {
          rows.getInt(2);
          done.incrementAndGet();
        }
      }
    }

    private void readAndOverwrite(int row) throws SQLException {
      connection.setAutoCommit(false);
      read.setInt(1, row);
      int value;
      try (ResultSet rows = read.executeQuery()) {
        rows.next();
        value = rows.getInt(1);
      }
      overwrite.setInt(1, value + 1);
      overwrite.setInt(2, row);
      overwrite.executeUpdate();
      connection.commit();
      connection.setAutoCommit(true);
      done.addAndGet(2);
    }

    @Override
    public void close() throws SQLException {
      try (increment;
          read;
          readSeveral;
          overwrite) {
        // closes in reverse order
      }
    }
  }

  private void failed(Throwable e) {
    if (errors.incrementAndGet() <= MAX_ERRORS_PRINTED) {
      e.printStackTrace();
    }
  }
}
