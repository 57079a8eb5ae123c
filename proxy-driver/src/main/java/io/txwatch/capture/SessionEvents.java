package io.txwatch.capture;

import io.txwatch.history.Cluster;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.Ids;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.TransactionEvents;
import io.txwatch.history.VersionSet;
import java.util.List;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Emits the events of one session in order; the session's opening precedes the first of them.
 * Guarded by the session's lock.
 */
final class SessionEvents {

  private long session;

  /** The number of its connection, as the DBMS gave it; 0 if it is not known. */
  private long connection;

  /** True if versions are known by value: the ends of transactions are timed. */
  private boolean timesEnds;

  private boolean statesWrites;

  private LongConsumer ends = nanos -> {};

  private final String name;
  private Database database;
  private final LongSupplier micros;
  private final Pipeline pipeline;
  private @Nullable EventSink sink;
  private boolean opened;

  /**
   * Emits nothing yet.
   *
   * @param name the session's display name
   * @param micros the wall clock, in microseconds since 1970
   */
  SessionEvents(
      long session, String name, Database database, LongSupplier micros, Pipeline pipeline) {
    this.session = session;
    this.name = name;
    this.database = database;
    this.micros = micros;
    this.pipeline = pipeline;
    this.sink = pipeline.acquire();
  }

  /**
   * The driver may have replaced a lost connection by another one to a server of which nothing is
   * known: what follows is another session, and is related to no other.
   */
  void reconnected(long newSession) {
    closed();
    session = newSession;
    connection = 0;
    database = database.in("unknown " + Ids.display(newSession)).of(Cluster.UNKNOWN);
    opened = false;
  }

  /**
   * The connection is closed. Events may still follow for a branch whose outcome is decided later.
   */
  void release() {
    EventSink acquired = sink;
    sink = null;
    if (acquired != null) {
      pipeline.release(acquired);
    }
  }

  /**
   * Versions are known by value.
   *
   * @param connectionNumber the number that the DBMS gave to the connection; 0 if it is not known
   * @param newEnds receives the time of each end of a transaction
   */
  void areByValue(long connectionNumber, LongConsumer newEnds) {
    timesEnds = true;
    ends = newEnds;
    connection = connectionNumber;
  }

  /** No record of changes is read: versions are known from what statements state. */
  void statesWrites() {
    statesWrites = true;
  }

  boolean timesEnds() {
    return timesEnds;
  }

  /** The session's id. */
  long session() {
    return session;
  }

  /** The DBMS at the other end. */
  Database database() {
    return database;
  }

  /** Begins a transaction, whose further events go through the returned object. */
  TransactionEvents began(long transaction, IsolationLevel level) {
    return new TransactionEvents(
        pipeline.shedding(),
        this::send,
        session,
        transaction,
        level,
        micros.getAsLong(),
        TransactionNames.current(),
        TraceIds.current());
  }

  /** COMMIT failed. */
  void commitFailed(SessionState.Transaction transaction, @Nullable String sqlState) {
    transaction.events.commitFailed(
        new Event.CommitFailed(session, transaction.id, sqlState == null ? "" : sqlState));
  }

  void ended(SessionState.Transaction transaction, Outcome outcome) {
    for (var next = transaction.nextRecorded(); next != null; next = transaction.nextRecorded()) {
      recorded(transaction, next);
    }
    if (timesEnds) {
      long returned = transaction.endReturnedAt();
      transaction.events.endTimed(
          new Event.EndTimed(session, transaction.id, transaction.endSentAt(), returned));
      ends.accept(returned);
    }
    transaction.events.ended(
        session, transaction.id, transaction.outcomeOfAll(outcome), micros.getAsLong());
  }

  void undone(SessionState.Transaction transaction, int firstStatement) {
    transaction.events.undone(
        new Event.StatementsUndone(
            session, transaction.id, firstStatement, transaction.statements));
  }

  void identified(SessionState.Transaction transaction, long idByDbms) {
    transaction.events.identified(
        new Event.TransactionIdentified(session, transaction.id, idByDbms));
  }

  /** Notes the key of a row; true if it is to be {@linkplain #named emitted}. */
  boolean isNewKey(String table, long row, long bits) {
    return pipeline.isNewKey(database, table, row, bits);
  }

  /** Emits the key of a row. */
  void named(String table, long row, String key) {
    send(new Event.RowNamed(session, table, row, key));
  }

  /** Withdraws the keys of a table's rows. */
  void renamed(String table) {
    if (pipeline.recordedRowNames().renamed(table)) {
      send(new Event.RowNamed(session, table, 0, ""));
    }
  }

  /** Emits a gap, in a transaction or in none. */
  void gap(
      SessionState.@Nullable Transaction transaction, GapReason reason, String detail, long count) {
    if (transaction == null) {
      send(new Event.Gap(session, 0, reason, detail, count));
    } else {
      transaction.events.gap(new Event.Gap(session, transaction.id, reason, detail, count));
    }
  }

  /** Emits the session's last event, if it has emitted any. */
  void closed() {
    if (opened) {
      send(new Event.SessionClosed(session));
    }
  }

  /** Emits the event of a statement whose observation has ended. */
  void executed(Observation observation, boolean writesSeen, @Nullable String sqlState) {
    SessionState.Transaction of = observation.transaction;
    GapReason reason = observation.gapReason();
    if (reason != null && !(sqlState != null && isRefusal(reason, sqlState))) {
      gap(of, reason, observation.gapDetail(), 1);
    }
    if (observation.droppedRowCount() > 0) {
      gap(of, GapReason.OVERFLOW, observation.droppedRowCount() + " rows of one statement", 1);
    }
    List<VersionSet> versionSets = sqlState == null ? observation.takeVersionSets() : List.of();
    of.events.executed(
        new Event.StatementExecuted(
            session,
            of.id,
            observation.number,
            observation.kind,
            observation.sql,
            observation.callSite,
            sqlState == null || observation.rowsHoldAfterFailure()
                ? observation.takeRows()
                : List.of(),
            writesSeen,
            sqlState,
            versionSets,
            observation.columns(),
            observation.keyValues()),
        sqlState == null ? valuesOf(observation) : null);
    Observation.Deadlock deadlock = observation.deadlock();
    if (deadlock != null) {
      of.events.deadlocked(
          new Event.Deadlocked(
              session, of.id, observation.number, deadlock.named(), deadlock.others()));
    }
    observation.waits(session).forEach(of.events::waited);
    StatementRecording recording = observation.recording();
    if (recording != null) {
      recorded(of, of.keep(observation.number, recording));
    }
  }

  private void recorded(
      SessionState.Transaction of, SessionState.Transaction.@Nullable Recorded next) {
    if (next != null) {
      of.events.recorded(next.recording().take(session, of.id, next.statement()));
    }
  }

  private Event.@Nullable ValuesObserved valuesOf(Observation observation) {
    ObservedValues values = observation.values();
    return values == null
        ? null
        : values.take(session, observation.transaction.id, observation.number);
  }

  /** True if the DBMS itself rejected a text that was not recognized or names a missing object. */
  private static boolean isRefusal(GapReason reason, String sqlState) {
    return reason == GapReason.NOT_UNDERSTOOD || sqlState.startsWith("42");
  }

  private void send(Event event) {
    EventSink acquired = sink;
    if (acquired != null) {
      send(event, acquired);
      return;
    }
    EventSink again = pipeline.acquire();
    send(event, again);
    pipeline.release(again);
  }

  private void send(Event event, EventSink to) {
    open(to);
    to.accept(event);
  }

  /**
   * Emits the first event of a session to a standby at once. The analysis remembers what happens on
   * a primary only once it knows of a standby.
   */
  void announceStandby() {
    EventSink to = sink;
    if (to != null && database.cluster().isStandby()) {
      open(to);
    }
  }

  private void open(EventSink to) {
    if (!opened) {
      opened = true;
      to.accept(new Event.SessionOpened(session, name, database));
      if (connection != 0) {
        to.accept(new Event.SessionIdentified(session, connection));
      }
      if (statesWrites) {
        to.accept(new Event.WritesStated(session));
      }
    }
  }
}
