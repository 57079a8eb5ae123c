package io.txwatch.endtoend;

import io.txwatch.endtoend.ApplicationLog.Access;
import io.txwatch.endtoend.ApplicationLog.Attempt;
import io.txwatch.endtoend.ApplicationLog.Id;
import io.txwatch.jdbc.Watch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs the transactions of an application on several threads, and logs what each read and wrote. A
 * transaction that the DBMS aborts is tried again, as another attempt. Reports name each attempt by
 * its operation, its worker and its number. It runs on PostgreSQL, whose RETURNING it uses.
 *
 * <p>The tables have the columns {@code id}, {@code value} and {@code version}, which counts the
 * writes of the row.
 */
final class LoggedLoad implements AutoCloseable {

  /** The attempts of other workers that a pause waits for. */
  private static final int PAUSE_ATTEMPTS = 4;

  private static final long MAX_PAUSE_NANOS = 20_000_000;
  private static final long POLL_NANOS = 100_000;
  private static final ThreadLocal<@Nullable String> NAME = new ThreadLocal<>();

  /** A transaction of the application without its commit. */
  interface Operation {
    /** The name in reports, without a blank. */
    String name();

    /** Executes its statements. */
    void run(Session session) throws SQLException;
  }

  /** The tables, and the row of the log for each of their rows. */
  interface Rows {
    long of(String table, int id);
  }

  private final Rows rows;

  /** The attempts that have ended. */
  private final AtomicInteger ended = new AtomicInteger();

  LoggedLoad(Rows rows) {
    this.rows = rows;
    Watch.nameTransactions(NAME::get);
  }

  /** A worker's connection, and the accesses of its current attempt. */
  final class Session {
    private final Connection connection;
    private List<Access> accesses = new ArrayList<>();

    private Session(Connection connection) {
      this.connection = connection;
    }

    /** The value of a row. */
    int read(String table, int id) throws SQLException {
      String sql = "SELECT id, value, version FROM " + table + " WHERE id = " + id;
      return read(table, sql).get(0);
    }

    /** The values of the rows that a query of id, value and version returns. */
    List<Integer> read(String table, String sql) throws SQLException {
      List<Integer> values = new ArrayList<>();
      try (PreparedStatement select = connection.prepareStatement(sql);
          ResultSet row = select.executeQuery()) {
        while (row.next()) {
          accesses.add(new Access(false, rows.of(table, row.getInt(1)), row.getInt(3)));
          values.add(row.getInt(2));
        }
      }
      return values;
    }

    /** Assigns an expression to the value of a row. */
    void write(String table, int id, String value) throws SQLException {
      String sql =
          "UPDATE %s SET value = %s, version = version + 1 WHERE id = %d RETURNING version"
              .formatted(table, value, id);
      try (PreparedStatement update = connection.prepareStatement(sql);
          ResultSet row = update.executeQuery()) {
        while (row.next()) {
          accesses.add(new Access(true, rows.of(table, id), row.getInt(1)));
        }
      }
    }

    /** Waits until some transactions of other workers have come in between, if they do. */
    void pause() {
      int until = ended.get() + PAUSE_ATTEMPTS;
      long started = System.nanoTime();
      while (ended.get() < until && System.nanoTime() - started < MAX_PAUSE_NANOS) {
        LockSupport.parkNanos(POLL_NANOS);
      }
    }
  }

  /**
   * Runs until so many transactions have committed.
   *
   * @param mix chooses the next operation
   * @return every attempt of every worker
   */
  List<Attempt> run(
      int threads,
      int transactions,
      int level,
      Workload.Opener opener,
      Function<Random, Operation> mix)
      throws Exception {
    AtomicInteger left = new AtomicInteger(transactions);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Attempt>>> workers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int worker = i;
        workers.add(
            pool.submit(
                () -> {
                  try (Connection connection = opener.open()) {
                    connection.setTransactionIsolation(level);
                    connection.setAutoCommit(false);
                    return work(worker, left, new Session(connection), mix);
                  }
                }));
      }
      List<Attempt> attempts = new ArrayList<>();
      for (Future<List<Attempt>> worker : workers) {
        attempts.addAll(worker.get());
      }
      return attempts;
    } finally {
      pool.shutdownNow();
    }
  }

  private List<Attempt> work(
      int worker, AtomicInteger left, Session session, Function<Random, Operation> mix)
      throws SQLException {
    Random random = new Random(worker);
    List<Attempt> attempts = new ArrayList<>();
    while (left.getAndDecrement() > 0) {
      Operation operation = mix.apply(random);
      boolean committed = false;
      while (!committed) {
        session.accesses = new ArrayList<>();
        NAME.set(operation.name() + " " + worker + " " + attempts.size());
        committed = attempt(session, operation);
        attempts.add(new Attempt(worker, attempts.size(), committed, session.accesses));
        ended.incrementAndGet();
      }
    }
    return attempts;
  }

  /** Whether it committed; false if it is to be tried again. */
  private static boolean attempt(Session session, Operation operation) throws SQLException {
    try {
      operation.run(session);
      session.connection.commit();
      return true;
    } catch (SQLException e) {
      session.connection.rollback();
      if (!"40001".equals(e.getSQLState()) && !"40P01".equals(e.getSQLState())) {
        throw e;
      }
      return false;
    }
  }

  /** The attempt with that name. */
  static Id id(String name) {
    String[] words = name.split(" ");
    return new Id(Integer.parseInt(words[1]), Integer.parseInt(words[2]));
  }

  /** The operation of the attempt with that name. */
  static String operation(String name) {
    return name.split(" ")[0];
  }

  @Override
  public void close() {
    Watch.nameTransactions(() -> null);
  }
}
