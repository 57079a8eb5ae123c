package io.txwatch.bench.overhead;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Clients in a closed loop, each with a connection and a thread of its own. What the DBMS rolls
 * back is run again, and counted.
 */
final class Load implements AutoCloseable {

  private static final int MOST_RETRIES = 1_000;

  private record Seat(Connection connection, Workload.Client client) {}

  private final List<Seat> seats = new ArrayList<>();
  private final ExecutorService threads;

  Load(Variant variant, Workload workload, String url, int clients, long seed) throws SQLException {
    for (int i = 0; i < clients; i++) {
      Connection connection = variant.open(url);
      workload.connected(connection);
      seats.add(new Seat(connection, workload.client(i, seed)));
    }
    threads = Executors.newFixedThreadPool(clients);
  }

  /** Lets all clients run for that long. */
  Slice run(long millis) throws SQLException {
    long started = System.nanoTime();
    long end = started + millis * 1_000_000;
    List<Future<Slice>> running = new ArrayList<>();
    for (Seat seat : seats) {
      running.add(threads.submit(() -> run(seat, end)));
    }
    Latencies latencies = new Latencies();
    long retries = 0;
    for (Future<Slice> client : running) {
      Slice slice = result(client);
      latencies.add(slice.latencies());
      retries += slice.retries();
    }
    return new Slice(latencies.total(), retries, (System.nanoTime() - started) / 1e9, latencies);
  }

  private static Slice result(Future<Slice> client) throws SQLException {
    try {
      return client.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static Slice run(Seat seat, long end) throws SQLException {
    Latencies latencies = new Latencies();
    long retries = 0;
    long before = System.nanoTime();
    while (before < end) {
      retries += run(seat.connection(), seat.client().next());
      long after = System.nanoTime();
      latencies.add(after - before);
      before = after;
    }
    return new Slice(latencies.total(), retries, 0, latencies);
  }

  private static long run(Connection connection, Workload.Transaction transaction)
      throws SQLException {
    for (long retries = 0; ; retries++) {
      try {
        transaction.run(connection);
        return retries;
      } catch (SQLException e) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        if (!isRolledBack(e) || retries >= MOST_RETRIES) {
          throw e;
        }
      }
    }
  }

  /** Deadlocks, failures to serialize, and what MariaDB and MySQL call by other names. */
  private static boolean isRolledBack(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    int code = error.getErrorCode();
    return state.startsWith("40") || code == 1020 || code == 1205 || code == 1213;
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    for (Seat seat : seats) {
      seat.connection().close();
    }
  }
}
