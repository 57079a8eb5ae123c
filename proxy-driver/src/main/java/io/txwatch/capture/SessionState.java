package io.txwatch.capture;

import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.TransactionControl;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a session's next statement meets: whether a transaction is open, which one, and what would
 * become of it. To be used with the session's lock, which is that of its {@link SessionTracker}.
 */
final class SessionState {

  /** So many results of one transaction are read at a time. */
  private static final int MAX_OPEN_RESULTS = 256;

  /** A transaction that is open. */
  static final class Transaction {
    final long id;

    /** True for an autocommitted statement, which is a transaction of its own. */
    final boolean single;

    int statements;

    /**
     * The first of its statements that may have written versions without its name; what it reads
     * from then on may be its own, whatever name it bears.
     */
    int unnamedSince = Integer.MAX_VALUE;

    /** Events sent, its own end left out. */
    int events;

    final List<Observation> open = new ArrayList<>(2);

    Transaction(long id, boolean single) {
      this.id = id;
      this.single = single;
    }

    /** A statement may have written versions without the transaction's name. */
    void mayHaveWrittenUnnamed(int statement) {
      unnamedSince = Math.min(unnamedSince, statement);
    }
  }

  final TransactionRules rules;
  final Ids ids;
  final SessionEvents events;
  private final SessionTracker.Ended ended;

  boolean autoCommit;

  /** True after BEGIN. */
  boolean explicit;

  /** The level of the transactions that begin from now on. */
  IsolationLevel level;

  /** The level of the one that is open, or of the next, if it is another. */
  @Nullable IsolationLevel levelOnce;

  @Nullable Transaction current;

  /** The id of the next transaction. */
  long upcoming;

  final Savepoints savepoints = new Savepoints();

  /** True if the DBMS refuses everything but ROLLBACK. */
  boolean mustRollBack;

  /** True once the connection was lost. */
  boolean lost;

  /** The branch of a distributed transaction that statements belong to; null if none is active. */
  @Nullable String branch;

  /**
   * A session that has just been opened.
   *
   * @param autoCommit what the connection says
   * @param level what the connection says
   * @param ended is told of each end of a transaction, also of one without statements
   */
  SessionState(
      TransactionRules rules,
      boolean autoCommit,
      IsolationLevel level,
      Ids ids,
      SessionTracker.Ended ended,
      SessionEvents events) {
    this.rules = rules;
    this.autoCommit = autoCommit;
    this.level = level;
    this.ids = ids;
    this.ended = ended;
    this.events = events;
    this.upcoming = ids.next();
  }

  /** True if statements join a transaction that somebody must end. */
  boolean inTransactionMode() {
    return !autoCommit || explicit || branch != null;
  }

  /** True if a call to end a transaction has none to end, of which the driver complains. */
  boolean hasNothingToEnd() {
    return branch != null || (autoCommit && !explicit);
  }

  /** Begins the next transaction. */
  void startUpcoming(boolean single) {
    start(upcoming, single);
    upcoming = ids.next();
  }

  /** Begins a transaction. */
  void start(long id, boolean single) {
    Transaction begun = new Transaction(id, single);
    current = begun;
    IsolationLevel once = levelOnce;
    events.began(begun, once == null ? level : once);
  }

  /** Adds a statement to the transaction that is open. */
  Observation add(SessionTracker tracker, StatementKind kind, String sql, String callSite) {
    Transaction open = java.util.Objects.requireNonNull(current);
    Observation observation =
        new Observation(tracker, open, ++open.statements, kind, sql, callSite);
    if (open.open.size() >= MAX_OPEN_RESULTS) {
      flushOldestQuery(open);
    }
    open.open.add(observation);
    return observation;
  }

  /** A result that nobody closes is read no further; rows that are read all the same are gaps. */
  private void flushOldestQuery(Transaction transaction) {
    for (Observation observation : transaction.open) {
      if (!observation.kind.mayWrite()) {
        flush(observation);
        return;
      }
    }
  }

  /** An autocommitted query whose result is still open ends where the next statement begins. */
  void endSingle() {
    if (current != null && current.single) {
      end(Outcome.COMMITTED);
    }
  }

  /** The transaction is committed, as far as that is possible. */
  void commit() {
    end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
  }

  /** BEGIN was executed. */
  void begin(TransactionControl.Begin begin) {
    if (rules.beginCommits()) {
      end(Outcome.COMMITTED);
    }
    if (begin.level().isPresent()) {
      levelOnce = begin.level().get();
    }
    explicit = true;
    autoCommit |= rules.beginRestoresAutoCommit();
  }

  /** The transaction that is open, if one is, has ended. */
  void end(Outcome outcome) {
    Transaction ending = leave(outcome == Outcome.COMMITTED);
    if (ending != null) {
      flush(ending);
      events.ended(ending, outcome);
    }
  }

  /**
   * What follows does not belong to the transaction that is open; gives it.
   *
   * @param committed as far as is known
   */
  @Nullable Transaction leave(boolean committed) {
    Transaction left = current;
    current = null;
    levelOnce = null;
    mustRollBack = false;
    savepoints.clear();
    ended.ended(committed);
    return left;
  }

  /** What an error did to the transaction. */
  void note(TransactionRules.AfterError after) {
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

  /** Notes whether an error says that the connection is lost. */
  void noteIfLost(SQLException error) {
    lost |= TransactionRules.connectionLost(error);
  }

  /** Ends a transaction's observations from outside: their results are not exhausted. */
  void flush(Transaction transaction) {
    for (Observation observation : List.copyOf(transaction.open)) {
      flush(observation);
    }
  }

  /** Ends an observation from outside: its result is not exhausted. */
  void flush(Observation observation) {
    if (observation.end()) {
      tell(observation, !observation.kind.mayWrite(), null);
    }
  }

  /** An observation has ended. */
  void tell(Observation observation, boolean writesSeen, @Nullable String sqlState) {
    observation.transaction.open.remove(observation);
    events.executed(observation, writesSeen, sqlState);
  }
}
