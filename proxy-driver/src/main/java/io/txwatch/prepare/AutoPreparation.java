package io.txwatch.prepare;

import io.txwatch.catalog.CatalogQueries;
import io.txwatch.catalog.DedicatedConnection;
import io.txwatch.catalog.LookupContext;
import io.txwatch.catalog.SchemaChangeGate;
import io.txwatch.catalog.SchemaReader;
import io.txwatch.catalog.ServerState;
import io.txwatch.catalog.TableInfo;
import io.txwatch.catalog.TablePreparer;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Prepares tables at first sight ({@code txwatch.prepare=auto}), for databases that live and die
 * with a test.
 *
 * <p>A table is changed on a connection of our own, open for that time, and only where the change
 * harms no transaction:
 *
 * <ul>
 *   <li>while no watched session holds a {@linkplain SchemaChangeGate snapshot} or is sending a
 *       statement, and none of another process has a snapshot, as far as this user may see that;
 *   <li>without waiting for the table's lock longer than 50 ms, for a pending exclusive lock keeps
 *       every later reader waiting; on MariaDB without waiting at all. MySQL bounds no wait below a
 *       second, and a statement that is cancelled is cancelled in its work, too: so there it is
 *       cancelled after 300 ms, and no watched session may have a transaction open, and no one a
 *       metadata lock on the table, as far as this user may see that.
 * </ul>
 *
 * Otherwise it is tried again: after snapshots, as soon as none is held; after locks, at growing
 * intervals. The work itself is bounded to 2 s where the DBMS can bound it, so that a big table is
 * refused rather than locked for long. What fails for another reason is reported once, and the
 * application goes on with the table unwatched. In a database that only the application's
 * connection can reach, that connection is used while it is in no transaction.
 */
public final class AutoPreparation implements TablePreparer {

  private static final int MAX_ATTEMPTS = 20;
  private static final long FIRST_PAUSE_NANOS = 250_000_000L;
  private static final long MAX_PAUSE_NANOS = 60_000_000_000L;

  /** Longer than autocommitted readers hold a table, and no pause for those who queue behind us. */
  private static final Duration LOCK = Duration.ofMillis(50);

  /** MySQL: for a whole statement, which takes some milliseconds once it has its locks. */
  private static final Duration CANCEL_AFTER = Duration.ofMillis(300);

  /** Larger tables take too long to do while the application waits. */
  private static final int MAX_ROWS = 100_000;

  private final SchemaReader reader;
  private final PreparationDdl ddl;
  private final DedicatedConnection own;
  private final boolean onApplication;
  private final Consumer<String> notices;
  private final SchemaChangeGate snapshots;
  private final Map<String, Retry> retries = new HashMap<>();
  private final ReentrantLock turn = new ReentrantLock();
  private volatile boolean awaitsSnapshots;

  /** When a table is tried again. */
  private record Retry(int attempts, long atNanos) {}

  /**
   * For one database; the parameters are those of {@link TablePreparer.Factory}.
   *
   * @param ddl the statements of its DBMS
   */
  public AutoPreparation(
      PreparationDdl ddl,
      DedicatedConnection own,
      boolean onApplication,
      SchemaChangeGate snapshots,
      Consumer<String> notices) {
    this.reader = ddl.reader();
    this.ddl = ddl;
    this.own = own;
    this.onApplication = onApplication;
    this.notices = notices;
    this.snapshots = snapshots;
  }

  @Override
  public boolean canRetry() {
    if (!awaitsSnapshots || isHeldUp()) {
      return false;
    }
    awaitsSnapshots = false;
    return true;
  }

  private boolean isHeldUp() {
    return snapshots.areHeld() || (ddl.waitsForTransactions() && snapshots.hasTransactions());
  }

  /** To wait for another session that prepares a table would delay the application. */
  @Override
  public Outcome prepare(TableInfo table, LookupContext context) {
    if (!turn.tryLock()) {
      return Outcome.LATER;
    }
    try {
      return prepareInTurn(table, context);
    } finally {
      turn.unlock();
    }
  }

  private Outcome prepareInTurn(TableInfo table, LookupContext context) {
    String name = table.schema() + "." + table.name();
    Retry retry = retries.getOrDefault(name, new Retry(0, System.nanoTime()));
    if (retry.attempts() >= MAX_ATTEMPTS) {
      return Outcome.NEVER;
    }
    if (System.nanoTime() - retry.atNanos() < 0) {
      return Outcome.LATER;
    }
    try {
      if (onApplication) {
        return context.view().isIdle() ? prepareOn(context.connection(), table) : Outcome.LATER;
      }
      return prepareBehindGate(table, context, name, retry.attempts());
    } catch (SQLException e) {
      boolean passes =
          DdlErrors.isLock(e) || DdlErrors.isConnectionLimit(e) || DdlErrors.isConnectionLost(e);
      return passes && retry.attempts() + 1 < MAX_ATTEMPTS
          ? later(name, retry.attempts())
          : never(table, DdlErrors.describe(e));
    }
  }

  private Outcome prepareBehindGate(
      TableInfo table, LookupContext context, String name, int attempts) throws SQLException {
    boolean hidden =
        context.view().isIdle() && ServerState.of(context.connection()) == ServerState.OPEN;
    snapshots.closeGate();
    try {
      if (!snapshots.awaitOthers(context.view(), LOCK.toNanos())) {
        return later(name, attempts);
      }
      if (hidden || isHeldUp()) {
        awaitsSnapshots = true;
        return Outcome.LATER;
      }
      return own.use(
          context.connection(),
          LOCK,
          connection -> {
            CatalogQueries.run(connection, ddl.waitForNoLock());
            return isInUse(connection, table)
                ? later(name, attempts)
                : prepareOn(connection, table);
          });
    } finally {
      snapshots.openGate();
    }
  }

  /** Twice, for what is seen of a session that is just ending a statement is of two moments. */
  private boolean isInUse(Connection connection, TableInfo table) throws SQLException {
    if (!ddl.isInUse(connection, table)) {
      return false;
    }
    try {
      TimeUnit.MILLISECONDS.sleep(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return ddl.isInUse(connection, table);
  }

  private Outcome later(String name, int attempts) {
    long pause = Math.min(MAX_PAUSE_NANOS, FIRST_PAUSE_NANOS << Math.min(attempts, 10));
    retries.put(name, new Retry(attempts + 1, System.nanoTime() + pause));
    return Outcome.LATER;
  }

  private Outcome prepareOn(Connection connection, TableInfo seen) throws SQLException {
    Optional<TableInfo> table = reader.table(connection, seen.schema(), seen.name());
    if (table.isEmpty()) {
      return Outcome.LATER;
    }
    if (reader.isPrepared(table.get())) {
      return Outcome.PREPARED;
    }
    TablePlan plan = Preparation.planPrepare(ddl, connection, table.get());
    if (plan.decision() != TablePlan.Decision.CHANGE) {
      return never(seen, plan.note());
    }
    if (plan.rows() > MAX_ROWS) {
      return never(seen, "it has more than " + MAX_ROWS + " rows: use txwatch prepare");
    }
    Preparation.execute(ddl, connection, table.get(), plan, RetryPolicy.once(CANCEL_AFTER));
    snapshots.changed();
    return Outcome.PREPARED;
  }

  private Outcome never(TableInfo table, String why) {
    retries.put(table.schema() + "." + table.name(), new Retry(MAX_ATTEMPTS, System.nanoTime()));
    notices.accept("table " + table.name() + " is not watched: " + why);
    return Outcome.NEVER;
  }
}
