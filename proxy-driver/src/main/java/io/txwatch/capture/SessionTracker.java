package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.sql.TransactionControl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which transaction a session is in: a state machine fed with JDBC calls and with what SQL texts
 * say of transactions, which sends the session's events in order.
 *
 * <p>It knows no database and no connection. A transaction begins with its first statement and not
 * before, so an empty one leaves no trace. Where it cannot know whether a transaction committed,
 * the outcome is {@link Outcome#UNKNOWN}; where it cannot know whether two statements share a
 * transaction, they are told as two: that may hide an anomaly and never makes one up.
 *
 * <p>Its lock is the session's own. A connection is used by one thread at a time nearly always, so
 * it costs some nanoseconds.
 */
public final class SessionTracker {

  /** A token that names no transaction, for when there is none to name. */
  public static final String NOBODY = WriterToken.of(0, 0);

  /** The transaction that is open. */
  static final class Transaction {
    final long id;

    /** True for an autocommitted statement, which is a transaction of its own. */
    final boolean single;

    int statements;

    /** Events sent, its own end left out. */
    int events;

    final List<Observation> open = new ArrayList<>(2);

    Transaction(long id, boolean single) {
      this.id = id;
      this.single = single;
    }
  }

  /** Is told that a transaction ended. */
  public interface Ended {
    /** It ended, committed as far as is known or not. */
    void ended(boolean committed);
  }

  private final SessionEvents events;
  private final TransactionRules rules;
  private final Ids ids;
  private final Ended ended;

  private boolean closed;
  private boolean autoCommit;
  private boolean explicit;
  private IsolationLevel level;
  private @Nullable IsolationLevel levelOnce;
  private @Nullable Transaction current;
  private long upcoming;
  private final Savepoints savepoints = new Savepoints();
  private boolean mustRollBack;
  private boolean lost;

  /** The branch of a distributed transaction that statements belong to; null if none is active. */
  private @Nullable String branch;

  /** How many transactions of this session wait in {@link Branches}. */
  private int waiting;

  /**
   * A session that has just been opened.
   *
   * @param name what people call it
   * @param autoCommit what the connection says
   * @param level what the connection says
   * @param micros the wall clock, in microseconds since 1970
   * @param ended is told of each end of a transaction, also of one without statements
   */
  public SessionTracker(
      String name,
      Database database,
      TransactionRules rules,
      boolean autoCommit,
      IsolationLevel level,
      Ids ids,
      LongSupplier micros,
      Ended ended,
      EventSink sink) {
    this.events = new SessionEvents(ids.next(), name, database, micros, sink);
    this.rules = rules;
    this.autoCommit = autoCommit;
    this.level = level;
    this.ids = ids;
    this.ended = ended;
    this.upcoming = ids.next();
  }

  // ---------------------------------------------------------------- statements

  /**
   * A statement is about to be sent. Begins a transaction if none is open.
   *
   * @param sql the text as histories show it
   */
  public synchronized Observation begin(StatementKind kind, String sql, String callSite) {
    if (current != null && current.single) {
      // An autocommitted query whose result is still open: it ends where the next one begins.
      end(Outcome.COMMITTED);
    }
    if (current == null) {
      start(upcoming, !inTransactionMode());
      upcoming = ids.next();
    }
    return add(kind, sql, callSite);
  }

  /**
   * The writer tokens that the next statements will have if nothing comes between: of the {@code
   * i}-th, counted from 0.
   */
  public synchronized Position next(int i) {
    if (!inTransactionMode()) {
      return new Position(ids.next(), 1, true);
    }
    Transaction open = current;
    return open == null || open.single
        ? new Position(upcoming, i + 1, false)
        : new Position(open.id, open.statements + i + 1, false);
  }

  /**
   * Where a statement that has yet to be sent will stand.
   *
   * @param transaction its transaction's id
   * @param statement its number in the transaction
   * @param alone true if it will be a transaction of its own
   */
  public record Position(long transaction, int statement, boolean alone) {
    /** The writer token that it will have. */
    public String token() {
      return WriterToken.of(transaction, statement);
    }
  }

  /** True if a batch that was given these positions may be sent with them now. */
  public synchronized boolean stillHolds(List<Position> positions) {
    boolean alone = !inTransactionMode();
    for (int i = 0; i < positions.size(); i++) {
      Position position = positions.get(i);
      if (position.alone() != alone) {
        return false;
      }
      if (!alone) {
        Position now = next(i);
        if (now.transaction() != position.transaction()
            || now.statement() != position.statement()) {
          return false;
        }
      }
    }
    return true;
  }

  /** An item of a batch begins at the position that it was given. */
  public synchronized Observation begin(
      Position position, StatementKind kind, String sql, String callSite) {
    if (position.alone()) {
      if (current != null) {
        end(Outcome.COMMITTED);
      }
      start(position.transaction(), true);
      return add(kind, sql, callSite);
    }
    return begin(kind, sql, callSite);
  }

  /**
   * The transaction of an autocommitted batch's item has an outcome that cannot be told: the DBMS
   * may have undone it because of another item.
   */
  public synchronized void outcomeUnknown(Observation observation) {
    if (observation.end()) {
      tell(observation, false, null);
      if (observation.transaction.single && current == observation.transaction) {
        end(Outcome.UNKNOWN);
      }
    }
  }

  synchronized void succeeded(Observation observation, boolean writesSeen) {
    if (!observation.end()) {
      return;
    }
    observation.tellTarget();
    tell(observation, writesSeen && observation.rowsBeyond() == 0, null);
    if (observation.transaction.single && current == observation.transaction) {
      end(Outcome.COMMITTED);
    }
  }

  synchronized void failed(Observation observation, SQLException error) {
    TransactionRules.AfterError after = rules.afterError(error);
    boolean mine = current == observation.transaction;
    if (observation.end()) {
      String state = error.getSQLState();
      tell(observation, true, state == null ? "" : state);
    }
    if (!mine) {
      return;
    }
    if (observation.transaction.single) {
      boolean mayHaveHappened =
          after == TransactionRules.AfterError.CONNECTION_LOST && observation.kind.mayWrite();
      end(mayHaveHappened ? Outcome.UNKNOWN : Outcome.ABORTED);
      return;
    }
    note(after);
  }

  private void note(TransactionRules.AfterError after) {
    switch (after) {
      case GOES_ON -> {}
      case MUST_ROLL_BACK -> mustRollBack = inTransactionMode();
      case ROLLED_BACK -> {
        end(Outcome.ABORTED);
        explicit = false;
      }
      case CONNECTION_LOST -> lost = true;
    }
  }

  // ---------------------------------------------------------------- JDBC calls

  /** {@code setAutoCommit} succeeded. Switching it on commits what is open. */
  public synchronized void autoCommit(boolean on) {
    if (branch != null) {
      autoCommit = on; // of a branch, only its own end says what becomes of it
      return;
    }
    if (on && !autoCommit) {
      end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
      explicit = false;
    } else if (!on && autoCommit) {
      if (current != null && current.single) {
        end(Outcome.COMMITTED);
      }
    }
    autoCommit = on;
  }

  /** {@code commit} succeeded. */
  public synchronized void committed() {
    if (branch != null) {
      return;
    }
    end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
    explicit = false;
  }

  /** {@code commit}, or what stands for it, failed. */
  public synchronized void commitFailed(SQLException error) {
    if (branch != null || (autoCommit && !explicit)) {
      return; // there was nothing to commit: the driver complains of the call
    }
    if (mustRollBack || lost) {
      end(Outcome.ABORTED);
      explicit = false;
      return;
    }
    Optional<Outcome> outcome = rules.afterFailedCommit(error);
    if (outcome.isPresent()) {
      end(outcome.get());
      explicit = false;
    }
    lost |= TransactionRules.connectionLost(error);
  }

  /** {@code rollback} succeeded. */
  public synchronized void rolledBack() {
    if (branch != null) {
      return;
    }
    end(Outcome.ABORTED);
    explicit = false;
  }

  /** {@code rollback} failed: if the connection is gone, nothing stays either. */
  public synchronized void rollbackFailed(SQLException error) {
    if (branch != null || (autoCommit && !explicit)) {
      return; // there was nothing to roll back: the driver complains of the call
    }
    if (lost || TransactionRules.connectionLost(error)) {
      lost = true;
      rolledBack();
    }
  }

  /** The level of the transactions that begin from now on was set. */
  public synchronized void level(IsolationLevel newLevel) {
    if (rules.levelCommits() && !autoCommit) {
      committed();
    }
    level = newLevel;
  }

  /** The level of the transaction that is open, or that the next statement begins. */
  public synchronized IsolationLevel level() {
    return levelOnce == null ? level : levelOnce;
  }

  /** A savepoint was set. */
  public synchronized void savepoint(String savepoint) {
    savepoints.set(savepoint, current == null ? 0 : current.statements);
  }

  /** ROLLBACK TO a savepoint succeeded. */
  public synchronized void rolledBackTo(String savepoint) {
    int before = savepoints.goBackTo(savepoint);
    if (before < 0) {
      return;
    }
    mustRollBack = false;
    Transaction open = current;
    if (open == null || open.statements <= before) {
      return;
    }
    int first = before + 1;
    for (Observation observation : List.copyOf(open.open)) {
      if (observation.number >= first) {
        flush(observation);
      }
    }
    events.undone(open, first);
  }

  /** A savepoint was released. */
  public synchronized void released(String savepoint) {
    savepoints.release(savepoint);
  }

  /**
   * The connection is being closed: the DBMS rolls back what is open.
   *
   * @return false if it was closed before
   */
  public synchronized boolean closed() {
    if (closed) {
      return false;
    }
    if (current != null) {
      end(current.single ? Outcome.COMMITTED : Outcome.ABORTED);
    }
    branch = null;
    for (Branches.Branch gone : Branches.HERE.takeUnprepared(this)) {
      gone.ended(Outcome.ABORTED);
    }
    closed = true;
    sessionClosed();
    return true;
  }

  private void sessionClosed() {
    if (closed && waiting == 0) {
      events.closed();
    }
  }

  // ---------------------------------------------------------------- handles and branches

  /** A pooled connection gives out a handle, in this state. */
  public synchronized void handedOut(boolean on, IsolationLevel newLevel) {
    autoCommit = on;
    level = newLevel;
  }

  /** The handle was closed: the pool rolls back what is open, unless it is a branch's. */
  public synchronized void handedBack() {
    if (branch == null) {
      if (current != null) {
        end(current.single ? Outcome.COMMITTED : Outcome.ABORTED);
      }
      explicit = false;
    }
  }

  /** True while statements belong to a branch of a distributed transaction. */
  public synchronized boolean inBranch() {
    return branch != null;
  }

  /** {@code XA START}, also to join or resume: what follows belongs to the branch. */
  public synchronized void branchStarted(String id) {
    if (current != null) {
      end(current.single ? Outcome.COMMITTED : Outcome.UNKNOWN);
    }
    branch = id;
    for (Branches.Branch own : Branches.HERE.takeOwn(key(id), this)) {
      waiting--;
      current = own.transaction();
      mustRollBack = own.failed();
    }
  }

  /**
   * {@code XA END}, also to suspend: what follows does not belong to the branch.
   *
   * @param failed true if nothing but a rollback can follow
   */
  public void branchEnded(boolean failed) {
    synchronized (this) {
      String id = branch;
      if (id != null) {
        detach(id, failed, false);
      }
    }
    Branches.HERE.giveUp();
  }

  /** {@code XA PREPARE}: the branch outlives its session, and ends by its id. */
  public void prepared(String id) {
    synchronized (this) {
      if (branch == null && current != null && !current.single) {
        detach(id, false, true); // PREPARE TRANSACTION ends the work as well
        explicit = false;
      } else {
        Branches.HERE.prepared(key(id));
      }
    }
    Branches.HERE.giveUp();
  }

  /** A branch, of whatever session, has been committed or rolled back, or nobody knows. */
  public void branchOutcome(String id, Outcome outcome) {
    Branches.HERE.ended(key(id), outcome);
  }

  /** Ids are those of the server: whose tables a session sees is no part of its place. */
  private String key(String id) {
    return events.database().place().replaceFirst("#.*", "") + "\0" + id;
  }

  private void detach(String id, boolean failed, boolean prepared) {
    Transaction open = current;
    boolean mustBeRolledBack = failed || mustRollBack;
    branch = null;
    current = null;
    levelOnce = null;
    mustRollBack = false;
    savepoints.clear();
    ended.ended(false);
    if (open != null) {
      for (Observation observation : List.copyOf(open.open)) {
        flush(observation);
      }
      waiting++;
      Branches.HERE.add(key(id), new Branches.Branch(this, open, mustBeRolledBack, prepared));
    }
  }

  synchronized void branchDone(Transaction transaction, Outcome outcome) {
    waiting--;
    events.ended(transaction, outcome);
    sessionClosed();
  }

  // ---------------------------------------------------------------- transaction control as SQL

  /** A statement for the transaction's control succeeded. */
  public void controlled(TransactionControl control) {
    if (control instanceof TransactionControl.BranchStart start) {
      branchStarted(start.id());
    } else if (control instanceof TransactionControl.BranchEnd) {
      branchEnded(false);
    } else if (control instanceof TransactionControl.Prepare prepare) {
      prepared(prepare.id());
    } else if (control instanceof TransactionControl.BranchOutcome outcome) {
      branchOutcome(outcome.id(), outcome.committed() ? Outcome.COMMITTED : Outcome.ABORTED);
    } else {
      controlledHere(control);
    }
  }

  private synchronized void controlledHere(TransactionControl control) {
    if (current != null && current.single) {
      end(Outcome.COMMITTED);
    }
    if (control instanceof TransactionControl.Begin begin) {
      begun(begin);
    } else if (control instanceof TransactionControl.Commit commit) {
      end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
      explicit = commit.chain() && autoCommit;
    } else if (control instanceof TransactionControl.Rollback rollback) {
      end(Outcome.ABORTED);
      explicit = rollback.chain() && autoCommit;
    } else if (control instanceof TransactionControl.Savepoint savepoint) {
      savepoint(savepoint.name());
    } else if (control instanceof TransactionControl.RollbackTo rollbackTo) {
      rolledBackTo(rollbackTo.name());
    } else if (control instanceof TransactionControl.Release release) {
      released(release.name());
    } else if (control instanceof TransactionControl.SetTransaction set) {
      if (inTransactionMode() || !rules.setTransactionNeedsTransaction()) {
        levelOnce = set.level();
      }
    } else if (control instanceof TransactionControl.SetSession set) {
      level(set.level());
    } else if (control instanceof TransactionControl.SetAutocommit set) {
      autoCommit(set.on());
    } else if (control instanceof TransactionControl.ImplicitCommit) {
      end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
      explicit = false;
    }
  }

  private void begun(TransactionControl.Begin begin) {
    if (rules.beginCommits()) {
      end(Outcome.COMMITTED);
    }
    if (begin.level().isPresent()) {
      levelOnce = begin.level().get();
    }
    explicit = true;
    autoCommit |= rules.beginRestoresAutoCommit();
  }

  /** A statement for the transaction's control failed. */
  public synchronized void controlFailed(TransactionControl control, SQLException error) {
    if (control instanceof TransactionControl.Several) {
      // How far it came is not told. It may have committed on the way.
      end(Outcome.UNKNOWN);
      explicit = false;
      lost |= TransactionRules.connectionLost(error);
    } else if (control instanceof TransactionControl.Commit
        || (control instanceof TransactionControl.Prepare && branch == null && current != null)) {
      commitFailed(error);
    } else if (control instanceof TransactionControl.BranchOutcome) {
      lost |= TransactionRules.connectionLost(error); // it may be ended again
    } else if (control instanceof TransactionControl.ImplicitCommit) {
      if (rules.failedBeforeCommit(error)) {
        note(rules.afterError(error));
        return;
      }
      end(Outcome.UNKNOWN); // the DBMS may have committed before it failed, or not
      lost |= TransactionRules.connectionLost(error);
    } else if (control instanceof TransactionControl.SetAutocommit set && set.on()) {
      commitFailed(error);
    } else {
      note(rules.afterError(error));
    }
  }

  /**
   * A statement that was executed together with others, or that committed by itself (DDL on most),
   * and so was not told of before it was sent.
   *
   * @param alone true if it was a transaction of its own, whatever the mode
   */
  public synchronized Observation afterwards(
      StatementKind kind, String sql, String callSite, boolean alone) {
    if (alone && current == null) {
      start(upcoming, true);
      upcoming = ids.next();
      return add(kind, sql, callSite);
    }
    return begin(kind, sql, callSite);
  }

  // ---------------------------------------------------------------- gaps

  /** Counts something that was not observed, in the transaction that is open. */
  public synchronized void gap(GapReason reason, String detail) {
    gap(current == null ? 0 : current.id, reason, detail, 1);
  }

  void gap(long transaction, GapReason reason, String detail, long count) {
    events.gap(transaction, reason, detail, count);
  }

  // ---------------------------------------------------------------- inside

  /** True if statements join a transaction that somebody must end. */
  public synchronized boolean inTransactionMode() {
    return !autoCommit || explicit || branch != null;
  }

  /** True if the DBMS refuses everything but ROLLBACK. */
  public synchronized boolean mustRollBack() {
    return mustRollBack;
  }

  private void start(long id, boolean single) {
    Transaction begun = new Transaction(id, single);
    current = begun;
    IsolationLevel once = levelOnce;
    events.began(begun, once == null ? level : once);
  }

  private Observation add(StatementKind kind, String sql, String callSite) {
    Transaction open = java.util.Objects.requireNonNull(current);
    Observation observation = new Observation(this, open, ++open.statements, kind, sql, callSite);
    open.open.add(observation);
    return observation;
  }

  private void end(Outcome outcome) {
    Transaction ending = current;
    current = null;
    levelOnce = null;
    mustRollBack = false;
    savepoints.clear();
    ended.ended(outcome == Outcome.COMMITTED);
    if (ending == null) {
      return;
    }
    for (Observation observation : List.copyOf(ending.open)) {
      flush(observation);
    }
    events.ended(ending, outcome);
  }

  /** Ends an observation from outside: its result is not exhausted. */
  private void flush(Observation observation) {
    if (observation.end()) {
      tell(observation, !observation.kind.mayWrite(), null);
    }
  }

  private void tell(Observation observation, boolean writesSeen, @Nullable String sqlState) {
    observation.transaction.open.remove(observation);
    events.executed(observation, writesSeen, sqlState);
  }
}
