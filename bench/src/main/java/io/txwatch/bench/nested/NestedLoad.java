package io.txwatch.bench.nested;

import io.txwatch.jdbc.Watch;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Clients that run random transactions of nested queries and updates, without think times. A
 * transaction that the DBMS aborts is not tried again. Reports name each by its number.
 */
final class NestedLoad {

  /** The different queries of a load, so that most texts are known after a while. */
  private static final int QUERIES = 500;

  private static final ThreadLocal<@Nullable String> NAME = new ThreadLocal<>();

  private final long seed;
  private final LoadShape shape;
  private final int clients;
  private final int commits;
  private final List<NestedQuery> queries;
  private final AtomicInteger committed = new AtomicInteger();
  private final AtomicInteger attempts = new AtomicInteger();
  private final Map<Long, LoggedTransaction> log = new ConcurrentHashMap<>();

  /** Opens a client's connection, with autocommit off and its level set. */
  interface Opener {
    Connection open() throws SQLException;
  }

  /**
   * A load that has not run.
   *
   * @param clients how many are watched
   */
  NestedLoad(long seed, int clients, int commits, LoadShape shape) {
    this.seed = seed;
    this.shape = shape;
    this.clients = clients;
    this.commits = commits;
    NestedQueryGenerator generator = new NestedQueryGenerator(seed, !shape.few());
    this.queries =
        Stream.generate(shape.onOneTable() ? generator::nextOnOneTable : generator::next)
            .limit(QUERIES)
            .toList();
  }

  /**
   * Runs until so many transactions have committed; gives each by its number.
   *
   * @param watched opens the connections that are watched
   * @param unwatched opens the others
   */
  Map<Long, LoggedTransaction> run(Opener watched, Opener unwatched)
      throws SQLException, InterruptedException {
    Watch.nameTransactions(NAME::get);
    int all = shape.unwatched() ? clients + 1 : clients;
    ExecutorService threads = Executors.newFixedThreadPool(all);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < all; i++) {
        boolean isWatched = i < clients;
        Random random = new Random(seed + i);
        running.add(
            threads.submit(
                () -> {
                  try (Connection connection = (isWatched ? watched : unwatched).open()) {
                    client(connection, isWatched, random);
                  }
                  return null;
                }));
      }
      for (Future<?> client : running) {
        client.get();
      }
      return log;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof SQLException sql) {
        throw sql;
      }
      throw new IllegalStateException(e.getCause());
    } finally {
      threads.shutdownNow();
      Watch.nameTransactions(() -> null);
    }
  }

  private void client(Connection connection, boolean isWatched, Random random) throws SQLException {
    while (committed.get() < commits) {
      LoggedTransaction transaction = new LoggedTransaction(attempts.incrementAndGet(), isWatched);
      NAME.set(LoggedTransaction.NAME + transaction.number);
      log.put(transaction.number, transaction);
      try {
        run(connection, transaction, random);
        long started = System.nanoTime();
        transaction.commitStarted = started;
        connection.commit();
        transaction.commitEnded = System.nanoTime();
        committed.incrementAndGet();
      } catch (SQLException e) {
        connection.rollback();
        if (attempts.get() > 100 && committed.get() < attempts.get() / 50) {
          throw e; // it is none of the conflicts that a DBMS resolves by an error
        }
      }
    }
  }

  private void run(Connection connection, LoggedTransaction transaction, Random random)
      throws SQLException {
    int statements = 2 + random.nextInt(4);
    try (Statement statement = connection.createStatement()) {
      for (int i = 0; i < statements; i++) {
        if (random.nextInt(5) < 3) {
          query(statement, transaction, queries.get(random.nextInt(queries.size())));
        } else if (shape.savepoints() && random.nextInt(5) == 0) {
          Savepoint before = connection.setSavepoint();
          update(connection, transaction, random);
          connection.rollback(before);
        } else {
          update(connection, transaction, random);
        }
      }
    }
  }

  static void query(Statement statement, LoggedTransaction transaction, NestedQuery query)
      throws SQLException {
    long started = System.nanoTime();
    List<String> rows = new ArrayList<>();
    try (ResultSet result = statement.executeQuery(query.sql())) {
      int columns = result.getMetaData().getColumnCount();
      while (result.next()) {
        List<String> values = new ArrayList<>();
        for (int i = 1; i <= columns; i++) {
          values.add(String.valueOf(result.getString(i)));
        }
        rows.add(String.join(",", values));
      }
    } catch (SQLException e) {
      throw new SQLException(e.getMessage() + " in " + query.sql(), e.getSQLState(), e);
    }
    transaction.statements.add(
        new LoggedTransaction.Query(
            query, NestedQuery.text(rows.stream()), started, System.nanoTime()));
  }

  private void update(Connection connection, LoggedTransaction transaction, Random random)
      throws SQLException {
    List<Column> columns =
        switch (random.nextInt(5)) {
          case 0 -> List.of(Column.K, Column.VER);
          case 1 -> List.of(Column.K, Column.N, Column.VER);
          default -> List.of(Column.N, Column.VER);
        };
    String table = AuditedTables.NAMES.get(random.nextInt(AuditedTables.NAMES.size()));
    int id = 1 + random.nextInt(shape.rows());
    int k = random.nextInt(shape.values());
    long version = transaction.nextVersion();
    long n = shape.few() ? random.nextInt(shape.values()) : version;
    update(connection, transaction, table, id, columns, k, n);
  }

  /** Updates one row: K and N get the given values. */
  static void update(
      Connection connection,
      LoggedTransaction transaction,
      String table,
      int id,
      List<Column> columns,
      int k,
      long n)
      throws SQLException {
    long version = transaction.nextVersion();
    String assigned = columns.stream().map(c -> c.sql() + " = ?").collect(Collectors.joining(", "));
    long started = System.nanoTime();
    try (var update =
        connection.prepareStatement("UPDATE " + table + " SET " + assigned + " WHERE id = ?")) {
      for (int i : IntStream.range(0, columns.size()).toArray()) {
        update.setLong(
            i + 1,
            switch (columns.get(i)) {
              case K -> k;
              case N -> n;
              default -> version;
            });
      }
      update.setInt(columns.size() + 1, id);
      update.executeUpdate();
    }
    int bits = columns.stream().mapToInt(Column::bit).sum();
    transaction.statements.add(
        new LoggedTransaction.Write(table, id, bits, version, started, System.nanoTime()));
  }
}
