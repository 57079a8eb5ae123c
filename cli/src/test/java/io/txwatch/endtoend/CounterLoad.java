package io.txwatch.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A load on a server that fails meanwhile: its threads increment counters, two in a transaction,
 * and lock every row before they read it, so none of its transactions is in an anomaly. Two of its
 * methods lose an update on purpose. After each failure a thread opens a new connection.
 */
final class CounterLoad implements AutoCloseable {

  private static final int COUNTERS = 4;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<?>> load = new ArrayList<>();
  private final AtomicLong commits = new AtomicLong();
  private final List<AtomicLong> commitsByThread = new ArrayList<>();
  private final AtomicBoolean done = new AtomicBoolean();

  /** Creates its tables. */
  static void create(Statement statement) throws SQLException {
    statement.execute("CREATE TABLE account (id INT PRIMARY KEY, balance INT NOT NULL)");
    statement.execute("CREATE TABLE counter (id INT PRIMARY KEY, n INT NOT NULL)");
    statement.execute("INSERT INTO account VALUES (1, 100)");
    for (int id = 0; id < COUNTERS; id++) {
      statement.execute("INSERT INTO counter VALUES (" + id + ", 0)");
    }
  }

  /** Starts a thread for each of the services. */
  void start(List<Workload.Opener> services) {
    for (Workload.Opener service : services) {
      Random random = new Random(load.size());
      AtomicLong ofThread = new AtomicLong();
      commitsByThread.add(ofThread);
      load.add(threads.submit(() -> increment(service, random, ofThread)));
    }
  }

  /** Increments two counters in each transaction, on a new connection after every failure. */
  private void increment(Workload.Opener service, Random random, AtomicLong ofThread) {
    while (!done.get()) {
      try (Connection connection = service.open();
          PreparedStatement select =
              connection.prepareStatement("SELECT n FROM counter WHERE id = ? FOR UPDATE");
          PreparedStatement update =
              connection.prepareStatement("UPDATE counter SET n = ? WHERE id = ?")) {
        connection.setAutoCommit(false);
        while (!done.get()) {
          int first = random.nextInt(COUNTERS - 1);
          for (int id : new int[] {first, first + 1}) {
            select.setInt(1, id);
            try (ResultSet row = select.executeQuery()) {
              assertThat(row.next()).isTrue();
              update.setInt(1, row.getInt(1) + 1);
            }
            update.setInt(2, id);
            update.executeUpdate();
          }
          connection.commit();
          commits.incrementAndGet();
          ofThread.incrementAndGet();
        }
      } catch (SQLException failed) {
        assertThat(done).as("%s", failed).isFalse();
      }
    }
  }

  /** Waits until so many more transactions have committed, one at least in each thread. */
  void awaitCommits(int more) throws InterruptedException {
    long number = commits.get() + more;
    List<Long> before = commitsByThread.stream().map(AtomicLong::get).toList();
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (commits.get() < number || !haveAllCommittedSince(before)) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  private boolean haveAllCommittedSince(List<Long> before) {
    for (int i = 0; i < before.size(); i++) {
      if (commitsByThread.get(i).get() <= before.get(i)) {
        return false;
      }
    }
    return true;
  }

  /** Ends the threads. */
  void stop() throws Exception {
    done.set(true);
    for (Future<?> each : load) {
      each.get();
    }
  }

  /** How many increments were acknowledged and are not in the counters. */
  long lost(String url) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT SUM(n) FROM counter")) {
      assertThat(row.next()).isTrue();
      return 2 * commits.get() - row.getLong(1);
    }
  }

  /** Two services read an account's balance, and both write it. */
  static void loseAnUpdate(Workload.Opener service, Workload.Opener otherService)
      throws SQLException {
    try (Connection one = service.open();
        Connection other = otherService.open()) {
      List<Connection> both = List.of(one, other);
      for (Connection each : both) {
        each.setAutoCommit(false);
        balance(each);
      }
      for (Connection each : both) {
        try (Statement statement = each.createStatement()) {
          statement.execute(
              "UPDATE account SET balance = " + (each == one ? 90 : 80) + " WHERE id = 1");
        }
        each.commit();
      }
      balance(one); // where a write returns nothing, its version is identified by the next read
      one.commit();
    }
  }

  private static int balance(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT balance FROM account WHERE id = 1")) {
      assertThat(row.next()).isTrue();
      return row.getInt(1);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
