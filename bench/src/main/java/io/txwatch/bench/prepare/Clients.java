package io.txwatch.bench.prepare;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Clients in a closed loop, and how long each of their statements took. Raw: nothing is watched.
 */
final class Clients implements AutoCloseable {

  /** How long the statements took since the last reading. */
  static final class Times {

    private final long begun = System.nanoTime();
    private long[] nanos = new long[1 << 16];
    private int count;
    private int errors;

    private synchronized void add(long taken) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = taken;
    }

    private synchronized void addError() {
      errors++;
    }

    /** A row of the table. */
    synchronized String[] cells(String phase) {
      Arrays.sort(nanos, 0, count);
      return new String[] {
        phase,
        String.format(Locale.ROOT, "%.1f", (System.nanoTime() - begun) / 1e9),
        Integer.toString(count),
        millis(0.5),
        millis(0.99),
        millis(0.999),
        millis(1),
        Integer.toString(errors)
      };
    }

    private String millis(double share) {
      int index = Math.max(0, (int) Math.ceil(share * count) - 1);
      return count == 0 ? "" : String.format(Locale.ROOT, "%.2f", nanos[index] / 1e6);
    }
  }

  /** A piece of JDBC. */
  private interface Call {
    void run() throws SQLException;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger ids;
  private final int rows;
  private volatile Times times = new Times();
  private volatile boolean ended;

  Clients(String url, int count, int rows) {
    this.rows = rows;
    this.ids = new AtomicInteger(rows);
    for (int i = 0; i < count; i++) {
      Random random = new Random(i);
      threads.execute(() -> work(url, random));
    }
  }

  /** What was measured until now; from now on it is measured anew. */
  Times next() {
    Times before = times;
    times = new Times();
    return before;
  }

  private void work(String url, Random random) {
    try (Connection connection = DriverManager.getConnection(url);
        PreparedStatement read =
            connection.prepareStatement("SELECT owner, balance FROM account WHERE id = ?");
        PreparedStatement update =
            connection.prepareStatement("UPDATE account SET balance = balance + 1 WHERE id = ?");
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO account (id, owner, balance) VALUES (?, 'new', 0)")) {
      while (!ended) {
        boolean autoCommit = random.nextBoolean();
        if (connection.getAutoCommit() != autoCommit) {
          connection.setAutoCommit(autoCommit);
        }
        try {
          int first = random.nextInt(rows);
          int second = random.nextInt(rows);
          read.setInt(1, first);
          time(() -> read.executeQuery().close());
          update.setInt(1, Math.min(first, second)); // in one order: no deadlock of its own
          time(update::executeUpdate);
          update.setInt(1, Math.max(first, second));
          time(update::executeUpdate);
          insert.setInt(1, ids.incrementAndGet());
          time(insert::executeUpdate);
          if (!autoCommit) {
            time(connection::commit);
          }
        } catch (SQLException e) {
          System.err.println("client: " + e.getErrorCode() + " " + e.getMessage());
          times.addError();
          if (!autoCommit) {
            connection.rollback();
          }
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void time(Call call) throws SQLException {
    long begun = System.nanoTime();
    try {
      call.run();
    } finally {
      times.add(System.nanoTime() - begun);
    }
  }

  @Override
  public void close() throws InterruptedException {
    ended = true;
    threads.shutdown();
    threads.awaitTermination(30, TimeUnit.SECONDS);
  }
}
