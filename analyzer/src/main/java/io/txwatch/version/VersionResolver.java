package io.txwatch.version;

import io.txwatch.dependency.KnownChange;
import io.txwatch.dependency.KnownRow;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowValues;
import io.txwatch.rules.DbmsRules;
import io.txwatch.rules.registry.RulesRegistry;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Resolves the rows that statements read and wrote by value, in front of the analysis. Events of
 * other kinds pass in the order of their arrival. Not thread-safe.
 *
 * <p>A transaction that ends waits until the DBMS's record was read up to its end: only then is
 * known what it read and wrote. What arrives after that event waits behind it, so that the order
 * stays. An active transaction delays nothing. If the record does not come within {@value
 * #MAX_DELAY_NANOS} ns, or too many events wait, the transaction passes with what is known, which
 * is never more than what is certain.
 *
 * <p>Until the first event by value arrives, all events pass at once.
 */
public final class VersionResolver {

  /** How long a transaction's end waits for the record at most, by the times in events. */
  static final long MAX_DELAY_NANOS = 2_000_000_000L;

  /**
   * How long after a statement was sent its events are expected at most, when versions are kept.
   */
  static final long MAX_ARRIVAL_NANOS = 500_000_000L;

  /** The most events that wait. */
  static final int MAX_WAITING = 1 << 16;

  private static final int MAX_TICKS = 32;
  private static final int MAX_TRANSACTIONS = 1 << 14;
  private static final int CLOSED_SCOPES = 1 << 16;
  private static final long BYTES_PER_VERSION = 512;
  private static final long MIN_VERSIONS = 1 << 10;
  private static final long MAX_VERSIONS = 1 << 20;

  /** Receives the rows of statements, each before its transaction's end passes. */
  public interface Listener {

    /** Stands for the names of all tables of a database. */
    String ALL_TABLES = "";

    /** The rows of a statement. */
    void known(long session, long transaction, int statement, List<KnownRow> rows);

    /**
     * Of statements whose events stated that not all rows that they wrote were seen, it has become
     * known.
     */
    default void writesKnown(int statements) {}

    /**
     * Not all rows that a transaction read or wrote became known. Called after {@link #known}, and
     * before its end passes.
     *
     * @param tables where it may have written rows that no writers' list shows; {@link #ALL_TABLES}
     *     if that may be anywhere in its database
     */
    default void unresolved(long transaction, Set<String> tables) {}

    /**
     * A change matters to a query that chose rows by a condition. Both transactions have passed, or
     * are about to.
     */
    default void matters(KnownChange change) {}

    /**
     * A transaction that txwatch does not watch, which wrote rows that watched ones used.
     *
     * @param events all events of a session with that transaction alone. It ran at some time before
     */
    default void notWatched(List<Event> events) {}
  }

  private record Session(Scope scope, Database database, DbmsRules rules) {}

  /** A database that sessions are open to. */
  private final class Scope {
    private final String name;
    private int sessions;
    private final WatchedConnections watched = new WatchedConnections();

    /** Whether no record of its changes is read. */
    private boolean stated;

    private @Nullable RecordedRows record;

    private Scope(String name) {
      this.name = name;
      if (closedScopes.get(index(name))) {
        watched.lost(now); // changes of its sessions may be on their way
      }
      watched.shedding(shedding);
      if (bypassed) {
        watched.bypassed();
      }
    }

    private RecordedRows record() {
      RecordedRows known = record;
      if (known == null) {
        known = new RecordedRows(ids, watched, maxVersions, out::accept);
        if (closedScopes.get(index(name))) {
          known.lost();
        }
        record = known;
        if (stated) {
          state(known);
        }
      }
      return known;
    }

    /** What is known of rows no longer continues. */
    private void lost() {
      if (record != null) {
        record.open.forEach(transaction -> transaction.lossy = true);
        record.lost();
      }
    }

    private void state(RecordedRows of) {
      stated = true;
      StatedWrites writes = new StatedWrites(of);
      if (doubtfulScopes.get(index(name))) {
        writes.lost();
      }
      of.stated = writes;
    }
  }

  private final Consumer<Event> out;
  private final Listener listener;
  private final int maxVersions;
  private final ReadResolver reads = new ReadResolver();
  private final RecordedRows.UnwatchedIds ids = new RecordedRows.UnwatchedIds();

  /** The open sessions; those opened first are dropped if an application never closes them. */
  private final Map<Long, Session> sessions = new LinkedHashMap<>();

  private final int maxSessions;
  private final Map<Long, Long> connections = new HashMap<>();

  /**
   * By name. One is dropped with its last session: a process that opens one database after another,
   * as a test suite does, would fill the memory.
   */
  private final Map<String, Scope> scopes = new HashMap<>();

  /** Whether events of whole transactions are omitted, in databases opened later as well. */
  private boolean shedding;

  /** Whether work was done on a watched connection that was not observed. */
  private boolean bypassed;

  /**
   * The dropped ones, by hash, which others may have, too: what is read first in one that is opened
   * again need not be what was there first.
   */
  private final BitSet closedScopes = new BitSet(CLOSED_SCOPES);

  /** Those of them that a transaction whose outcome is not known may have changed since. */
  private final BitSet doubtfulScopes = new BitSet(CLOSED_SCOPES);

  /** The transactions of which no end has passed, in the order in which they began. */
  private final Map<Long, TimedTransaction> transactions = new LinkedHashMap<>();

  private final ArrayDeque<Event> waiting = new ArrayDeque<>();

  /** How many events were ever added to those that wait, and how many of them passed. */
  private long added;

  private long passed;

  /** The first events, by that count, wait no longer. */
  private long overdue;

  private final ArrayDeque<Tick> ticks = new ArrayDeque<>();

  /** How many events had been added at a time. */
  private record Tick(long nanos, long added) {}

  /** Whether sessions of other processes may be watched, too. */
  private boolean shared;

  private boolean active;
  private long now = Long.MIN_VALUE;

  /** The last ones before the first event by value, which may concern them. */
  private Event.@Nullable StatementExecuted lastStatement;

  private Event.@Nullable TransactionBegan lastBegan;

  /**
   * Passes events to {@code out}, and rows to {@code listener}.
   *
   * @param memory about how many bytes it may use
   */
  public VersionResolver(Consumer<Event> out, Listener listener, long memory) {
    this.out = out;
    this.listener = listener;
    this.maxSessions = (int) Math.max(1 << 10, Math.min(1 << 16, memory / BYTES_PER_VERSION));
    this.maxVersions =
        (int) Math.max(MIN_VERSIONS, Math.min(MAX_VERSIONS, memory / BYTES_PER_VERSION));
  }

  /**
   * From now on no one counts as not watched: events of another process that watches the writer may
   * be on their way, even the first ones of that process.
   */
  public void shared() {
    shared = true;
  }

  /** Processes an event. */
  public void accept(Event event) {
    if (!active) {
      if (!isByValue(event)) {
        passInactive(event);
        return;
      }
      active = true;
      resume();
    }
    observe(event);
    if (!isByValue(event)) {
      waiting.addLast(event);
      added++;
    }
    passReady();
  }

  private static boolean isByValue(Event event) {
    return event instanceof Event.ValuesObserved
        || event instanceof Event.EndTimed
        || event instanceof Event.Changed
        || event instanceof Event.ChangesRead
        || event instanceof Event.SessionIdentified
        || event instanceof Event.WritesStated;
  }

  private void passInactive(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      lastStatement = e;
    } else if (event instanceof Event.TransactionBegan e) {
      lastBegan = e;
    } else if (event instanceof Event.SessionOpened
        || event instanceof Event.SessionClosed
        || event instanceof Event.RowsShed
        || event instanceof Event.Gap) {
      observe(event);
    }
    out.accept(event);
  }

  private void resume() {
    if (lastBegan != null) {
      began(lastBegan);
    }
    if (lastStatement != null) {
      executed(lastStatement);
    }
    lastBegan = null;
    lastStatement = null;
  }

  private void observe(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.ValuesObserved e) {
      observed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      began(e);
    } else if (event instanceof Event.EndTimed e) {
      timed(e);
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else if (event instanceof Event.Changed e) {
      changed(e);
    } else if (event instanceof Event.ChangesRead e) {
      read(e);
    } else if (event instanceof Event.StatementsUndone e) {
      TimedTransaction transaction = transactions.get(e.transaction());
      if (transaction != null) {
        transaction.undone(e.firstStatement(), e.lastStatement());
      }
    } else if (event instanceof Event.RowNamed e) {
      Session session = sessions.get(e.session());
      if (session != null && session.scope.record != null) {
        session.scope.record.named(e);
      }
    } else if (event instanceof Event.SessionOpened e) {
      opened(e);
    } else if (event instanceof Event.SessionIdentified e) {
      identified(e);
    } else if (event instanceof Event.WritesStated e) {
      stated(e);
    } else if (event instanceof Event.RowsShed e) {
      RecordedRows record = record(e.session());
      if (record != null && record.stated != null) {
        record.stated.lost(); // nor are all writes emitted
      }
      lostAll();
      shedding = !e.share().isAll();
      scopes.values().forEach(scope -> scope.watched.shedding(shedding));
    } else if (event instanceof Event.Gap e) {
      gap(e);
    }
  }

  private void identified(Event.SessionIdentified event) {
    Session session = sessions.get(event.session());
    if (session != null) {
      connections.put(event.session(), event.connection());
      session.scope.watched.identified(event.session(), event.connection());
      RecordedRows record = session.scope.record;
      if (record != null) {
        for (TimedTransaction transaction : record.open) {
          if (transaction.session == event.session()) {
            transaction.connection = event.connection();
          }
        }
        record.unrecorded.connectionsChanged();
      }
    }
  }

  private void stated(Event.WritesStated event) {
    Session session = sessions.get(event.session());
    RecordedRows record = record(event.session());
    if (session != null && record != null && record.stated == null && !record.exists) {
      session.scope.state(record);
    }
  }

  private void opened(Event.SessionOpened event) {
    if (sessions.containsKey(event.session())) {
      return;
    }
    Scope scope = scopes.computeIfAbsent(event.database().scope(), Scope::new);
    scope.sessions++;
    DbmsRules rules = RulesRegistry.of(event.database().product());
    sessions.put(event.session(), new Session(scope, event.database(), rules));
    if (rules.recordsInProcess()) {
      scope.watched.numbersAgree();
    }
    if (sessions.size() > maxSessions) {
      closed(sessions.keySet().iterator().next());
    }
  }

  private void closed(long id) {
    Session session = sessions.remove(id);
    if (session == null) {
      return;
    }
    Scope scope = session.scope;
    scope.watched.closed(connections.getOrDefault(id, 0L));
    connections.remove(id);
    if (scope.record != null // those of which the end is not known any more
        && scope.record.open.removeIf(transaction -> transaction.session == id)) {
      scope.watched.endedUnknown(now);
    }
    if (--scope.sessions == 0) {
      dropped(scope);
    }
  }

  private void dropped(Scope scope) {
    scopes.remove(scope.name);
    closedScopes.set(index(scope.name));
    RecordedRows record = scope.record;
    if (record != null && record.stated != null && record.stated.isInDoubt()) {
      doubtfulScopes.set(index(scope.name));
    }
  }

  private static int index(String scope) {
    int hash = scope.hashCode() * 0x9E37_79B9;
    return hash >>> Integer.SIZE - Integer.numberOfTrailingZeros(CLOSED_SCOPES);
  }

  /** Events of all sessions may be lost. */
  private void lostAll() {
    scopes.values().forEach(scope -> scope.watched.lost(now));
  }

  private @Nullable RecordedRows record(long session) {
    Session of = sessions.get(session);
    return of == null ? null : of.scope.record();
  }

  private void began(Event.TransactionBegan event) {
    TimedTransaction known = transactions.get(event.transaction());
    if (known == null) {
      add(new TimedTransaction(event.transaction(), event.session(), event.level()));
    } else if (known.level != event.level()) { // from now on
      known.level = IsolationLevel.UNKNOWN;
    }
  }

  private TimedTransaction add(TimedTransaction transaction) {
    if (!transactions.isEmpty()) {
      transaction.horizon = transactions.values().iterator().next().began();
    }
    transactions.put(transaction.id, transaction);
    transaction.connection = connections.getOrDefault(transaction.session, 0L);
    Session session = sessions.get(transaction.session);
    if (session == null) {
      scopes.values().forEach(scope -> scope.watched.used(transaction.session, 0));
    } else {
      session.scope.watched.used(transaction.session, transaction.connection);
      session.scope.record().open.add(transaction);
    }
    if (transactions.size() > MAX_TRANSACTIONS) {
      TimedTransaction oldest = transactions.values().iterator().next();
      oldest.lossy = true;
      forget(oldest);
    }
    return transaction;
  }

  private void forget(TimedTransaction transaction) {
    transactions.remove(transaction.id);
    transaction.passed = true;
    lostAll();
    RecordedRows record = record(transaction.session);
    if (record != null) {
      record.open.remove(transaction);
      record.unrecorded.remove(transaction);
    }
  }

  private TimedTransaction transaction(long session, long id) {
    TimedTransaction transaction = transactions.get(id);
    if (transaction == null) { // its beginning was not observed
      transaction = add(new TimedTransaction(id, session, IsolationLevel.UNKNOWN));
      transaction.lossy = true;
    }
    return transaction;
  }

  private void executed(Event.StatementExecuted event) {
    TimedTransaction transaction = transaction(event.session(), event.transaction());
    TimedStatement statement = new TimedStatement(event);
    transaction.add(statement);
    if (statement.mayHaveChanged()) {
      RecordedRows record = record(event.session());
      if (record != null) {
        record.unrecorded.add(transaction);
      }
    }
  }

  private void observed(Event.ValuesObserved event) {
    now = Math.max(now, event.returned());
    TimedTransaction transaction = transaction(event.session(), event.transaction());
    TimedStatement statement = transaction.statement(event.statement());
    if (statement == null) {
      transaction.lossy = true;
      return;
    }
    transaction.changed();
    transaction.hasValues = true;
    transaction.hasReads |= !event.reads().isEmpty();
    transaction.hasUnread |= !event.unread().isEmpty();
    statement.window = new Window(event.sent(), event.returned());
    statement.timed = true;
    statement.reads = event.reads();
    statement.returnedRows = !event.reads().isEmpty();
    statement.writes = event.writes();
    statement.choices = event.choices();
    if (event.writes().size() == 1
        && event.writes().get(0).complete()
        && event.writes().get(0).rows().size() == 0) {
      statement.changedNothing = true;
      statement.writes = List.of();
    }
    RecordedRows record = record(event.session());
    if (record != null) {
      record.joined(event.session());
    }
  }

  private void timed(Event.EndTimed event) {
    now = Math.max(now, event.returned());
    TimedTransaction transaction = transactions.get(event.transaction());
    if (transaction != null) {
      transaction.end = new Window(event.sent(), event.returned());
      transaction.endTimed = true;
    }
    Session session = sessions.get(event.session());
    if (session != null) {
      long connection = connections.getOrDefault(event.session(), 0L);
      session.scope.watched.arrived(connection, event.returned());
    }
  }

  private void ended(Event.TransactionEnded event) {
    TimedTransaction transaction = transactions.get(event.transaction());
    if (transaction != null) {
      transaction.outcome = event.outcome();
      Session session = sessions.get(transaction.session);
      if (session == null) {
        scopes.values().forEach(scope -> scope.watched.endedUnknown(now));
      } else {
        session.scope.watched.ended(transaction, now);
      }
      RecordedRows record = record(transaction.session);
      if (record != null && event.outcome() == Outcome.ABORTED) {
        record.unrecorded.remove(transaction);
      } else if (record != null && record.stated != null) {
        record.unrecorded.remove(transaction);
        record.stated.ended(transaction, needed());
      } else if (record != null && record.hasPending()) {
        record.decide(); // the record may have shown it before its events arrived
      }
    } else {
      scopes.values().forEach(scope -> scope.watched.endedUnknown(now));
    }
  }

  private void changed(Event.Changed event) {
    now = Math.max(now, event.received());
    RecordedRows record = record(event.session());
    if (record != null) {
      record.joined(event.session());
      record.changed(event, needed());
      record.decide();
    }
  }

  private void read(Event.ChangesRead event) {
    now = Math.max(now, event.through());
    RecordedRows record = record(event.session());
    if (record != null) {
      record.exists = true;
      record.through = Math.max(record.through, event.through());
      record.decide();
    }
  }

  /**
   * When the first statement was sent of all transactions that have not passed, and of those whose
   * first events have not arrived: they arrive once the statement has returned.
   */
  private long needed() {
    long needed = Window.minus(now, MAX_ARRIVAL_NANOS);
    for (TimedTransaction transaction : transactions.values()) {
      long began = transaction.began();
      if (began != Long.MIN_VALUE) {
        needed = Math.min(needed, began);
      }
    }
    return needed;
  }

  private void gap(Event.Gap event) {
    if (event.reason() == GapReason.NOT_RECORDED) {
      Session session = sessions.get(event.session());
      if (session != null) {
        session.scope.watched.lost(now);
        session.scope.lost();
      }
      return;
    }
    boolean ofEvents =
        switch (event.reason()) {
          case OVERFLOW, TORN_RECORD, CUT_OFF, FORGOTTEN, FAULT, BYPASS -> true;
          default -> false;
        };
    if (!ofEvents) {
      return;
    }
    if (event.reason() == GapReason.BYPASS) {
      bypassed = true;
      scopes.values().forEach(scope -> scope.watched.bypassed());
    } else {
      lostAll();
    }
    if (event.transaction() != 0) {
      TimedTransaction transaction = transactions.get(event.transaction());
      if (transaction != null) {
        transaction.lossy = true;
      }
    } else if (event.session() != 0 && event.reason() == GapReason.BYPASS) {
      for (TimedTransaction transaction : transactions.values()) {
        transaction.lossy |= transaction.session == event.session();
      }
    } else {
      for (TimedTransaction transaction : transactions.values()) {
        transaction.lossy = true;
      }
      for (Scope scope : scopes.values()) {
        if (scope.record != null) {
          scope.record.lost();
        }
      }
    }
  }

  private void passReady() {
    while (!waiting.isEmpty()) {
      Event head = waiting.peekFirst();
      if (head instanceof Event.TransactionEnded ended && !isReady(ended)) {
        return;
      }
      waiting.removeFirst();
      passed++;
      pass(head);
    }
  }

  private void pass(Event event) {
    if (event instanceof Event.TransactionEnded ended) {
      TimedTransaction transaction = transactions.get(ended.transaction());
      if (transaction != null) {
        boolean isResolved = transaction.isResolved() && ended.outcome() != Outcome.ABORTED;
        boolean isComplete = isResolved ? resolve(transaction) : !transaction.hasReads;
        if (!isComplete || transaction.hasUnread || transaction.lossy) {
          listener.unresolved(transaction.id, hidden(transaction));
        }
        pass(transaction);
      } else if (active) { // it was dropped, with what it read and wrote
        listener.unresolved(ended.transaction(), Set.of(Listener.ALL_TABLES));
      }
    } else if (event instanceof Event.SessionClosed closed) {
      closed(closed.session());
    }
    out.accept(event);
  }

  private void pass(TimedTransaction transaction) {
    transactions.remove(transaction.id);
    transaction.passed = true;
    RecordedRows record = record(transaction.session);
    if (record == null) {
      return;
    }
    record.open.remove(transaction);
    if (record.wasReadThrough(transaction.end.returned())) {
      record.unrecorded.remove(transaction);
    }
  }

  private boolean isReady(Event.TransactionEnded ended) {
    TimedTransaction transaction = transactions.get(ended.transaction());
    if (transaction == null
        || !transaction.isResolved()
        || ended.outcome() == Outcome.ABORTED
        || passed < overdue
        || waiting.size() > MAX_WAITING) {
      return true;
    }
    RecordedRows record = record(transaction.session);
    if (record == null || !record.exists && record.stated == null) {
      return true;
    }
    long time = needed(transaction);
    if (record.stated != null) {
      return now - MAX_DELAY_NANOS > time || !isAwaiting(transaction, record);
    }
    return record.wasReadThrough(time) && isDecided(transaction, record)
        || now - MAX_DELAY_NANOS > time;
  }

  /** Whether another transaction that may precede it has not ended. */
  private boolean isAwaiting(TimedTransaction transaction, RecordedRows record) {
    Session session = sessions.get(transaction.session);
    if (session == null) {
      return false;
    }
    TimedTransaction awaited = transaction.awaited;
    if (awaited != null
        && !awaited.passed
        && StatedWrites.awaited(transaction, List.of(awaited), session.rules()) != null) {
      return true;
    }
    transaction.awaited = StatedWrites.awaited(transaction, record.open, session.rules());
    return transaction.awaited != null;
  }

  /** Up to when the record must have been read to resolve a transaction. */
  private static long needed(TimedTransaction transaction) {
    return transaction.mayHaveChanged() && transaction.endTimed
        ? transaction.end.returned()
        : transaction.lastReturned();
  }

  /** Whether it is decided whose the versions are that a transaction may have read or written. */
  private static boolean isDecided(TimedTransaction transaction, RecordedRows record) {
    if (!record.hasPending()) {
      return true;
    }
    if (transaction.recorded == null && record.mayBePending(transaction)) {
      return false;
    }
    if (transaction.recorded != null) {
      for (RowVersion version : transaction.recorded.versions) {
        if (!areDecided(version.row)) {
          return false;
        }
      }
    }
    for (TimedStatement statement : transaction.statements) {
      for (RowValues rows : statement.reads) {
        for (long key : rows.keys()) {
          RowChain chain = key == 0 ? null : record.known(rows.table(), key);
          if (chain != null && !areDecided(chain)) {
            return false;
          }
        }
      }
    }
    return true;
  }

  private static boolean areDecided(RowChain chain) {
    for (RowVersion version : chain.versions) {
      if (!version.isDecided()) {
        return false;
      }
    }
    return true;
  }

  /** Passes on what is known of a transaction's rows; returns whether that is all. */
  private boolean resolve(TimedTransaction transaction) {
    Session session = sessions.get(transaction.session);
    RecordedRows record = record(transaction.session);
    boolean known =
        session != null
            && record != null
            && (record.stated != null
                || record.exists && record.wasReadThrough(needed(transaction)));
    if (session == null || record == null || !known) {
      transaction.statements.forEach(statement -> reads.unrecorded(statement.reads));
    }
    if (session == null || record == null) {
      return false;
    }
    long unresolvedBefore = reads.counts().unresolved();
    if (!isDecided(transaction, record)) {
      record.decideAll();
    }
    if (known && record.stated == null && !shared) {
      showUnwatched(transaction, session, record);
    }
    Map<Integer, List<KnownRow>> written = new TreeMap<>(written(transaction));
    if (known && record.stated == null) {
      UnchangedRows.of(transaction, record)
          .forEach((statement, rows) -> written.computeIfAbsent(statement, n -> rows));
    }
    for (TimedStatement statement : transaction.statements) {
      List<KnownRow> rows = new ArrayList<>();
      if (known) {
        reads.resolve(transaction, statement, record, session.rules(), rows);
      }
      if (!rows.isEmpty()) {
        listener.known(transaction.session, transaction.id, statement.number, rows);
      }
      List<KnownRow> writes = written.get(statement.number);
      if (writes != null) {
        listener.known(transaction.session, transaction.id, statement.number, writes);
      }
    }
    if (known && record.stated == null) {
      record.choices.passed(transaction, session.rules(), record.skew(), needed(), this::matters);
    }
    transaction.statements.forEach(statement -> statement.reads = List.of());
    if (known) {
      listener.writesKnown(
          (int)
              transaction.statements.stream()
                  .filter(
                      statement ->
                          statement.unseen
                              && statement.mayWrite
                              && (record.stated == null || statement.statesAllWrites())
                              && isWriteKnown(statement, transaction, record, written.keySet()))
                  .count());
    }
    return known
        && reads.counts().unresolved() == unresolvedBefore
        && areWritesKnown(transaction, record, written.keySet());
  }

  /**
   * Whether it is known what all statements of a transaction wrote.
   *
   * @param writing those of which a row is known
   */
  private static boolean areWritesKnown(
      TimedTransaction transaction, RecordedRows record, Set<Integer> writing) {
    for (TimedStatement statement : transaction.statements) {
      if (!isWriteKnown(statement, transaction, record, writing)) {
        return false;
      }
    }
    return record.stated == null || record.stated.areAllStated(transaction);
  }

  private static boolean isWriteKnown(
      TimedStatement statement,
      TimedTransaction transaction,
      RecordedRows record,
      Set<Integer> writing) {
    if (!statement.mayHaveChanged() || statement.changedNothing) {
      return true;
    }
    return writing.contains(statement.number)
        && statement.writes.stream().allMatch(write -> record.shows(write, transaction.recorded));
  }

  /** The tables with rows that a transaction may have written, and that nothing shows. */
  private Set<String> hidden(TimedTransaction transaction) {
    RecordedRows record = record(transaction.session);
    if (record == null || transaction.outcome == Outcome.ABORTED) {
      return Set.of();
    }
    return transaction.lossy
        ? Set.of(Listener.ALL_TABLES)
        : record.stated == null ? Set.of() : record.stated.unstated(transaction);
  }

  private void matters(
      TimedTransaction reader,
      TimedStatement query,
      RowVersion version,
      boolean before,
      boolean chosen) {
    RecordedTransaction by = version.by;
    RowVersion replaced = version.deletion ? version.row.before(version) : version;
    if (by != null && by.writer != null && replaced != null) {
      listener.matters(
          new KnownChange(
              reader.id,
              query.number,
              by.writer.id,
              version.row.table,
              version.rowId,
              replaced.writers(),
              version.deletion,
              before,
              chosen));
    }
  }

  /**
   * Passes on who else wrote the rows that a transaction read or wrote, if txwatch does not watch
   * that.
   */
  private void showUnwatched(TimedTransaction transaction, Session session, RecordedRows record) {
    Set<RowChain> touched = touched(transaction, record);
    for (RowChain row : touched) {
      for (RowVersion version : row.versions) {
        RecordedTransaction by = version.by;
        if (by != null && by.writer == null && !by.shown && record.isNotWatched(by)) {
          by.shown = true;
          listener.notWatched(
              UnwatchedTransaction.events(by, session.database, ids.next(), touched));
        }
      }
    }
  }

  /** The rows that a transaction read or wrote, of which changes are recorded. */
  private static Set<RowChain> touched(TimedTransaction transaction, RecordedRows record) {
    Set<RowChain> touched = new LinkedHashSet<>();
    for (TimedStatement statement : transaction.statements) {
      for (RowValues rows : statement.reads) {
        for (long key : rows.keys()) {
          RowChain row = key == 0 ? null : record.known(rows.table(), key);
          if (row != null) {
            touched.add(row);
          }
        }
      }
    }
    if (transaction.recorded != null) {
      transaction.recorded.versions.forEach(version -> touched.add(version.row));
    }
    return touched;
  }

  private static Map<Integer, List<KnownRow>> written(TimedTransaction transaction) {
    RecordedTransaction recorded = transaction.recorded;
    if (recorded == null) {
      return Map.of();
    }
    Map<Integer, List<KnownRow>> written = new TreeMap<>();
    WrittenColumns columns = new WrittenColumns(transaction, recorded);
    for (RowVersion version : recorded.versions) {
      RowAccess access = ReadResolver.written(version);
      if (access != null) {
        boolean certain = recorded.isCertain(version);
        written
            .computeIfAbsent(recorded.statement(version), n -> new ArrayList<>())
            .add(
                new KnownRow(
                    access, KnownRow.Bound.EXACT, columns.of(version, access.access(), certain)));
      }
    }
    return written;
  }

  /** Passes all that waits: no more events will arrive, or none of the record. */
  public void flush() {
    while (!waiting.isEmpty()) {
      Event head = waiting.removeFirst();
      passed++;
      pass(head);
    }
  }

  /** Passes on the ids of the transactions whose end has not passed yet. */
  public void forEachPending(LongConsumer consumer) {
    transactions.keySet().forEach(consumer::accept);
  }

  /**
   * Passes what has waited too long, while no events arrive that show the time. To be called
   * periodically.
   *
   * @param nanos the time by any clock that never goes back
   * @return whether events were passed
   */
  public boolean tick(long nanos) {
    while (!ticks.isEmpty() && nanos - ticks.getFirst().nanos >= MAX_DELAY_NANOS) {
      overdue = ticks.removeFirst().added;
    }
    long before = passed;
    passReady();
    if (!waiting.isEmpty()
        && (ticks.isEmpty() || nanos - ticks.getLast().nanos >= MAX_DELAY_NANOS / MAX_TICKS)) {
      ticks.addLast(new Tick(nanos, added));
    }
    return passed > before;
  }

  /** Discards all but the sessions and the events that wait: the rest may be inconsistent. */
  public void restart() {
    transactions.clear();
    scopes.values().forEach(scope -> scope.record = null);
    lostAll();
  }

  /** The number of events that wait. */
  int waiting() {
    return waiting.size();
  }

  /** The number of databases that something is kept of. */
  int scopes() {
    return scopes.size();
  }

  /** How many rows were resolved. */
  public Resolution counts() {
    return reads.counts();
  }
}
