package io.txwatch.prepare;

import io.txwatch.sql.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
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
 *   <li>while no watched session holds a {@linkplain Snapshots snapshot} or is sending a statement,
 *       and none of another process has a snapshot, as far as this user may see that;
 *   <li>without waiting for the table's lock longer than 50 ms, for a pending exclusive lock keeps
 *       every later reader waiting; on MariaDB without waiting at all. MySQL bounds no wait below a
 *       second, and a statement that is cancelled is cancelled in its work, too: so there it is
 *       cancelled after 300 ms, and no watched session may have a transaction open, and nobody a
 *       metadata lock on the table, as far as this user may see that.
 * </ul>
 *
 * Otherwise it is tried again: after snapshots, as soon as none is held; after locks, at growing
 * intervals. The work itself is bounded to 2 s where the DBMS can bound it, so that a big table is
 * refused rather than locked for long. What fails for another reason is reported once, and the
 * application goes on with the table unwatched. In a database that only the application's
 * connection can reach, that connection is used while it is in no transaction.
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
  private final OwnConnection own;
  private final boolean onApplication;
  private final Consumer<String> notices;
  private final Snapshots snapshots;
  private final Map<String, Retry> retries = new HashMap<>();
  private final ReentrantLock turn = new ReentrantLock();
  private volatile boolean awaitsSnapshots;

  /** When a table is tried again. */
  private record Retry(int attempts, long atNanos) {}

  AutoPreparation(
      SchemaReader reader,
      OwnConnection own,
      boolean onApplication,
      Snapshots snapshots,
      Consumer<String> notices) {
    this.reader = reader;
    this.own = own;
    this.onApplication = onApplication;
    this.notices = notices;
    this.snapshots = snapshots;
  }

  /** True, once, if a table was put off because of snapshots and none is held any more. */
  boolean mayGoOn() {
    if (!awaitsSnapshots || isHeldUp()) {
      return false;
    }
    awaitsSnapshots = false;
    return true;
  }

  private boolean isHeldUp() {
    return snapshots.areHeld()
        || (reader.dialect() == Dialect.MYSQL && snapshots.hasTransactions());
  }

  /** Prepares a table, unless another session is at it: to wait for that one would hold it up. */
  Outcome prepare(TableInfo table, Asker asker) {
    if (!turn.tryLock()) {
      return Outcome.LATER;
    }
    try {
      return prepareInTurn(table, asker);
    } finally {
      turn.unlock();
    }
  }

  private Outcome prepareInTurn(TableInfo table, Asker asker) {
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
        return asker.view().isIdle() ? prepareOn(asker.connection(), table) : Outcome.LATER;
      }
      return prepareBehindGate(table, asker, name, retry.attempts());
    } catch (SQLException e) {
      boolean passes =
          Failures.isLock(e) || Failures.isConnectionLimit(e) || Failures.isConnectionLost(e);
      return passes && retry.attempts() + 1 < MAX_ATTEMPTS
          ? later(name, retry.attempts())
          : never(table, Failures.describe(e));
    }
  }

  private Outcome prepareBehindGate(TableInfo table, Asker asker, String name, int attempts)
      throws SQLException {
    boolean hidden =
        asker.view().isIdle() && ServerState.of(asker.connection()) == ServerState.OPEN;
    snapshots.closeGate();
    try {
      if (!snapshots.awaitOthers(asker.view(), LOCK.toNanos())) {
        return later(name, attempts);
      }
      if (hidden || isHeldUp()) {
        awaitsSnapshots = true;
        return Outcome.LATER;
      }
      return own.use(
          asker.connection(),
          LOCK,
          connection -> {
            SchemaReader.run(connection, reader.waitForNoLock());
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
    if (!reader.isInUse(connection, table)) {
      return false;
    }
    try {
      TimeUnit.MILLISECONDS.sleep(5);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return reader.isInUse(connection, table);
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
    TablePlan plan = Preparation.planPrepare(reader, connection, table.get());
    if (plan.decision() != TablePlan.Decision.CHANGE) {
      return never(seen, plan.note());
    }
    if (plan.rows() > MAX_ROWS) {
      return never(seen, "it has more than " + MAX_ROWS + " rows: use txwatch prepare");
    }
    List<Step> steps = new ArrayList<>(reader.lock(table.get()));
    steps.addAll(plan.steps());
    TablePlan locking =
        new TablePlan(
            plan.schema(),
            plan.table(),
            plan.decision(),
            steps,
            plan.note(),
            plan.rows(),
            plan.seconds());
    Preparation.execute(reader, connection, table.get(), locking, Pace.once(CANCEL_AFTER));
    snapshots.changed();
    return Outcome.PREPARED;
  }

  private Outcome never(TableInfo table, String why) {
    retries.put(table.schema() + "." + table.name(), new Retry(MAX_ATTEMPTS, System.nanoTime()));
    notices.accept("table " + table.name() + " is not watched: " + why);
    return Outcome.NEVER;
  }
}
