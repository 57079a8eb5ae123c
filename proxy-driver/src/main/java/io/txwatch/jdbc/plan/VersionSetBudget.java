package io.txwatch.jdbc.plan;

import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * How long the connections to a database may read version sets.
 *
 * <p>A version set is a whole table, and each statement has one. Those of small tables cost about a
 * round trip and are always read. Those of tables with thousands of rows would cost the application
 * and the DBMS a hundred times what the statement costs, each time: of them as many are read as
 * take {@code 1/}{@value #SHARE} of the time, whatever that is on this machine under this load, and
 * the others are counted as not read. What was not used is saved up to a bound. There is more at
 * the beginning, so that a test, or a service that has just been started, is seen completely.
 */
public final class VersionSetBudget {

  /** Of so many tables at most something is kept; of those beyond it is learnt again. */
  static final int MAX_TABLES = 1 << 12;

  /** Tables of that many rows, and smaller ones, cost nothing. */
  static final int FREE_ROWS = 100;

  /** Of so much time one part may be spent on reading. */
  static final int SHARE = 50;

  /** Nanoseconds of reading that there are at the beginning. */
  static final long AT_FIRST = 1_000_000_000;

  /** Nanoseconds of reading that are saved at most. */
  static final long MAX_SAVED_NANOS = 100_000_000;

  /** What a row costs at least: it is to be analysed, too. */
  static final long MIN_NANOS_PER_ROW = 500;

  /** What a row costs at most: a read that had to wait, or a pause of the JVM, shows nothing. */
  static final long MAX_NANOS_PER_ROW = 10_000;

  /**
   * What could be spent at a time.
   *
   * @param nanos of reading; negative if more was spent than there was
   * @param at the time
   */
  private record Saved(long nanos, long at) {

    /** What can be spent at a later time. */
    long until(long now) {
      long more = nanos + Math.max(0, now - at) / SHARE;
      return Math.max(nanos, Math.min(more, MAX_SAVED_NANOS));
    }
  }

  private final LongSupplier clock;
  private final AtomicReference<Saved> saved;

  /** How many nanoseconds the larger tables took when they were read last. */
  private final Map<String, Long> costs = new ConcurrentHashMap<>();

  /**
   * A full budget.
   *
   * @param clock the time, in nanoseconds since whenever
   */
  VersionSetBudget(LongSupplier clock) {
    this.clock = clock;
    this.saved = new AtomicReference<>(new Saved(AT_FIRST, clock.getAsLong()));
  }

  /** True if a table is small, or its set is paid for. */
  public boolean pays(String table) {
    Long cost = costs.isEmpty() ? null : costs.get(table);
    if (cost == null) {
      return true;
    }
    long least = Math.min(cost, MAX_SAVED_NANOS);
    return Objects.requireNonNull(saved.get()).until(clock.getAsLong()) >= least;
  }

  /**
   * A table's version set was read.
   *
   * @param nanos how long that took
   */
  public void read(String table, int rows, long nanos) {
    if (rows <= FREE_ROWS) {
      if (!costs.isEmpty()) {
        costs.remove(table);
      }
      return;
    }
    long cost = Math.max(rows * MIN_NANOS_PER_ROW, Math.min(rows * MAX_NANOS_PER_ROW, nanos));
    if (costs.size() >= MAX_TABLES) { // names that come and go
      costs.clear();
    }
    costs.put(table, cost);
    long now = clock.getAsLong();
    saved.updateAndGet(before -> new Saved(before.until(now) - cost, now));
  }
}
