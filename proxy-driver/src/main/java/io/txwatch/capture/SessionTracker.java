package io.txwatch.capture;

import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.history.WriterToken;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.TransactionControl;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Tracks a session's transactions: a state machine driven by JDBC calls and transaction control
 * statements, which emits the session's events in order.
 *
 * <p>It depends on no database and no connection. A transaction begins with its first statement, so
 * an empty one emits no event. If it is unknown whether a transaction committed, its outcome is
 * {@link Outcome#UNKNOWN}; if it is unknown whether two statements share a transaction, they are
 * recorded in two: that may hide an anomaly but never forges one.
 *
 * <p>Each session has its own lock. It is almost never contended, so it costs some nanoseconds.
 */
public final class SessionTracker {

  /** A token that identifies no transaction. */
  public static final String NO_TRANSACTION_TOKEN = WriterToken.of(0, 0);

  /** Called when a transaction ends. */
  public interface TransactionListener {
    /** The transaction ended. */
    void ended(boolean committed);
  }

  private final SessionState state;
  private final SessionEvents events;
  private final TransactionControlHandler texts;
  private final SessionBranches branches;
  private boolean closed;

  /** The number that the DBMS gave to its connection; 0 if it is not known. */
  private volatile long number;

  private volatile @Nullable WaitReader waitReader;

  /** False while observation is switched off: nothing of ours is sent then. */
  private volatile boolean isObserved = true;

  /**
   * Creates the tracker of a new session.
   *
   * @param name its display name
   * @param autoCommit the connection's autocommit mode
   * @param level the connection's isolation level
   * @param micros the wall clock, in microseconds since 1970
   * @param ended called at each end of a transaction, also of one without statements
   * @param pipeline the destination of its events and the source of its ids
   */
  public SessionTracker(
      String name,
      Database database,
      TransactionRules rules,
      boolean autoCommit,
      IsolationLevel level,
      LongSupplier micros,
      TransactionListener ended,
      Pipeline pipeline) {
    Ids ids = pipeline.ids();
    this.events = new SessionEvents(ids.next(), name, database, micros, pipeline);
    this.state = new SessionState(rules, autoCommit, level, ids, ended, events);
    this.texts = new TransactionControlHandler(this, state);
    this.branches = new SessionBranches(this, state);
    events.announceStandby();
  }

  /**
   * Versions are known by value: the session's connection is identified, and the ends of its
   * transactions are timed.
   *
   * @param connection the number that the DBMS gave to the connection; 0 if it is not known
   * @param ends receives the time of each end of a transaction, by {@link System#nanoTime}
   */
  public synchronized void areByValue(long connection, LongConsumer ends) {
    events.areByValue(connection, ends);
  }

  /**
   * Its statements are considered when another session of the process is in a deadlock or waits.
   *
   * @param connection the number that the DBMS gave to the connection; 0 if it is not known
   * @param reader reads for whom its statements wait; null if nothing does
   */
  public void joins(RunningSessions sessions, long connection, @Nullable WaitReader reader) {
    number = connection;
    waitReader = connection == 0 ? null : reader;
    sessions.add(this);
  }

  /** Reads for whom its statements wait; null if nothing does, or observation is off. */
  @Nullable WaitReader waitReader() {
    return isObserved ? waitReader : null;
  }

  /** Observation was switched on or off. */
  public void observed(boolean isOn) {
    isObserved = isOn;
  }

  /** A statement that is executing. */
  record Running(long transaction, int statement) {}

  /**
   * The only statement that has been executing for some time; empty if there is none, or several,
   * as in a batch.
   */
  synchronized Optional<Running> running(long now, long minNanos) {
    SessionState.Transaction open = state.current;
    Running found = null;
    if (open != null) {
      for (Observation one : open.open) {
        if (one.isExecuting(now) && now - one.sentAt() >= minNanos) {
          if (found != null) {
            return Optional.empty();
          }
          found = new Running(open.id, one.number);
        }
      }
    }
    return Optional.ofNullable(found);
  }

  /**
   * A sample was taken of the waits for locks. Ignored if the statement has returned.
   *
   * @param holders for whom the statement waits; empty if it does not wait
   * @param nanos when that was begun, by {@link System#nanoTime}
   */
  synchronized void sampled(Running statement, List<Event.Waited.Holder> holders, long nanos) {
    SessionState.Transaction open = state.current;
    if (open != null && open.id == statement.transaction()) {
      for (Observation one : open.open) {
        if (one.number == statement.statement() && one.isExecuting(System.nanoTime())) {
          one.sampled(holders, nanos);
        }
      }
    }
  }

  /** The number that the DBMS gave to its connection; 0 if it is not known. */
  public long connectionNumber() {
    return number;
  }

  /**
   * A statement that was executing when a deadlock ended.
   *
   * @param mayLock whether it may wait for locks of rows, as far as its text shows
   * @param isOver whether it had returned before the error arrived, so that a COMMIT may follow
   */
  public record Executing(long transaction, int statement, boolean mayLock, boolean isOver) {}

  /**
   * The only statement that may have been executing when a deadlock ended.
   *
   * @param from when the statement that failed was sent, by {@link System#nanoTime}
   * @param to when it had returned
   */
  synchronized Optional<Executing> executing(long from, long to) {
    return Optional.ofNullable(state.recent.executing(state.current, from, to));
  }

  synchronized long session() {
    return events.session();
  }

  synchronized String place() {
    return events.database().place();
  }

  /** No record of changes is read for the session's database. */
  public synchronized void statesWrites() {
    events.statesWrites();
  }

  /** A call or statement is about to be sent that may end the open transaction. */
  public synchronized void endSent() {
    if (events.timesEnds()) {
      state.endSent();
    }
  }

  /** The outcome of a branch of any session is about to be sent. */
  public void branchEndSent(String id) {
    if (timesEnds()) {
      branches.endSent(id);
    }
  }

  private synchronized boolean timesEnds() {
    return events.timesEnds();
  }

  synchronized void endSent(SessionState.Transaction transaction, long nanos) {
    transaction.endSentAfter(nanos);
  }

  /** A transaction control statement is about to be sent. */
  public void controlSent(TransactionControl control) {
    if (control instanceof TransactionControl.BranchOutcome outcome) {
      branchEndSent(outcome.id());
    } else {
      endSent();
    }
    if (control instanceof TransactionControl.Several) {
      severalSent();
    }
  }

  /** A text is about to be sent that may execute a transaction from its beginning to its end. */
  private synchronized void severalSent() {
    if (events.timesEnds()) {
      state.endSingle();
      if (state.current == null) {
        state.sending(state.upcoming);
      }
    }
  }

  // ---------------------------------------------------------------- statements

  /**
   * A statement is about to be sent. Begins a transaction if none is open.
   *
   * @param sql the text as recorded in histories
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
   * Returns the position of the statement that follows {@code ahead} others in the open
   * transaction, or in the one that the next statement begins.
   */
  public synchronized Position next(int ahead) {
    if (!state.inTransactionMode()) {
      return nextAlone();
    }
    SessionState.Transaction open = state.current;
    return open == null || open.single
        ? Position.of(state.upcoming, ahead + 1, false)
        : Position.of(open.id, open.statements + ahead + 1, false);
  }

  /** Returns the position of a statement that is a transaction of its own, if it is sent as one. */
  public synchronized Position nextAlone() {
    return Position.of(state.ids.next(), 1, true);
  }

  /**
   * The position of a statement that is not sent yet.
   *
   * @param transaction its transaction's id
   * @param statement its number in the transaction
   * @param alone true if it will be autocommitted
   * @param token the writer token that it will have
   */
  public record Position(long transaction, int statement, boolean alone, String token) {

    static Position of(long transaction, int statement, boolean alone) {
      return new Position(transaction, statement, alone, WriterToken.of(transaction, statement));
    }

    /**
     * Returns the position of the {@code i}-th statement after this one in the same transaction.
     */
    public Position after(int i) {
      return i == 0 ? this : of(transaction, statement + i, alone);
    }
  }

  /**
   * True if a batch may be sent with these positions now. Numbers skipped between them are used by
   * no statement.
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

  /** True if the open transaction has written rows that were not observed, and has no known id. */
  public synchronized boolean hasUnseenWrites() {
    SessionState.Transaction open = state.current;
    return open != null
        && !open.single
        && !open.isIdentified
        && (open.hasUnseenWrites || open.open.stream().anyMatch(o -> o.kind.mayWrite()));
  }

  /** The DBMS gave that id to the open transaction as a whole. */
  public synchronized void identified(long idByDbms) {
    SessionState.Transaction open = state.current;
    if (open != null && !open.isIdentified) {
      open.isIdentified = true;
      events.identified(open, idByDbms);
    }
  }

  /**
   * A row was returned by its key. Cheap, and without a lock: for each such row.
   *
   * @param bits equal for equal keys of a table
   * @return true if the row is to be {@linkplain #named named}: its key is not recorded yet
   */
  public boolean isNewKey(String table, long row, long bits) {
    return events.isNewKey(table, row, bits);
  }

  /**
   * The key of a row is not recorded yet.
   *
   * @param key as {@link KeyText} shows it
   */
  public synchronized void named(String table, long row, String key) {
    events.named(table, row, key);
  }

  /** The rows of a table may have other keys than those that are recorded. */
  public synchronized void renamed(String table) {
    events.renamed(table);
  }

  /** True while the open transaction has no savepoint, and no known id. */
  public synchronized boolean isUnidentifiedWithoutSavepoint() {
    SessionState.Transaction open = state.current;
    return open != null && !open.single && !open.isIdentified && state.savepoints.isEmpty();
  }

  /** The id of the open transaction; 0 if none is open. */
  public synchronized long open() {
    SessionState.Transaction open = state.current;
    return open == null || open.single ? 0 : open.id;
  }

  /**
   * Returns by how many statements the position is outdated: a position that many statements later
   * would have been valid. Negative if no position in that transaction would be.
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

  /**
   * An autocommitted batch is about to be sent. If versions are known by value, its last item
   * begins now, and the others once the batch was executed: until the last one's events arrive, a
   * change that the DBMS recorded may be any item's.
   *
   * @param last the position of its last item
   */
  public synchronized void batchSent(Position last) {
    if (events.timesEnds()) {
      state.endSingle();
      state.sending(last.transaction());
    }
  }

  /** The items of a batch are noted. */
  public synchronized void batchNoted() {
    state.noted(Outcome.UNKNOWN);
  }

  /** Begins a batch item at its assigned position. */
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
   * Marks the outcome of an autocommitted batch item as unknown: the DBMS may have rolled it back
   * because of another item.
   */
  public synchronized void outcomeUnknown(Observation observation) {
    if (observation.end()) {
      state.recordStatement(observation, false, null);
      if (observation.transaction.single && state.current == observation.transaction) {
        state.end(Outcome.UNKNOWN);
      }
    }
  }

  synchronized void succeeded(Observation observation, boolean writesSeen) {
    if (!observation.end()) {
      return;
    }
    state.noteConnected();
    observation.reportTarget();
    state.recordStatement(observation, writesSeen && observation.droppedRowCount() == 0, null);
    if (observation.transaction.single && state.current == observation.transaction) {
      state.end(Outcome.COMMITTED);
    }
  }

  synchronized void failed(Observation observation, SQLException error) {
    TransactionRules.AfterError after = state.rules.afterError(error);
    boolean mine = state.current == observation.transaction;
    if (observation.end()) {
      String sqlState = error.getSQLState();
      state.recordStatement(observation, true, sqlState == null ? "" : sqlState);
    }
    if (!mine) {
      return;
    }
    if (observation.transaction.single) {
      boolean mayHaveHappened =
          (after == TransactionRules.AfterError.CONNECTION_LOST
                  || after == TransactionRules.AfterError.MAY_BE_ROLLED_BACK)
              && observation.kind.mayWrite();
      state.end(mayHaveHappened ? Outcome.UNKNOWN : Outcome.ABORTED);
      state.noteIfLost(error);
      return;
    }
    state.note(after);
  }

  // ---------------------------------------------------------------- JDBC calls

  /** {@code setAutoCommit} succeeded. Switching it on commits what is open. */
  public synchronized void autoCommit(boolean on) {
    if (state.branch != null) {
      state.autoCommit = on; // a branch ends only by its id
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

  /** {@code commit}, or an equivalent call, failed. */
  public synchronized void commitFailed(SQLException error) {
    if (state.hasNothingToEnd()) {
      return; // nothing to commit: the driver rejected the call
    }
    if (state.mustRollBack || state.lost) {
      state.end(Outcome.ABORTED);
      state.explicit = false;
      return;
    }
    Optional<Outcome> outcome = state.rules.afterFailedCommit(error);
    if (outcome.isPresent()) {
      if (state.current != null) {
        events.commitFailed(state.current, error.getSQLState());
      }
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

  /**
   * {@code rollback} failed; if the connection is lost, the transaction is rolled back
   * nevertheless.
   */
  public synchronized void rollbackFailed(SQLException error) {
    if (state.hasNothingToEnd()) {
      return; // nothing to roll back: the driver rejected the call
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
    } else if (state.rules.levelMayCommit() && state.current != null) {
      state.current.mayBeCommitted = true;
    }
    state.setLevel(newLevel, false);
  }

  /** The level of the transaction that is open, or that the next statement begins. */
  public synchronized IsolationLevel level() {
    return state.currentLevel();
  }

  /**
   * Something was executed, or failed, that may have changed a level to one that is not known: it
   * is unknown until it is {@linkplain #foundLevel found}.
   */
  public synchronized void levelMayHaveChanged(LevelChange change) {
    if (change != LevelChange.NONE) {
      state.levelMayHaveChanged(change);
    }
  }

  /** From now on the session's level may be changed by what is not seen. */
  public synchronized void levelIsUnstable() {
    state.levelIsUnstable();
  }

  /** True if the session's level is not known, and the DBMS can be queried for it now. */
  public synchronized boolean awaitsLevel() {
    return state.awaitsLevel();
  }

  /** The DBMS was queried for the session's level, outside of a transaction. */
  public synchronized void foundLevel(IsolationLevel found) {
    state.foundLevel(found);
  }

  /** A savepoint was set. */
  public synchronized void savepoint(String savepoint) {
    state.savepoints.set(savepoint, state.current == null ? 0 : state.current.statements);
  }

  /** ROLLBACK TO a savepoint succeeded. */
  public synchronized void rolledBackTo(String savepoint) {
    int before = state.savepoints.goBackTo(savepoint);
    state.mustRollBack = false;
    state.rolledBackToSavepoint();
    if (before < 0) { // the undone statements are unknown
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
   * The connection is being closed: the DBMS rolls back the open transaction.
   *
   * @return false if it was closed before
   */
  public synchronized boolean closed() {
    if (closed) {
      return false;
    }
    try {
      if (state.current != null) {
        state.end(state.current.single ? Outcome.COMMITTED : state.rules.afterClose());
      }
      state.branch = null;
      for (PendingBranches.Branch gone : PendingBranches.OF_THIS_PROCESS.takeUnprepared(this)) {
        gone.ended(Outcome.ABORTED);
      }
      closed = true;
      sessionClosed();
    } finally {
      closed = true;
      events.release();
      RunningSessions.OF_THIS_PROCESS.remove(this);
    }
    return true;
  }

  /**
   * The connection returns to a pool of its driver: the session ends, except for pending branches.
   *
   * @return false if a branch is active, or the session was closed before
   */
  public synchronized boolean givenBack() {
    if (closed || state.branch != null) {
      return false;
    }
    handedBack();
    closed = true;
    sessionClosed();
    events.release();
    RunningSessions.OF_THIS_PROCESS.remove(this);
    return true;
  }

  private void sessionClosed() {
    if (closed && !branches.isWaiting()) {
      events.closed();
    }
  }

  // ---------------------------------------------------------------- handles and branches

  /** A pooled connection returned a handle in this state. */
  public synchronized void handedOut(boolean on, IsolationLevel newLevel) {
    state.autoCommit = on;
    state.level = newLevel;
  }

  /**
   * The handle was closed: the pool rolls back the open transaction, unless it belongs to a branch.
   */
  public synchronized void handedBack() {
    if (state.branch == null) {
      if (state.current != null) {
        state.end(state.current.single ? Outcome.COMMITTED : state.rules.afterClose());
      }
      state.explicit = false;
    }
  }

  /** True while statements belong to a branch of a distributed transaction. */
  public synchronized boolean inBranch() {
    return state.branch != null;
  }

  /** {@code XA START}, also to join or resume: later statements belong to the branch. */
  public synchronized void branchStarted(String id) {
    branches.started(id);
  }

  /**
   * {@code XA END}, also to suspend: later statements do not belong to the branch.
   *
   * @param failed true if it can only be rolled back
   */
  public void branchEnded(boolean failed) {
    synchronized (this) {
      branches.ended(failed);
    }
    PendingBranches.OF_THIS_PROCESS.endOverflow();
  }

  /** {@code XA PREPARE}: the branch outlives its session, and ends by its id. */
  public void prepared(String id) {
    synchronized (this) {
      branches.prepared(id);
    }
    PendingBranches.OF_THIS_PROCESS.endOverflow();
  }

  /** A branch of any session was committed or rolled back, or its outcome is unknown. */
  public void branchOutcome(String id, Outcome outcome) {
    branches.outcome(id, outcome);
  }

  synchronized void branchDone(SessionState.Transaction transaction, Outcome outcome) {
    branches.done(transaction, outcome);
    sessionClosed();
  }

  // ---------------------------------------------------------------- transaction control as SQL

  /** A transaction control statement succeeded. */
  public void controlled(TransactionControl control) {
    texts.succeeded(control);
  }

  /** All parts of a text were noted that controls transactions. */
  public synchronized void controlNoted() {
    state.noted(Outcome.ABORTED);
  }

  /** A transaction control statement failed. */
  public synchronized void controlFailed(TransactionControl control, SQLException error) {
    texts.failed(control, error);
    state.noted(Outcome.UNKNOWN);
  }

  /**
   * Begins the observation of a statement after its execution, because it was executed together
   * with others or commits implicitly (DDL on most DBMSs).
   *
   * @param alone true if it was a separate transaction, regardless of the autocommit mode
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

  /** Emits a gap in the open transaction. */
  public synchronized void gap(GapReason reason, String detail) {
    events.gap(state.current, reason, detail, 1);
  }

  /** The open transaction has written a version without its token. */
  public synchronized void wroteUnnamed() {
    SessionState.Transaction open = state.current;
    if (open != null) {
      open.mayHaveWrittenUnnamed(open.statements);
    }
  }

  /** Emits a gap outside any transaction. */
  synchronized void gapOutside(GapReason reason, String detail) {
    events.gap(null, reason, detail, 1);
  }

  // ---------------------------------------------------------------- queries

  /** True if statements join a transaction that must be ended explicitly. */
  public synchronized boolean inTransactionMode() {
    return state.inTransactionMode();
  }

  /** True if transactions of this session read from one snapshot until they end. */
  public synchronized boolean keepsSnapshot() {
    return state.rules.keepsSnapshot(level());
  }

  /** True if a transaction or statement is open that reads from one snapshot until it ends. */
  public synchronized boolean holdsSnapshot() {
    boolean open = state.current != null || state.explicit; // XA START takes no snapshot
    return open && keepsSnapshot();
  }

  /**
   * True between LOCK TABLES and UNLOCK TABLES. MySQL and MariaDB then refuse other tables; and a
   * query of a table there makes MySQL 9.7 end when a foreign key is checked against that table.
   */
  public synchronized boolean holdsTableLocks() {
    return state.holdsTableLocks;
  }

  /** True if the DBMS accepts only ROLLBACK. */
  public synchronized boolean mustRollBack() {
    return state.mustRollBack;
  }
}
