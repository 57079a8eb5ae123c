package org.example.shop.migrate;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import javax.sql.DataSource;
import org.example.shop.Workload;

/**
 * Sessions that move stock between two products, back and forth, record purchases, and read. What
 * they print does not depend on how often each came to its turn.
 */
final class Traffic implements AutoCloseable {

  static final long LEFT = 1;
  static final long RIGHT = 2;

  private static final int MOVERS = 2;
  private static final int ROUNDS = 50;
  private static final long PAUSE_NANOS = 2_000_000;

  private final DataSource pool;
  private final List<Thread> threads = new ArrayList<>();
  private final Set<String> sums = new ConcurrentSkipListSet<>();
  private final Set<String> columns = new ConcurrentSkipListSet<>();
  private final Set<String> failures = new ConcurrentSkipListSet<>();
  private final AtomicInteger moves = new AtomicInteger();
  private final ReadWriteLock gate = new ReentrantReadWriteLock();
  private volatile boolean over;

  Traffic(DataSource pool) {
    this.pool = pool;
    for (int i = 0; i < MOVERS; i++) {
      threads.add(new Thread(this::moveAndBuy, "mover " + i));
    }
    threads.add(new Thread(this::read, "reader"));
  }

  /** Starts the sessions, and returns when each has done something. */
  void start() throws InterruptedException {
    threads.forEach(Thread::start);
    goOn();
  }

  /** Waits until the sessions have done some more. */
  void goOn() throws InterruptedException {
    int before = moves.get();
    while (moves.get() < before + 10 && failures.isEmpty()) {
      Thread.sleep(1);
    }
  }

  /** Does something while no session has a transaction. */
  <T> T pausedWhile(Callable<T> action) throws Exception {
    gate.writeLock().lock();
    try {
      return action.call();
    } finally {
      gate.writeLock().unlock();
    }
  }

  /** Lets the sessions end; returns what they saw. */
  List<String> end() throws InterruptedException {
    close();
    List<String> lines = new ArrayList<>();
    lines.add("sums " + sums);
    columns.forEach(each -> lines.add("columns " + each));
    failures.forEach(each -> lines.add("failure " + each));
    return lines;
  }

  @Override
  public void close() throws InterruptedException {
    over = true;
    for (Thread thread : threads) {
      thread.join();
    }
  }

  private interface Work {
    void with(Connection connection) throws SQLException;
  }

  private void transaction(Work work) {
    gate.readLock().lock();
    try {
      transactionInTurn(work);
    } finally {
      gate.readLock().unlock();
    }
    LockSupport.parkNanos(PAUSE_NANOS);
  }

  private void transactionInTurn(Work work) {
    String failure =
        Workload.failure(
            () -> {
              try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                try {
                  work.with(connection);
                  connection.commit();
                } catch (SQLException e) {
                  connection.rollback();
                  throw e;
                }
              }
            });
    if (!failure.equals("none")) {
      failures.add(failure);
    }
  }

  /** {@value #ROUNDS} purchases, and moves until all is over. */
  private void moveAndBuy() {
    for (int i = 0; i < ROUNDS || !over; i++) {
      boolean buys = i < ROUNDS;
      transaction(
          connection -> {
            add(connection, LEFT, -1);
            add(connection, RIGHT, 1);
            if (buys) {
              buy(connection);
            }
          });
      transaction(
          connection -> {
            add(connection, LEFT, 1);
            add(connection, RIGHT, -1);
          });
      moves.incrementAndGet();
    }
  }

  private static void add(Connection connection, long product, int number) throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement("UPDATE product SET stock = stock + ? WHERE id = ?")) {
      update.setInt(1, number);
      update.setLong(2, product);
      if (update.executeUpdate() != 1) {
        throw new SQLException("no product " + product);
      }
    }
  }

  private static void buy(Connection connection) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO purchase (product_id, quantity) VALUES (?, 2)",
            Statement.RETURN_GENERATED_KEYS)) {
      insert.setLong(1, RIGHT);
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        if (!keys.next() || keys.getLong(1) <= 0) {
          throw new SQLException("no key");
        }
      }
    }
  }

  private void read() {
    while (!over) {
      transaction(
          connection -> {
            try (Statement statement = connection.createStatement();
                ResultSet row =
                    statement.executeQuery("SELECT SUM(stock) FROM product WHERE id IN (1, 2)")) {
              row.next();
              sums.add(row.getString(1));
            }
          });
      transaction(
          connection -> {
            try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT * FROM product WHERE id = 1")) {
              Set<String> names = new TreeSet<>();
              for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                names.add(row.getMetaData().getColumnLabel(i));
              }
              columns.add(names.toString());
            }
          });
    }
  }
}
