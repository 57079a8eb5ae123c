package io.txwatch.jdbc.read;

import io.txwatch.capture.SnapshotRules;
import io.txwatch.capture.SnapshotRules.SideReadTiming;
import io.txwatch.capture.SnapshotRules.When;
import io.txwatch.capture.TransactionRules;
import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.jdbc.log.Faults;
import io.txwatch.jdbc.parameter.Parameters;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.jdbc.plan.PlannedReads;
import io.txwatch.jdbc.plan.PlannedReads.One;
import io.txwatch.jdbc.session.ConnectionState;
import io.txwatch.plan.SideRead.Purpose;
import io.txwatch.plan.TransactionControl;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Carries out the reads that stand beside a connection's statements: on the same connection, in the
 * same transaction, through statements of our own, so that limits, fetch sizes, results and
 * warnings of the application's statement stay its own.
 *
 * <p>{@link SnapshotRules} decides when they are sent. On PostgreSQL an error would abort the
 * transaction, so there a read travels between a savepoint and its release, three statements in one
 * round trip. What was put {@linkplain When#LATER off} is sent before the application's next
 * statement, unless that one asks for what the DBMS keeps of the last, and at the latest before the
 * transaction is committed; until then the observation of the statement stays open.
 *
 * <p>Nothing that goes wrong here comes through: a read that fails is counted, and after a few
 * failures it is no longer sent.
 */
public final class SideReadRunner {

  /** Statements of ours that are kept prepared on a connection. */
  private static final int MAX_STATEMENTS = 64;

  private final ConnectionState connection;
  private final SnapshotRules rules;
  private final SideReadRows recorder;
  private final Map<String, PreparedStatement> statements = new LinkedHashMap<>(16, 0.75f, true);
  private final List<Later> later = new ArrayList<>(2);
  private boolean foundRowsAwaited;
  private volatile @Nullable PreparedStatement running;

  /** A read that was put off. */
  private static final class Later {
    final StatementReads reads;
    final One one;
    final Parameters parameters;

    /** The statement's update count. */
    final long count;

    /** True if it sees what the statement saw. */
    final boolean inSnapshot;

    /** True once another statement of the transaction may have written what it asks for. */
    boolean overtaken;

    Later(StatementReads reads, One one, Parameters parameters, long count, boolean inSnapshot) {
      this.count = count;
      this.inSnapshot = inSnapshot;
      this.overtaken = reads.standsInBatch();
      this.reads = reads;
      this.one = one;
      this.parameters = parameters;
    }
  }

  public SideReadRunner(ConnectionState connection) {
    this.connection = connection;
    this.rules = connection.database().snapshots();
    this.recorder = new SideReadRows(connection);
  }

  // ---------------------------------------------------------------- before and after a statement

  /** The application is about to send a statement: what was put off may be read now. */
  public void beforeNext(CachedPlan next) {
    if (next.asksFoundRows()) {
      if (!foundRowsAwaited && !next.countsFoundRows()) {
        // Not of a query that counts for it, during which nothing is sent: of any query, then.
        connection.database().memory().asksFoundRows();
      }
      foundRowsAwaited = next.countsFoundRows();
    } else if (next.kind() == StatementKind.SELECT) {
      foundRowsAwaited = false;
    }
    if (later.isEmpty()) {
      return;
    }
    TransactionControl control = next.plan().control();
    if (control instanceof TransactionControl.Rollback) {
      forget();
    } else if (isOpaque(next)
        || next.asksDiagnostics()
        || foundRowsAwaited
        || control instanceof TransactionControl.Several) {
      overtake(next);
    } else {
      boolean ending =
          control instanceof TransactionControl.Commit
              || control instanceof TransactionControl.ImplicitCommit
              || control instanceof TransactionControl.Begin;
      readLater(ending);
      overtake(next);
    }
  }

  /** The transaction is about to be committed. */
  public void beforeCommit() {
    readLater(true);
  }

  /**
   * The transaction is about to go back to a savepoint, and what it did since will be as undone.
   */
  public void beforeRollbackTo() {
    readLater(false);
    later.forEach(one -> one.overtaken = true);
  }

  /** The transaction is about to be rolled back: nothing of it matters any more. */
  public void forget() {
    later.clear();
    foundRowsAwaited = false;
  }

  /**
   * What is not read by now is read after the transaction itself may have written over it: what a
   * statement read is the same as long as no one names its tables.
   */
  private void overtake(CachedPlan next) {
    if (!next.kind().mayWrite()) {
      return;
    }
    for (Later one : later) {
      one.overtaken |=
          isOpaque(next)
              || one.one.read.purpose() != Purpose.READ
              || one.one.isNamedIn(next.plan().original());
    }
  }

  private static boolean isOpaque(CachedPlan plan) {
    return plan.plan().passThrough().filter(r -> r == GapReason.OPAQUE).isPresent();
  }

  private void readLater(boolean ending) {
    for (Iterator<Later> all = later.iterator(); all.hasNext(); ) {
      Later one = all.next();
      if (one.reads.hasEnded()) {
        all.remove();
        continue;
      }
      if (one.overtaken && one.one.read.purpose() == Purpose.SKIPPED_BY_DELETE) {
        all.remove(); // what it shows may be what was written since
        one.reads.release();
        continue;
      }
      if (one.overtaken && one.one.read.purpose() == Purpose.READ) {
        all.remove(); // what it finds may have been changed since
        one.reads.missing(one.one, "came too late");
        one.reads.release();
        continue;
      }
      SnapshotRules.Session session = session(one.reads);
      if (rules.mayReadNow(ending, session)) {
        all.remove();
        boolean certain =
            one.inSnapshot
                && one.one.read.exact()
                && (!one.one.isVersionSet() || (session.hasSnapshot() && !one.overtaken));
        long found = send(one.one, one.reads, one.parameters, certain);
        one.reads.returned(
            !one.one.returnsWrites() || (certain && isAll(found, one.count, one.overtaken)));
        one.reads.release();
      }
    }
  }

  /**
   * Decides what becomes of the reads beside a statement, and sends those that come before it.
   *
   * @param first false for an item of a batch that stands behind another
   */
  public void before(StatementReads reads, Parameters parameters, boolean first) {
    PlannedReads planned = reads.cached().sideReads();
    if (planned == null || connection.tracker().mustRollBack()) {
      return;
    }
    SnapshotRules.Session session = session(reads);
    SideReadTiming[] sendings = new SideReadTiming[planned.all.size()];
    boolean mustNot = mustNot(reads, session);
    for (int i = 0; i < sendings.length; i++) {
      One one = planned.all.get(i);
      SideReadTiming sending =
          mustNot || (!first && one.isVersionSet())
              ? SnapshotRules.NOT_SENT
              : rules.sending(
                  reads.cached().kind(),
                  one.read.purpose(),
                  one.read.moment(),
                  planned.oneTable,
                  session);
      sendings[i] = sending;
      boolean isComplete = true;
      if (sending.when() == When.NEVER) {
        if (!one.isNotMissed(reads.cached().plan())) {
          reads.missing(one, "could be noticed");
        }
        isComplete = false;
      } else if (sending.when() == When.BEFORE) {
        boolean certain = sending.certain() && one.read.exact() && first;
        boolean all = send(one, reads, parameters, certain) >= 0;
        isComplete = all && certain;
      }
      reads.returned(isComplete || !one.returnsWrites());
    }
    reads.decided(sendings, parameters);
  }

  /** Sends the reads that come after a statement, or puts them off. */
  public void after(StatementReads reads, SideReadTiming[] sendings, long count) {
    Parameters parameters = reads.parameters();
    PlannedReads planned = java.util.Objects.requireNonNull(reads.cached().sideReads());
    for (int i = 0; i < sendings.length; i++) {
      One one = planned.all.get(i);
      boolean nothingWritten =
          switch (one.read.purpose()) {
            case AFTER_WRITE -> count == 0;
            case CONTENDED -> !reads.isContended();
            default -> false;
          };
      if (sendings[i].when() == When.AFTER && !nothingWritten) {
        boolean certain = sendings[i].certain() && one.read.exact();
        long found = send(one, reads, parameters, certain);
        reads.returned(
            !one.returnsWrites() || (certain && isAll(found, count, reads.standsInBatch())));
      } else if (sendings[i].when() == When.LATER && !nothingWritten) {
        reads.putOff();
        later.add(new Later(reads, one, parameters.copy(), count, sendings[i].certain()));
      }
    }
    if (planned.returnWrites) {
      reads.returnWrites();
    }
  }

  /**
   * True if nothing is missing from what was found of a statement's writes.
   *
   * <p>Where an UPDATE makes a version of every row that it counts, as many must be found.
   * Elsewhere (MySQL, MariaDB) it counts rows that it leaves as they are.
   *
   * @param overtaken true if another statement may have written over some of it
   */
  private boolean isAll(long found, long count, boolean overtaken) {
    boolean countsVersions = !rules.keepsDiagnostics();
    return found >= 0 && ((!overtaken && !countsVersions) || found == count);
  }

  private SnapshotRules.Session session(StatementReads reads) {
    return new SnapshotRules.Session(
        connection.tracker().level(),
        !reads.isAlone(),
        connection.earlier().hasSnapshot(reads.transaction()));
  }

  /**
   * True if a read of ours would use up, or replace, what is meant for the application, or if the
   * DBMS might refuse it.
   */
  private boolean mustNot(StatementReads reads, SnapshotRules.Session session) {
    if (!rules.keepsDiagnostics()) {
      return false;
    }
    if (connection.tracker().holdsTableLocks()) {
      return true;
    }
    boolean levelWaits = connection.earlier().wasSet() && !session.inTransaction();
    boolean foundRows =
        reads.cached().kind() != StatementKind.SELECT
            && (foundRowsAwaited || connection.database().memory().isAskedForFoundRows());
    return levelWaits || foundRows;
  }

  // ---------------------------------------------------------------- sending one

  /** Sends a read and notes its rows; gives their number, or -1 if they are not all of them. */
  private long send(One one, StatementReads reads, Parameters parameters, boolean certain) {
    if (one.isGivenUp()) {
      reads.missing(one, "failed before");
      return -1;
    }
    if (one.rests()
        || (one.isVersionSet() && connection.database().memory().isTooLarge(one.table()))) {
      reads.tooLarge(one);
      return -1;
    }
    if (one.isVersionSet() && !connection.database().memory().versionSets().pays(one.table())) {
      reads.missing(one, "was not paid for");
      return -1;
    }
    boolean guarded = connection.rules().errorAbortsTransaction() && !reads.isAlone();
    String sql = guarded ? one.guardedSql : one.read.sql();
    try {
      PreparedStatement statement = prepared(sql);
      if (!parameters.bind(one.read, statement, reads.token())) {
        reads.missing(one, "has a parameter that can be read once only");
        return -1;
      }
      if (!connection.sql().driver().sharesQueryTimeout()
          && statement.getQueryTimeout() != reads.timeout()) {
        statement.setQueryTimeout(reads.timeout());
      }
      running = statement;
      long sent = one.isVersionSet() ? System.nanoTime() : 0;
      long found;
      try (ResultSet rows = guarded ? firstResult(statement) : statement.executeQuery()) {
        found =
            one.isVersionSet()
                ? recorder.versionSet(one, rows, reads, parameters, certain)
                : recorder.rows(one, rows, reads, certain);
      }
      one.succeeded();
      if (one.isVersionSet()) {
        int rows = found < 0 ? connection.database().mostSideRows() : (int) found;
        connection
            .database()
            .memory()
            .versionSets()
            .read(one.table(), rows, System.nanoTime() - sent);
      }
      return found;
    } catch (SQLException | RuntimeException e) {
      failed(one, sql, guarded, reads, e);
      return -1;
    } finally {
      running = null;
    }
  }

  private PreparedStatement prepared(String sql) throws SQLException {
    PreparedStatement known = statements.get(sql);
    if (known != null) {
      return known;
    }
    PreparedStatement made = connection.real().prepareStatement(sql);
    statements.put(sql, made);
    if (statements.size() > MAX_STATEMENTS) {
      Iterator<PreparedStatement> oldest = statements.values().iterator();
      PreparedStatement least = oldest.next();
      oldest.remove();
      close(least);
    }
    return made;
  }

  private static void close(PreparedStatement statement) {
    try {
      statement.close();
    } catch (SQLException | RuntimeException e) {
      // It held nothing but its text.
      Faults.report(e);
    }
  }

  /** The result between the savepoint and its release. */
  private static ResultSet firstResult(PreparedStatement statement) throws SQLException {
    boolean result = statement.execute();
    while (!result && statement.getUpdateCount() >= 0) {
      result = statement.getMoreResults();
    }
    return java.util.Objects.requireNonNull(statement.getResultSet(), "no result");
  }

  private void failed(One one, String sql, boolean guarded, StatementReads reads, Exception error) {
    one.failed();
    PreparedStatement statement = statements.remove(sql);
    if (statement != null) {
      close(statement);
    }
    String state = error instanceof SQLException e ? String.valueOf(e.getSQLState()) : "";
    reads.missing(one, "failed " + state);
    Faults.say(
        "a read beside a statement failed, the application is not affected: "
            + error.getClass().getSimpleName()
            + " "
            + state);
    boolean lost = error instanceof SQLException e && TransactionRules.connectionLost(e);
    if (guarded && !lost) {
      connection.execute("ROLLBACK TO SAVEPOINT " + PlannedReads.SAVEPOINT);
      connection.execute("RELEASE SAVEPOINT " + PlannedReads.SAVEPOINT);
    }
  }

  // ---------------------------------------------------------------- cancelling

  /** Cancels the read that is under way, if there is one. */
  public boolean cancel() throws SQLException {
    PreparedStatement now = running;
    if (now == null) {
      return false;
    }
    now.cancel();
    return true;
  }
}
