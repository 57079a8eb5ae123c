package io.txwatch.jdbc;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How many rows of version sets the connections to a database may read in a second.
 *
 * <p>A version set is a whole table, and each statement has one. Those of small tables cost about a
 * round trip and are always read. Those of tables with thousands of rows would cost the application
 * and the DBMS a hundred times what the statement costs, each time: of them as many are read as the
 * budget pays for, spread over time, and the others are counted as not read. A budget that was not
 * used is saved up to a bound, so that a test, or a quiet hour, is seen completely.
 */
final class VersionSetBudget {

  /** Tables of that many rows, and smaller ones, cost nothing. */
  static final int FREE_ROWS = 100;

  /** That many rows are paid for by a second; they take some 20 to 40 ms of it. */
  static final int ROWS_PER_SECOND = 50_000;

  /** That many rows are saved up at most. */
  static final int MOST_SAVED = 10 * ROWS_PER_SECOND;

  private static final long NANOS_PER_ROW = 1_000_000_000L / ROWS_PER_SECOND;

  private final LongSupplier nanos;

  /** The time by which everything that was read is paid for. */
  private final AtomicLong paidAt;

  /** How many rows the larger tables had when they were read last. */
  private final Map<String, Integer> sizes = new ConcurrentHashMap<>();

  /**
   * A full budget.
   *
   * @param nanos the time, in nanoseconds since whenever
   */
  VersionSetBudget(LongSupplier nanos) {
    this.nanos = nanos;
    this.paidAt = new AtomicLong(nanos.getAsLong() - MOST_SAVED * NANOS_PER_ROW);
  }

  /** True if a table is small, or its set is paid for. */
  boolean pays(String table) {
    Integer rows = sizes.isEmpty() ? null : sizes.get(table);
    return rows == null || paidAt.get() + rows * NANOS_PER_ROW - nanos.getAsLong() <= 0;
  }

  /** A table's version set was read. */
  void read(String table, int rows) {
    if (rows <= FREE_ROWS) {
      if (!sizes.isEmpty()) {
        sizes.remove(table);
      }
      return;
    }
    sizes.put(table, rows);
    long fullSince = nanos.getAsLong() - MOST_SAVED * NANOS_PER_ROW;
    paidAt.updateAndGet(at -> (at - fullSince < 0 ? fullSince : at) + rows * NANOS_PER_ROW);
  }
}
