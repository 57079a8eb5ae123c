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

/** Clients in a closed loop that measure their statements, on the raw driver. */
final class TimedClients implements AutoCloseable {

  /** The durations of statements since the measurement was restarted. */
  static final class Measurement {

    private final long startedNanos = System.nanoTime();
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
        String.format(Locale.ROOT, "%.1f", (System.nanoTime() - startedNanos) / 1e9),
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

  /** A JDBC call. */
  private interface Call {
    void run() throws SQLException;
  }

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final AtomicInteger ids;
  private final int rows;
  private volatile Measurement times = new Measurement();
  private volatile boolean ended;

  TimedClients(String url, int count, int rows) {
    this.rows = rows;
    this.ids = new AtomicInteger(rows);
    for (int i = 0; i < count; i++) {
      Random random = new Random(i);
      threads.execute(() -> work(url, random));
    }
  }

  /** Returns the measurement so far and starts a new one. */
  Measurement restartMeasurement() {
    Measurement before = times;
    times = new Measurement();
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
          update.setInt(1, Math.min(first, second)); // in a fixed order, to avoid deadlocks
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
    long startedNanos = System.nanoTime();
    try {
      call.run();
    } finally {
      times.add(System.nanoTime() - startedNanos);
    }
  }

  @Override
  public void close() throws InterruptedException {
    ended = true;
    threads.shutdown();
    threads.awaitTermination(30, TimeUnit.SECONDS);
  }
}
