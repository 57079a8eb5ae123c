package io.txwatch.prepare;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Prepares tables at first sight ({@code txwatch.prepare=auto}).
 *
 * <p>On our own connection, waiting at most 0.4 s for a lock (the application's own transaction may
 * hold it: waiting longer would be waiting for oneself) and working at most 2 s, so that a big
 * table is refused rather than locked for long. A lock that was not to be had is tried again later,
 * up to {@value #ATTEMPTS} times; whatever else fails is told once, and the application goes on
 * with the table unwatched. Where there is no connection but the application's, that one is used
 * when it is in no transaction.
 */
final class AutoPreparation {

  /** How it went. */
  enum Outcome {
    /** Prepared, by us or by somebody else meanwhile. */
    PREPARED,
    /** Not now. */
    LATER,
    /** Not at all. */
    NEVER
  }

  private static final int ATTEMPTS = 20;

  /** Larger tables take too long to do while the application waits. */
  private static final int MAX_ROWS = 100_000;

  private final SchemaReader reader;
  private final LookupConnection lookups;
  private final boolean onApplication;
  private final Consumer<String> notices;
  private final Map<String, Integer> attempts = new HashMap<>();

  AutoPreparation(
      SchemaReader reader,
      LookupConnection lookups,
      boolean onApplication,
      Consumer<String> notices) {
    this.reader = reader;
    this.lookups = lookups;
    this.onApplication = onApplication;
    this.notices = notices;
  }

  /** Prepares a table once; the others wait and find it done. */
  synchronized Outcome prepare(TableInfo table, Connection application, BooleanSupplier idle) {
    String name = table.schema() + "." + table.name();
    if (attempts.getOrDefault(name, 0) >= ATTEMPTS) {
      return Outcome.NEVER;
    }
    try {
      if (onApplication) {
        return idle.getAsBoolean() ? prepareOn(application, table) : Outcome.LATER;
      }
      return lookups.use(connection -> prepareOn(connection, table));
    } catch (SQLException e) {
      int attempt = attempts.merge(name, 1, Integer::sum);
      if (Failures.isLock(e) && attempt < ATTEMPTS) {
        return Outcome.LATER;
      }
      return never(table, Failures.describe(e));
    }
  }

  private Outcome prepareOn(Connection connection, TableInfo seen) throws SQLException {
    Optional<TableInfo> table = reader.table(connection, seen.schema(), seen.name());
    if (table.isEmpty()) {
      return Outcome.LATER;
    }
    if (reader.isPrepared(table.get())) {
      return Outcome.PREPARED;
    }
    TablePlan plan = Preparation.planPrepare(reader, connection, table.get());
    if (plan.decision() != TablePlan.Decision.CHANGE) {
      return never(seen, plan.note());
    }
    if (plan.rows() > MAX_ROWS) {
      return never(seen, "it has more than " + MAX_ROWS + " rows: use txwatch prepare");
    }
    Preparation.execute(reader, connection, table.get(), plan, Pace.once(LookupConnection.LOCK));
    return Outcome.PREPARED;
  }

  private Outcome never(TableInfo table, String why) {
    attempts.put(table.schema() + "." + table.name(), ATTEMPTS);
    notices.accept("table " + table.name() + " is not watched: " + why);
    return Outcome.NEVER;
  }
}
