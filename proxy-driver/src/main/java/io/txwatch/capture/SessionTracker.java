package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.sql.TransactionControl;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongSupplier;

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

  /** Is told that a transaction ended. */
  public interface Ended {
    /** It ended, committed as far as is known or not. */
    void ended(boolean committed);
  }

  private final SessionState state;
  private final SessionEvents events;
  private final ControlTexts texts;
  private final SessionBranches branches;
  private boolean closed;

  /**
   * A session that has just been opened.
   *
   * @param name what people call it
   * @param autoCommit what the connection says
   * @param level what the connection says
   * @param micros the wall clock, in microseconds since 1970
   * @param ended is told of each end of a transaction, also of one without statements
   * @param pipeline where its events go, and its ids come from
   */
  public SessionTracker(
      String name,
      Database database,
      TransactionRules rules,
      boolean autoCommit,
      IsolationLevel level,
      LongSupplier micros,
      Ended ended,
      Pipeline pipeline) {
    Ids ids = pipeline.ids();
    this.events = new SessionEvents(ids.next(), name, database, micros, pipeline);
    this.state = new SessionState(rules, autoCommit, level, ids, ended, events);
    this.texts = new ControlTexts(this, state);
    this.branches = new SessionBranches(this, state);
  }

  // ---------------------------------------------------------------- statements

  /**
   * A statement is about to be sent. Begins a transaction if none is open.
   *
   * @param sql the text as histories show it
   */
  public synchronized Observation begin(StatementKind kind, String sql, String callSite) {
    beginIfNoneIsOpen();
    return state.add(this, kind, sql, callSite);
  }

  private void beginIfNoneIsOpen() {
    state.endSingle();
    if (state.current == null) {
      state.startUpcoming(!state.inTransactionMode());
    }
  }

  /**
   * Where the statement will stand that comes after {@code ahead} others, if so many come before it
   * in the transaction that is open, or that the next statement begins.
   */
  public synchronized Position next(int ahead) {
    if (!state.inTransactionMode()) {
      return Position.of(state.ids.next(), 1, true);
    }
    SessionState.Transaction open = state.current;
    return open == null || open.single
        ? Position.of(state.upcoming, ahead + 1, false)
        : Position.of(open.id, open.statements + ahead + 1, false);
  }

  /**
   * Where a statement that has yet to be sent will stand.
   *
   * @param transaction its transaction's id
   * @param statement its number in the transaction
   * @param alone true if it will be a transaction of its own
   * @param token the writer token that it will have
   */
  public record Position(long transaction, int statement, boolean alone, String token) {

    static Position of(long transaction, int statement, boolean alone) {
      return new Position(transaction, statement, alone, WriterToken.of(transaction, statement));
    }

    /** Where the {@code i}-th statement after this one stands, in the same transaction. */
    public Position after(int i) {
      return i == 0 ? this : of(transaction, statement + i, alone);
    }
  }

  /**
   * True if a batch that was given these positions, in their order, may be sent with them now. What
   * they leave out in between is no statement's number.
   */
  public synchronized boolean stillHolds(List<Position> positions) {
    boolean alone = !state.inTransactionMode();
    for (int i = 0; i < positions.size(); i++) {
      Position position = positions.get(i);
      if (position.alone() != alone) {
        return false;
      }
      if (!alone && missedBy(position, i) != 0) {
        return false;
      }
    }
    return true;
  }

  /** The id of the transaction that is open; 0 if none is. */
  public synchronized long open() {
    SessionState.Transaction open = state.current;
    return open == null || open.single ? 0 : open.id;
  }

  /**
   * How many statements have taken the places up to this one and beyond: so much further on it
   * would have held. Negative if no place in that transaction would have.
   */
  public synchronized int missedBy(Position position) {
    return position.alone() || !state.inTransactionMode() ? -1 : missedBy(position, 0);
  }

  private int missedBy(Position position, int before) {
    SessionState.Transaction open = state.current;
    if (open == null || open.single) {
      return position.transaction() == state.upcoming
          ? Math.max(0, before + 1 - position.statement())
          : -1;
    }
    return position.transaction() == open.id
        ? Math.max(0, open.statements + before + 1 - position.statement())
        : -1;
  }

  /** An item of a batch begins at the position that it was given. */
  public synchronized Observation begin(
      Position position, StatementKind kind, String sql, String callSite) {
    if (position.alone()) {
      if (state.current != null) {
        state.end(Outcome.COMMITTED);
      }
      state.start(position.transaction(), true);
    } else {
      beginIfNoneIsOpen();
      SessionState.Transaction open = Objects.requireNonNull(state.current);
      open.statements = Math.max(open.statements, position.statement() - 1);
    }
    Observation item = state.add(this, kind, sql, callSite);
    if (item.number() == position.statement()) {
      item.token(position.token());
    }
    return item;
  }

  /**
   * The transaction of an autocommitted batch's item has an outcome that cannot be told: the DBMS
   * may have undone it because of another item.
   */
  public synchronized void outcomeUnknown(Observation observation) {
    if (observation.end()) {
      state.tell(observation, false, null);
      if (observation.transaction.single && state.current == observation.transaction) {
        state.end(Outcome.UNKNOWN);
      }
    }
  }

  synchronized void succeeded(Observation observation, boolean writesSeen) {
    if (!observation.end()) {
      return;
    }
    observation.tellTarget();
    state.tell(observation, writesSeen && observation.rowsBeyond() == 0, null);
    if (observation.transaction.single && state.current == observation.transaction) {
      state.end(Outcome.COMMITTED);
    }
  }

  synchronized void failed(Observation observation, SQLException error) {
    TransactionRules.AfterError after = state.rules.afterError(error);
    boolean mine = state.current == observation.transaction;
    if (observation.end()) {
      String sqlState = error.getSQLState();
      state.tell(observation, true, sqlState == null ? "" : sqlState);
    }
    if (!mine) {
      return;
    }
    if (observation.transaction.single) {
      boolean mayHaveHappened =
          after == TransactionRules.AfterError.CONNECTION_LOST && observation.kind.mayWrite();
      state.end(mayHaveHappened ? Outcome.UNKNOWN : Outcome.ABORTED);
      return;
    }
    state.note(after);
  }

  // ---------------------------------------------------------------- JDBC calls

  /** {@code setAutoCommit} succeeded. Switching it on commits what is open. */
  public synchronized void autoCommit(boolean on) {
    if (state.branch != null) {
      state.autoCommit = on; // of a branch, only its own end says what becomes of it
      return;
    }
    if (on && !state.autoCommit) {
      state.commit();
      state.explicit = false;
    } else if (!on && state.autoCommit) {
      state.endSingle();
    }
    state.autoCommit = on;
  }

  /** {@code commit} succeeded. */
  public synchronized void committed() {
    if (state.branch != null) {
      return;
    }
    state.commit();
    state.explicit = false;
  }

  /** {@code commit}, or what stands for it, failed. */
  public synchronized void commitFailed(SQLException error) {
    if (state.hasNothingToEnd()) {
      return; // there was nothing to commit: the driver complains of the call
    }
    if (state.mustRollBack || state.lost) {
      state.end(Outcome.ABORTED);
      state.explicit = false;
      return;
    }
    Optional<Outcome> outcome = state.rules.afterFailedCommit(error);
    if (outcome.isPresent()) {
      state.end(outcome.get());
      state.explicit = false;
    }
    state.noteIfLost(error);
  }

  /** {@code rollback} succeeded. */
  public synchronized void rolledBack() {
    if (state.branch != null) {
      return;
    }
    state.end(Outcome.ABORTED);
    state.explicit = false;
  }

  /** {@code rollback} failed: if the connection is gone, nothing stays either. */
  public synchronized void rollbackFailed(SQLException error) {
    if (state.hasNothingToEnd()) {
      return; // there was nothing to roll back: the driver complains of the call
    }
    if (state.lost || TransactionRules.connectionLost(error)) {
      state.lost = true;
      rolledBack();
    }
  }

  /** The level of the transactions that begin from now on was set. */
  public synchronized void level(IsolationLevel newLevel) {
    if (state.rules.levelCommits() && !state.autoCommit) {
      committed();
    }
    state.level = newLevel;
  }

  /** The level of the transaction that is open, or that the next statement begins. */
  public synchronized IsolationLevel level() {
    return state.levelOnce == null ? state.level : state.levelOnce;
  }

  /** A savepoint was set. */
  public synchronized void savepoint(String savepoint) {
    state.savepoints.set(savepoint, state.current == null ? 0 : state.current.statements);
  }

  /** ROLLBACK TO a savepoint succeeded. */
  public synchronized void rolledBackTo(String savepoint) {
    int before = state.savepoints.goBackTo(savepoint);
    state.mustRollBack = false;
    if (before < 0) { // which statements were undone is not known
      state.savepoints.clear();
      gap(GapReason.BYPASS, "a savepoint that was not seen");
      return;
    }
    SessionState.Transaction open = state.current;
    if (open == null || open.statements <= before) {
      return;
    }
    int first = before + 1;
    for (Observation observation : List.copyOf(open.open)) {
      if (observation.number >= first) {
        state.flush(observation);
      }
    }
    events.undone(open, first);
  }

  /** A savepoint was released. */
  public synchronized void released(String savepoint) {
    state.savepoints.release(savepoint);
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
    try {
      if (state.current != null) {
        state.end(state.current.single ? Outcome.COMMITTED : Outcome.ABORTED);
      }
      state.branch = null;
      for (Branches.Branch gone : Branches.HERE.takeUnprepared(this)) {
        gone.ended(Outcome.ABORTED);
      }
      closed = true;
      sessionClosed();
    } finally {
      closed = true;
      events.release();
    }
    return true;
  }

  /**
   * The connection goes back to a pool of its driver's: the session ends, but for its branches,
   * which are still to be decided.
   *
   * @return false if a branch is under way, or the session was closed before
   */
  public synchronized boolean givenBack() {
    if (closed || state.branch != null) {
      return false;
    }
    handedBack();
    closed = true;
    sessionClosed();
    events.release();
    return true;
  }

  private void sessionClosed() {
    if (closed && !branches.isWaiting()) {
      events.closed();
    }
  }

  // ---------------------------------------------------------------- handles and branches

  /** A pooled connection gives out a handle, in this state. */
  public synchronized void handedOut(boolean on, IsolationLevel newLevel) {
    state.autoCommit = on;
    state.level = newLevel;
  }

  /** The handle was closed: the pool rolls back what is open, unless it is a branch's. */
  public synchronized void handedBack() {
    if (state.branch == null) {
      if (state.current != null) {
        state.end(state.current.single ? Outcome.COMMITTED : Outcome.ABORTED);
      }
      state.explicit = false;
    }
  }

  /** True while statements belong to a branch of a distributed transaction. */
  public synchronized boolean inBranch() {
    return state.branch != null;
  }

  /** {@code XA START}, also to join or resume: what follows belongs to the branch. */
  public synchronized void branchStarted(String id) {
    branches.started(id);
  }

  /**
   * {@code XA END}, also to suspend: what follows does not belong to the branch.
   *
   * @param failed true if nothing but a rollback can follow
   */
  public void branchEnded(boolean failed) {
    synchronized (this) {
      branches.ended(failed);
    }
    Branches.HERE.giveUp();
  }

  /** {@code XA PREPARE}: the branch outlives its session, and ends by its id. */
  public void prepared(String id) {
    synchronized (this) {
      branches.prepared(id);
    }
    Branches.HERE.giveUp();
  }

  /** A branch, of whatever session, has been committed or rolled back, or nobody knows. */
  public void branchOutcome(String id, Outcome outcome) {
    branches.outcome(id, outcome);
  }

  synchronized void branchDone(SessionState.Transaction transaction, Outcome outcome) {
    branches.done(transaction, outcome);
    sessionClosed();
  }

  // ---------------------------------------------------------------- transaction control as SQL

  /** A statement for the transaction's control succeeded. */
  public void controlled(TransactionControl control) {
    texts.succeeded(control);
  }

  /** A statement for the transaction's control failed. */
  public synchronized void controlFailed(TransactionControl control, SQLException error) {
    texts.failed(control, error);
  }

  /**
   * A statement that was executed together with others, or that committed by itself (DDL on most),
   * and so was not told of before it was sent.
   *
   * @param alone true if it was a transaction of its own, whatever the mode
   */
  public synchronized Observation afterwards(
      StatementKind kind, String sql, String callSite, boolean alone) {
    if (alone && state.current == null) {
      state.startUpcoming(true);
      return state.add(this, kind, sql, callSite);
    }
    return begin(kind, sql, callSite);
  }

  // ---------------------------------------------------------------- gaps

  /** Counts something that was not observed, in the transaction that is open. */
  public synchronized void gap(GapReason reason, String detail) {
    gap(state.current == null ? 0 : state.current.id, reason, detail, 1);
  }

  /** The transaction that is open has written a version that does not bear its name. */
  public synchronized void wroteUnnamed() {
    SessionState.Transaction open = state.current;
    if (open != null) {
      open.mayHaveWrittenUnnamed(open.statements);
    }
  }

  synchronized void gap(long transaction, GapReason reason, String detail, long count) {
    events.gap(transaction, reason, detail, count);
  }

  // ---------------------------------------------------------------- what is asked of it

  /** True if statements join a transaction that somebody must end. */
  public synchronized boolean inTransactionMode() {
    return state.inTransactionMode();
  }

  /** True if no statement, no savepoint and no level of its own stands for the transaction. */
  public synchronized boolean isUntouched() {
    return open() == 0 && state.savepoints.isEmpty() && state.levelOnce == null;
  }

  /** True if transactions of this session read from one snapshot until they end. */
  public synchronized boolean keepsSnapshot() {
    return state.rules.keepsSnapshot(level());
  }

  /** True if a transaction or statement is open that reads from one snapshot until it ends. */
  public synchronized boolean holdsSnapshot() {
    boolean open = state.current != null || state.explicit || state.branch != null;
    return open && keepsSnapshot();
  }

  /** True if the DBMS refuses everything but ROLLBACK. */
  public synchronized boolean mustRollBack() {
    return state.mustRollBack;
  }
}
