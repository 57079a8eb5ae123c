package io.txwatch.capture;

import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.history.TransactionEvents;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.TransactionControl;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transaction state of a session: whether a transaction is open, which one, and how it would
 * end. Guarded by the lock of its {@link SessionTracker}.
 */
final class SessionState {

  /** The maximum number of open results per transaction. */
  private static final int MAX_OPEN_RESULTS = 256;

  /** An open transaction. */
  static final class Transaction {

    /** The maximum number of statements whose recordings are kept until the transaction ends. */
    private static final int MAX_RECORDED = 64;

    final long id;

    /** True for an autocommitted statement, which is a transaction of its own. */
    final boolean single;

    int statements;

    /** Whether the values of its statements are recorded; null until its first one is executed. */
    @Nullable Boolean recordsValues;

    /**
     * The first of its statements that may have written versions without its token; what it reads
     * from then on may be its own version, whatever the token.
     */
    int unnamedSince = Integer.MAX_VALUE;

    /** The id by the DBMS under which it was last seen to write; 0 if none was. */
    long lastIdByDbms;

    /** True once a statement of it has written rows that were not observed. */
    boolean hasUnseenWrites;

    /** True once a statement of it has surely used a table. */
    boolean usesTables;

    /** True once the history contains the id that the DBMS gave to it as a whole. */
    boolean isIdentified;

    /** True once the DBMS may have rolled back, on its own, what was done so far. */
    boolean mayBeRolledBack;

    /** True once a statement may have committed what was done before it. */
    boolean mayBeCommitted;

    final TransactionEvents events;

    final List<Observation> open = new ArrayList<>(2);

    /** A time before which its end was not sent. */
    private long endSentAfter;

    /** Of a statement that is a transaction of its own; null if they are not known. */
    private @Nullable ObservedValues onlyValues;

    /** Of its newest statements that have ended: more of their results may be read. */
    private final ArrayDeque<Recorded> recorded = new ArrayDeque<>(0);

    /**
     * Begins it.
     *
     * @param nanos a time before which nothing of it was sent
     */
    Transaction(long id, boolean single, TransactionEvents events, long nanos) {
      this.events = events;
      this.id = id;
      this.single = single;
      this.endSentAfter = nanos;
    }

    /** The recording of a statement. */
    record Recorded(int statement, StatementRecording recording) {}

    /**
     * A statement has ended whose parameters and values are recorded.
     *
     * @return the recording that is to be emitted to make room; null if there is room
     */
    @Nullable Recorded keep(int statement, StatementRecording recording) {
      recorded.add(new Recorded(statement, recording));
      return recorded.size() > MAX_RECORDED ? recorded.poll() : null;
    }

    /** The next recording that is to be emitted when the transaction ends; null at the end. */
    @Nullable Recorded nextRecorded() {
      return recorded.poll();
    }

    /** The values of a statement are known, and when it was executed. */
    void executed(ObservedValues values, boolean succeeded) {
      if (single) {
        onlyValues = values;
      } else if (succeeded) {
        endSentAfter(values.returnedAt());
      }
    }

    /** Its end was not sent before that time. */
    void endSentAfter(long nanos) {
      if (nanos - endSentAfter > 0) {
        endSentAfter = nanos;
      }
    }

    /** When its end was sent, or earlier. */
    long endSentAt() {
      return onlyValues == null ? endSentAfter : onlyValues.sentAt();
    }

    /** When the DBMS had ended it, or later. */
    long endReturnedAt() {
      return onlyValues == null ? System.nanoTime() : onlyValues.returnedAt();
    }

    /** The outcome of the whole of it, after its end had that outcome. */
    Outcome outcomeOfAll(Outcome ofEnd) {
      return switch (ofEnd) {
        case COMMITTED -> mayBeRolledBack || mayBeCommitted ? Outcome.UNKNOWN : ofEnd;
        case ABORTED -> mayBeCommitted ? Outcome.UNKNOWN : ofEnd;
        case UNKNOWN -> ofEnd;
      };
    }

    /** A statement may have written versions without the transaction's token. */
    void mayHaveWrittenUnnamed(int statement) {
      unnamedSince = Math.min(unnamedSince, statement);
    }
  }

  /**
   * Statements that were sent together, and are noted once all were executed. Their last
   * transaction begins before: until its events arrive, what the DBMS records may be of any of
   * them.
   */
  private static final class Ahead {
    private final long id;
    private final TransactionEvents events;
    private final IsolationLevel level;
    private final long nanos = System.nanoTime();

    /** True once a statement of it was noted. */
    private boolean isTaken;

    Ahead(long id, TransactionEvents events, IsolationLevel level) {
      this.id = id;
      this.events = events;
      this.level = level;
    }
  }

  final TransactionRules rules;
  final Ids ids;
  final SessionEvents events;
  private final SessionTracker.TransactionListener ended;

  boolean autoCommit;

  /** True after BEGIN. */
  boolean explicit;

  /** The level of the transactions that begin from now on. */
  IsolationLevel level;

  /** The level of the open or next transaction, if it differs. */
  @Nullable IsolationLevel levelOnce;

  /** True if the open transaction has set the session's level, and a rollback would undo that. */
  private boolean levelIsUncommitted;

  /** True if settings that change what a level guarantees may have been changed. */
  private boolean isGuaranteeUnknown;

  /** True if the session's level may be changed by what is not seen. */
  private boolean levelIsUnstable;

  @Nullable Transaction current;

  /** The id of the next transaction. */
  long upcoming;

  /** What was sent and is not noted yet; null if all is. */
  private @Nullable Ahead ahead;

  final Savepoints savepoints = new Savepoints();

  final RecentStatements recent = new RecentStatements();

  /** True if the DBMS accepts only ROLLBACK. */
  boolean mustRollBack;

  /** True between LOCK TABLES and UNLOCK TABLES. */
  boolean holdsTableLocks;

  /** True once the connection was lost, until a statement succeeds: its driver has reconnected. */
  boolean lost;

  /** True if the session that begins with a new connection has begun. */
  private boolean isAfterLoss;

  /** The branch of a distributed transaction that statements belong to; null if none is active. */
  @Nullable String branch;

  /**
   * Creates the state of a new session.
   *
   * @param autoCommit the connection's autocommit mode
   * @param level the connection's isolation level
   * @param ended called at each end of a transaction, also of one without statements
   */
  SessionState(
      TransactionRules rules,
      boolean autoCommit,
      IsolationLevel level,
      Ids ids,
      SessionTracker.TransactionListener ended,
      SessionEvents events) {
    this.rules = rules;
    this.autoCommit = autoCommit;
    this.level = level;
    this.ids = ids;
    this.ended = ended;
    this.events = events;
    this.upcoming = ids.next();
  }

  /** True if statements join a transaction that must be ended explicitly. */
  boolean inTransactionMode() {
    return !autoCommit || explicit || branch != null;
  }

  /** True if a commit or rollback would fail because no transaction is open. */
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
    renewAfterLoss();
    Ahead sent = ahead;
    if (sent != null && sent.id == id && !sent.isTaken) {
      sent.isTaken = true;
      if (sent.level != currentLevel()) {
        sent.events.level(currentLevel());
      }
      current = new Transaction(id, single, sent.events, sent.nanos);
    } else {
      long nanos = sent == null ? System.nanoTime() : sent.nanos;
      current = new Transaction(id, single, events.began(id, currentLevel()), nanos);
    }
  }

  /** Several statements are about to be sent that are noted afterwards. */
  void sending(long id) {
    noted(Outcome.UNKNOWN);
    renewAfterLoss();
    ahead = new Ahead(id, events.began(id, currentLevel()), currentLevel());
  }

  /**
   * All of them are noted that were executed.
   *
   * @param outcome of the transaction that has begun before they were sent, if none is its
   *     statement
   */
  void noted(Outcome outcome) {
    Ahead sent = ahead;
    ahead = null;
    if (sent != null && !sent.isTaken) {
      events.ended(new Transaction(sent.id, true, sent.events, sent.nanos), outcome);
    }
  }

  private void renewAfterLoss() {
    if (lost && !isAfterLoss) {
      isAfterLoss = true;
      level = IsolationLevel.UNKNOWN;
      noted(Outcome.UNKNOWN);
      events.reconnected(ids.next());
    }
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

  /** Ends the observation of the oldest open result; rows read from it later are gaps. */
  private void flushOldestQuery(Transaction transaction) {
    for (Observation observation : transaction.open) {
      if (!observation.kind.mayWrite()) {
        flush(observation);
        return;
      }
    }
  }

  /** An autocommitted query with an open result ends when the next statement begins. */
  void endSingle() {
    if (current != null && current.single) {
      end(Outcome.COMMITTED);
    }
  }

  /** Ends the transaction as committed, unless the DBMS can only roll it back. */
  void commit() {
    end(mustRollBack ? Outcome.ABORTED : Outcome.COMMITTED);
  }

  /** BEGIN was executed. */
  void begin(TransactionControl.Begin begin) {
    if (rules.beginCommits()) {
      boolean isNext = current == null && !explicit; // a level was set for what begins now
      @Nullable IsolationLevel next = levelOnce;
      end(Outcome.COMMITTED);
      levelOnce = isNext ? next : null;
    }
    if (begin.level().isPresent()) {
      levelOnce = begin.level().get();
    }
    explicit = true;
    holdsTableLocks = false;
    autoCommit |= rules.beginRestoresAutoCommit();
  }

  /** The end of the open transaction is about to be sent. */
  void endSent() {
    if (current != null) {
      current.endSentAfter(System.nanoTime());
    }
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
   * Detaches and returns the open transaction; later statements do not belong to it.
   *
   * @param committed as far as is known
   */
  @Nullable Transaction leave(boolean committed) {
    Transaction detached = current;
    levelOnce = levelOfNext(detached);
    current = null;
    if (levelIsUnstable || (levelIsUncommitted && !committed)) {
      level = IsolationLevel.UNKNOWN;
    }
    levelIsUncommitted = false;
    mustRollBack = false;
    savepoints.clear();
    ended.ended(committed);
    return detached;
  }

  /**
   * The level of the next transaction, if it differs from the session's. MySQL and MariaDB keep
   * what {@code SET TRANSACTION} has set until a transaction ends, which a statement without a
   * table does not begin, and of which a driver may spare the COMMIT.
   */
  private @Nullable IsolationLevel levelOfNext(@Nullable Transaction ending) {
    boolean isUsedUp = levelOnce == null || (level.isKnown() && levelOnce == level) || explicit;
    boolean mayStay = rules.levelTakesEffect() == TransactionRules.LevelTakesEffect.NEXT;
    return !mayStay || isUsedUp || (ending != null && ending.usesTables)
        ? null
        : IsolationLevel.UNKNOWN;
  }

  /** The level of the transaction that is open, or that the next statement begins. */
  IsolationLevel currentLevel() {
    if (isGuaranteeUnknown) {
      return IsolationLevel.UNKNOWN;
    }
    return levelOnce == null ? level : levelOnce;
  }

  /**
   * The session's level was set.
   *
   * @param byText false if by the driver, which does so outside of transactions where a rollback
   *     would undo it
   */
  void setLevel(IsolationLevel newLevel, boolean byText) {
    boolean isOpen = explicit || branch != null || (current != null && !current.single);
    switch (rules.levelTakesEffect()) {
      case NEXT_IF_COMMITTED -> {
        if (isOpen || (byText && inTransactionMode())) {
          levelOnce = currentLevel();
          levelIsUncommitted = true;
        }
      }
      case NEXT -> {
        if (current != null && !current.single) {
          setLevelOfOpen(newLevel == currentLevel() ? newLevel : IsolationLevel.UNKNOWN);
        } else if (isOpen) {
          levelOnce = currentLevel();
        }
      }
      case IMMEDIATE -> {
        if (current != null && !current.single) {
          current.events.level(newLevel == currentLevel() ? newLevel : IsolationLevel.UNKNOWN);
        }
      }
    }
    level = newLevel;
  }

  /** The level of the open transaction, or of the next one, was set. */
  void setLevelOnce(IsolationLevel newLevel) {
    boolean isOpen = current != null && !current.single;
    boolean isExact =
        rules.levelTakesEffect() == TransactionRules.LevelTakesEffect.NEXT_IF_COMMITTED;
    setLevelOfOpen(isOpen && !isExact ? IsolationLevel.UNKNOWN : newLevel);
  }

  private void setLevelOfOpen(IsolationLevel newLevel) {
    Transaction open = current;
    if (open != null && !open.single && newLevel != currentLevel()) {
      open.events.level(newLevel);
    }
    levelOnce = newLevel;
  }

  /** A statement may have changed a level to one that its text does not show. */
  void levelMayHaveChanged(LevelChange change) {
    boolean isOpen = inTransactionMode() && (current == null || !current.single);
    boolean mayBeOfOne =
        switch (rules.levelTakesEffect()) {
          case NEXT_IF_COMMITTED -> isOpen && change == LevelChange.ANY;
          case NEXT -> change == LevelChange.ANY;
          case IMMEDIATE -> false;
        };
    setLevel(IsolationLevel.UNKNOWN, true);
    if (mayBeOfOne) {
      setLevelOfOpen(IsolationLevel.UNKNOWN);
    }
    isGuaranteeUnknown |=
        change == LevelChange.ANY
            && rules.levelTakesEffect() == TransactionRules.LevelTakesEffect.NEXT;
  }

  /** From now on the level may change without being noticed. */
  void levelIsUnstable() {
    levelIsUnstable = true;
    levelMayHaveChanged(LevelChange.ANY);
  }

  /** The DBMS was queried for the session's level, outside of a transaction. */
  void foundLevel(IsolationLevel found) {
    level = found;
    isGuaranteeUnknown &= !found.isKnown();
  }

  /** A savepoint was rolled back to, and a change of the level maybe with it. */
  void rolledBackToSavepoint() {
    if (levelIsUncommitted) {
      level = IsolationLevel.UNKNOWN;
    }
  }

  /** True if the level is not known, and the DBMS can be queried for it now. */
  boolean awaitsLevel() {
    return (isGuaranteeUnknown || !level.isKnown())
        && levelOnce == null
        && current == null
        && !explicit
        && branch == null
        && !mustRollBack
        && savepoints.isEmpty();
  }

  /** Applies the effect of an error to the transaction. */
  void note(TransactionRules.AfterError after) {
    switch (after) {
      case GOES_ON -> {}
      case MUST_ROLL_BACK -> mustRollBack = inTransactionMode();
      case ROLLED_BACK -> {
        end(Outcome.ABORTED);
        explicit = false;
      }
      case MAY_BE_ROLLED_BACK -> {
        if (current != null) {
          current.mayBeRolledBack = true;
        }
      }
      case CONNECTION_LOST -> lost = true;
    }
  }

  /** A statement has succeeded: if the connection was lost, its driver has opened another one. */
  void noteConnected() {
    lost = false;
    isAfterLoss = false;
  }

  /** Records whether an error indicates a lost connection. */
  void noteIfLost(SQLException error) {
    lost |= TransactionRules.connectionLost(error);
  }

  /** Ends a transaction's observations, although their results are not exhausted. */
  void flush(Transaction transaction) {
    for (Observation observation : List.copyOf(transaction.open)) {
      flush(observation);
    }
  }

  /** Ends an observation, although its result is not exhausted. */
  void flush(Observation observation) {
    if (observation.end()) {
      recordStatement(observation, !observation.kind.mayWrite(), null);
    }
  }

  private static boolean usesTable(Observation observation) {
    return switch (observation.kind) {
      case INSERT, REPLACE, UPDATE, DELETE, MERGE -> true;
      case SELECT, LOCKING_SELECT, DDL, OTHER -> !observation.columns().isEmpty();
    };
  }

  /** Emits the event of an observation that has ended. */
  void recordStatement(Observation observation, boolean writesSeen, @Nullable String sqlState) {
    observation.transaction.open.remove(observation);
    recent.ended(observation);
    observation.transaction.usesTables |= sqlState == null && usesTable(observation);
    observation.transaction.hasUnseenWrites |=
        sqlState == null && !writesSeen && observation.kind.mayWrite();
    ObservedValues values = observation.values();
    if (values != null) {
      observation.transaction.executed(values, sqlState == null);
    }
    events.executed(observation, writesSeen, sqlState);
  }
}
