package io.txwatch.endtoend;

import io.txwatch.endtoend.ApplicationLog.Access;
import io.txwatch.endtoend.ApplicationLog.Attempt;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A random mixed workload of small transactions: point and range reads, reads followed by writes,
 * transfers, inserts, deletes, SELECT FOR UPDATE. It runs on PostgreSQL, whose RETURNING it uses.
 *
 * <p>Every row carries a version that the application counts up; every worker logs each version
 * that it read or wrote. Rows are {@value #SPAN} apart, what is inserted lies between them, and no
 * id is used twice. A few rows are hot; an operation on a hot row and another uses two hot rows.
 */
final class Workload {

  /** Opens the workers' connections. */
  @FunctionalInterface
  interface Opener {
    Connection open() throws SQLException;
  }

  /**
   * The first statement of a worker's session begins with this, which identifies the worker in
   * histories.
   */
  static final String MARK = "SELECT 'worker ";

  private static final long SPAN = 2_000_000;

  /**
   * What passes between two reads of hot rows: other transactions come in between, or it is left to
   * chance whether a run has a read skew (0 to 4 of them in 25 000 transactions without).
   */
  private static final long PAUSE_NANOS = 1_000_000;

  private static final Set<String> RETRY = Set.of("40001", "40P01");

  private final int rows;
  private final int hotRows;
  private final int hotPercent;

  /** The size of the table and how much of the work falls on how few of its rows. */
  Workload(int rows, int hotRows, int hotPercent) {
    this.rows = rows;
    this.hotRows = hotRows;
    this.hotPercent = hotPercent;
  }

  /** Creates and fills the tables. */
  void setUp(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TABLE account (id BIGINT PRIMARY KEY, balance INT NOT NULL, version INT NOT"
              + " NULL)");
      statement.execute(
          "INSERT INTO account SELECT i * "
              + SPAN
              + ", 100, 0 FROM generate_series(0, "
              + (rows - 1)
              + ") i");
      statement.execute(
          "CREATE TABLE counter (id BIGINT PRIMARY KEY, n INT NOT NULL, version INT NOT NULL)");
      statement.execute("INSERT INTO counter SELECT -i, 0, 0 FROM generate_series(1, 20) i");
    }
  }

  /**
   * Runs until so many transactions have committed.
   *
   * @return every attempt of every worker
   */
  List<Attempt> run(int threads, int transactions, int level, Opener opener) throws Exception {
    AtomicInteger left = new AtomicInteger(transactions);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<Attempt>>> futures = new ArrayList<>();
      for (int worker = 0; worker < threads; worker++) {
        Callable<List<Attempt>> task = new Worker(worker, left, level, opener);
        futures.add(pool.submit(task));
      }
      List<Attempt> attempts = new ArrayList<>();
      for (Future<List<Attempt>> future : futures) {
        attempts.addAll(future.get());
      }
      return attempts;
    } finally {
      pool.shutdownNow();
    }
  }

  /** A thread with a connection and a seed of its own. */
  private final class Worker implements Callable<List<Attempt>> {

    private final int number;
    private final AtomicInteger left;
    private final int level;
    private final Opener opener;
    private final Random random;
    private final List<Attempt> attempts = new ArrayList<>();
    private final Deque<Long> inserted = new ArrayDeque<>();
    private final Map<String, PreparedStatement> prepared = new HashMap<>();
    private List<Access> accesses = new ArrayList<>();
    private int inserts;

    Worker(int number, AtomicInteger left, int level, Opener opener) {
      this.number = number;
      this.left = left;
      this.level = level;
      this.opener = opener;
      this.random = new Random(number);
    }

    @Override
    public List<Attempt> call() throws SQLException {
      try (Connection connection = opener.open()) {
        try (Statement mark = connection.createStatement()) {
          mark.execute(MARK + number + "'");
        }
        connection.setTransactionIsolation(level);
        connection.setAutoCommit(false);
        while (left.getAndDecrement() > 0) {
          while (!attempt(connection)) {
            Thread.onSpinWait();
          }
        }
        return attempts;
      }
    }

    /** True if it committed; false if it is to be retried. */
    private boolean attempt(Connection connection) throws SQLException {
      accesses = new ArrayList<>(6);
      int insertedBefore = inserted.size();
      try {
        transaction(connection);
        connection.commit();
        note(true);
        return true;
      } catch (SQLException e) {
        connection.rollback();
        if (!RETRY.contains(e.getSQLState())) {
          throw e;
        }
        while (inserted.size() > insertedBefore) {
          inserted.removeLast();
        }
        accesses = List.of();
        note(false);
        return false;
      }
    }

    private void note(boolean committed) {
      attempts.add(new Attempt(number, attempts.size(), committed, accesses));
    }

    private void transaction(Connection connection) throws SQLException {
      int dice = random.nextInt(100);
      if (dice < 20) {
        long row = row();
        read(connection, row);
        if (row < hotRows * SPAN) {
          LockSupport.parkNanos(PAUSE_NANOS);
        }
        read(connection, anotherThan(row));
      } else if (dice < 30) {
        readRange(connection, row());
      } else if (dice < 45) {
        readThenWrite(connection, row());
      } else if (dice < 60) {
        increment(connection, -1 - random.nextInt(20));
      } else if (dice < 72) {
        long row = row();
        transfer(connection, row, anotherThan(row));
      } else if (dice < 80) {
        long row = row();
        readTwoWriteOne(connection, row, anotherThan(row));
      } else if (dice < 88) {
        lockThenWrite(connection, row());
      } else if (dice < 95) {
        insert(connection);
      } else {
        delete(connection);
      }
    }

    private long row() {
      int count = random.nextInt(100) < hotPercent ? hotRows : rows;
      return random.nextInt(count) * SPAN;
    }

    private long anotherThan(long row) {
      int count = row < hotRows * SPAN ? hotRows : rows;
      long other = random.nextInt(count) * SPAN;
      return other == row ? (row + SPAN) % (count * SPAN) : other;
    }

    private int read(Connection connection, long row) throws SQLException {
      return readOne(connection, "SELECT balance, version FROM account WHERE id = ?", row);
    }

    private void readRange(Connection connection, long row) throws SQLException {
      PreparedStatement statement =
          prepare(connection, "SELECT * FROM account WHERE id BETWEEN ? AND ? ORDER BY id");
      statement.setLong(1, row);
      statement.setLong(2, row + 3 * SPAN);
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          accesses.add(new Access(false, result.getLong("id"), result.getInt("version")));
        }
      }
    }

    private void readThenWrite(Connection connection, long row) throws SQLException {
      int balance = read(connection, row);
      write(connection, row, balance + 1);
    }

    /** A write that returns the application's own version. */
    private void write(Connection connection, long row, int balance) throws SQLException {
      PreparedStatement statement =
          prepare(
              connection,
              "UPDATE account SET balance = ?, version = version + 1 WHERE id = ? RETURNING version");
      statement.setInt(1, balance);
      statement.setLong(2, row);
      noteWritten(statement, row);
    }

    /** A read and a write of a counter, by update count, with the version read back. */
    private void increment(Connection connection, long counter) throws SQLException {
      String read = "SELECT n, version FROM counter WHERE id = ?";
      int n = readOne(connection, read, counter);
      PreparedStatement statement =
          prepare(connection, "UPDATE counter SET n = ?, version = version + 1 WHERE id = ?");
      statement.setInt(1, n + 1);
      statement.setLong(2, counter);
      if (statement.executeUpdate() != 1) {
        throw new IllegalStateException("a counter is gone");
      }
      readOne(connection, read, counter);
      Access own = accesses.remove(accesses.size() - 1);
      accesses.add(new Access(true, counter, own.version()));
    }

    /** Two writes without a read, the lower row first. */
    private void transfer(Connection connection, long one, long other) throws SQLException {
      add(connection, Math.min(one, other), -1);
      add(connection, Math.max(one, other), 1);
    }

    private void add(Connection connection, long row, int amount) throws SQLException {
      PreparedStatement statement =
          prepare(
              connection,
              "UPDATE account SET balance = balance + ?, version = version + 1 WHERE id = ?"
                  + " RETURNING version");
      statement.setInt(1, amount);
      statement.setLong(2, row);
      noteWritten(statement, row);
    }

    private void readTwoWriteOne(Connection connection, long one, long other) throws SQLException {
      int sum = read(connection, one) + read(connection, other);
      write(connection, one, sum / 2);
    }

    private void lockThenWrite(Connection connection, long row) throws SQLException {
      int balance =
          readOne(connection, "SELECT balance, version FROM account WHERE id = ? FOR UPDATE", row);
      write(connection, row, balance + 1);
    }

    private void insert(Connection connection) throws SQLException {
      long row = row() + 1 + 100L * inserts++ + number;
      PreparedStatement statement =
          prepare(connection, "INSERT INTO account (id, balance, version) VALUES (?, 0, 0)");
      statement.setLong(1, row);
      statement.executeUpdate();
      accesses.add(new Access(true, row, 0));
      inserted.addLast(row);
    }

    private void delete(Connection connection) throws SQLException {
      if (inserted.isEmpty()) {
        insert(connection);
        return;
      }
      long row = inserted.getFirst();
      PreparedStatement statement =
          prepare(connection, "DELETE FROM account WHERE id = ? RETURNING version + 1");
      statement.setLong(1, row);
      noteWritten(statement, row);
      inserted.removeFirst();
    }

    private int readOne(Connection connection, String sql, long row) throws SQLException {
      PreparedStatement statement = prepare(connection, sql);
      statement.setLong(1, row);
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        accesses.add(new Access(false, row, result.getInt(2)));
        return result.getInt(1);
      }
    }

    private void noteWritten(PreparedStatement statement, long row) throws SQLException {
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          accesses.add(new Access(true, row, result.getInt(1)));
        }
      }
    }

    private PreparedStatement prepare(Connection connection, String sql) throws SQLException {
      PreparedStatement known = prepared.get(sql);
      if (known == null) {
        known = connection.prepareStatement(sql);
        prepared.put(sql, known);
      }
      return known;
    }
  }
}
