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
 * Clients in a closed loop, each with its own connection and thread. Transactions that the DBMS
 * rolls back are retried and counted.
 */
final class ClosedLoopLoad implements AutoCloseable {

  private static final int MAX_RETRIES = 1_000;

  private record ClientSlot(Connection connection, Workload.Client client) {}

  private final List<ClientSlot> slots = new ArrayList<>();
  private final ExecutorService threads;

  ClosedLoopLoad(Variant variant, Workload workload, String url, int clients, long seed)
      throws SQLException {
    for (int i = 0; i < clients; i++) {
      Connection connection = variant.open(url);
      workload.configure(connection);
      slots.add(new ClientSlot(connection, workload.client(i, seed)));
    }
    threads = Executors.newFixedThreadPool(clients);
  }

  /**
   * Runs all clients for the given time.
   *
   * @param transactions how many each of them runs at most
   */
  Slice run(long millis, long transactions) throws SQLException {
    long started = System.nanoTime();
    long end = started + millis * 1_000_000;
    List<Future<Slice>> running = new ArrayList<>();
    for (ClientSlot slot : slots) {
      running.add(threads.submit(() -> run(slot, end, transactions)));
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

  private static Slice run(ClientSlot slot, long end, long transactions) throws SQLException {
    Latencies latencies = new Latencies();
    long retries = 0;
    long before = System.nanoTime();
    for (long done = 0; done < transactions && before < end; done++) {
      retries += run(slot.connection(), slot.client().next());
      long after = System.nanoTime();
      latencies.add(after - before);
      before = after;
    }
    return new Slice(latencies.total(), retries, 0, latencies);
  }

  /** Runs a transaction until the DBMS does not roll it back; gives the number of retries. */
  static long run(Connection connection, Workload.Transaction transaction) throws SQLException {
    for (long retries = 0; ; retries++) {
      try {
        transaction.run(connection);
        return retries;
      } catch (SQLException e) {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
        if (!isRolledBack(e) || retries >= MAX_RETRIES) {
          throw e;
        }
      }
    }
  }

  /** Deadlocks, serialization failures, and their vendor codes in MariaDB and MySQL. */
  private static boolean isRolledBack(SQLException error) {
    String state = String.valueOf(error.getSQLState());
    int code = error.getErrorCode();
    return state.startsWith("40") || code == 1020 || code == 1205 || code == 1213;
  }

  @Override
  public void close() throws SQLException {
    threads.shutdownNow();
    for (ClientSlot slot : slots) {
      slot.connection().close();
    }
  }
}
