package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Infers dependencies from events, one event at a time: IsoRel's Algorithm 1 (§3.3) over {@link
 * VersionChains}.
 *
 * <p>Dependencies are emitted between transactions that committed and of which no event was lost. A
 * version counts once its transaction has committed without undoing it. Until then it is open, and
 * nothing is concluded from it. The result therefore depends on the events only, not on the order
 * in which the events of different sessions arrive:
 *
 * <ul>
 *   <li><b>wr</b>: from the writer of a surviving version to each of its readers;
 *   <li><b>ww</b>: from the writer of a version to the writer of the next one, skipping vanished
 *       versions (Adya's version order contains committed versions only);
 *   <li><b>rw</b>: from each reader of a version to the writer of the next one, whether or not the
 *       version read survived: the reader saw the row before that write. A deletion is the next
 *       version of the version deleted. If one transaction wrote both versions, the read is an
 *       intermediate read (G1b) and has no such edge.
 * </ul>
 *
 * <p>One further kind of ww edge depends on the order of arrival: that of a write which may have
 * made no version ({@link KeyedWrites}).
 *
 * <p>Transactions of two {@linkplain Database#run runs} of a server are not related, whatever their
 * rows show ({@link WithinRuns}).
 *
 * <p>Nothing is concluded from events that did not arrive. A writer known only by its token
 * (another process, lost events) has a place in the chain but is never part of an anomaly; one
 * known by the id that its DBMS gave to it may have overwritten what another one read ({@link
 * UnwatchedWriters}). A transaction whose count of events is wrong takes no part: the missing event
 * may be a rollback to a savepoint. Under overload, transactions omit a part of the rows ({@link
 * ShedRows}).
 */
public final class DependencyInference {

  /** The most transactions of unknown outcome that are tracked. */
  private static final int MAX_UNDECIDED = 1 << 12;

  private static final int MIN_SESSIONS = 1 << 10;
  private static final int MAX_SESSIONS = 1 << 16;

  /** The memory that allows for one more session. */
  private static final long BYTES_PER_SESSION = 1 << 12;

  private final WithinRuns out;
  private final VersionChains chains;
  private final Granularity granularity;
  private final CommitOrders orders;
  private final Footprint footprint = new Footprint();
  private final StringCache texts = new StringCache();
  private final int maxSessions;

  /** The number of sessions beyond which idle ones are evicted. */
  private int sessionsExpected;

  private final LongTable<Session> sessions;
  private final LongTable<Transaction> transactions = new LongTable<>();

  /** Observed transactions by the ids that their DBMS gave them. */
  private final LongTable<Transaction> identified = new LongTable<>();

  private final RecurringIds ids;
  private final ShedRows shed;

  /** Active transactions, and some that overlapped with them, in the order in which they began. */
  private final ArrayDeque<Transaction> running = new ArrayDeque<>();

  /** Transactions that ended and are not discarded, in the order in which they ended. */
  private final ArrayDeque<Transaction> ended = new ArrayDeque<>();

  /** Those of them that a writers' list may still name: retained a little longer, in that order. */
  private final ArrayDeque<Transaction> endedWithUnseenWrites = new ArrayDeque<>();

  /** Transactions in the order of their first mention, including those known only by a token. */
  private final ArrayDeque<Transaction> byFirstMention = new ArrayDeque<>();

  private final List<Transaction> undecided = new ArrayList<>();

  private long clock;

  /**
   * When a gap last stated that any event may be lost; transactions first mentioned later are not.
   */
  private long anyLostAt = -1;

  private long truncatedStatements;

  /** The sessions evicted because there were too many. */
  private long evictedSessions;

  /** The DBMS of the session opened last, which the next one usually shares. */
  private @Nullable Database lastDatabase;

  /** Emits dependencies to {@code out}, from within {@link #accept}. */
  public DependencyInference(DependencyListener out) {
    this(out, Set.of());
  }

  /**
   * Emits dependencies to {@code out}, from within {@link #accept}.
   *
   * @param orders the orders that count besides dependencies
   */
  public DependencyInference(DependencyListener out, Set<CommitOrder> orders) {
    this(out, orders, Long.MAX_VALUE);
  }

  /**
   * Emits dependencies to {@code out}, from within {@link #accept}.
   *
   * @param orders the orders that count besides dependencies
   * @param maxBytes what {@link #bytes} may reach within one statement; rows beyond it are omitted
   */
  public DependencyInference(DependencyListener out, Set<CommitOrder> orders, long maxBytes) {
    this(out, orders, maxBytes, Granularity.COLUMN);
  }

  /**
   * Emits dependencies to {@code out}, from within {@link #accept}.
   *
   * @param orders the orders that count besides dependencies
   * @param maxBytes what {@link #bytes} may reach within one statement; rows beyond it are omitted
   * @param granularity what counts as an item
   */
  public DependencyInference(
      DependencyListener out, Set<CommitOrder> orders, long maxBytes, Granularity granularity) {
    this(
        out,
        orders,
        maxBytes,
        granularity,
        new LongTable<>(),
        new RecurringIds(),
        new ShedRows(),
        0);
  }

  private DependencyInference(
      DependencyListener listener,
      Set<CommitOrder> orders,
      long maxBytes,
      Granularity granularity,
      LongTable<Session> sessions,
      RecurringIds ids,
      ShedRows shed,
      long clock) {
    this.out = new WithinRuns(new PossibleInTime(listener));
    this.orders = new CommitOrders(orders, out);
    this.chains =
        new VersionChains(out, new WritersByToken(), shed, footprint, maxBytes, granularity);
    this.granularity = granularity;
    this.sessions = sessions;
    this.ids = ids;
    this.shed = shed;
    this.clock = clock;
    this.maxSessions =
        (int) Math.max(MIN_SESSIONS, Math.min(MAX_SESSIONS, maxBytes / BYTES_PER_SESSION));
    this.sessionsExpected = maxSessions;
  }

  /**
   * A new inference with only the open sessions and the time of this one, which must not be used
   * any more. Transactions that are active take part in no dependency, since only their remaining
   * events will be known.
   */
  public DependencyInference restarted(
      DependencyListener listener, Set<CommitOrder> commitOrders, long maxBytes) {
    sessions.forEach(
        session -> {
          session.current = null;
          session.committed = null;
        });
    return new DependencyInference(
        listener, commitOrders, maxBytes, granularity, sessions, ids, shed, clock);
  }

  /** Processes an event. Events of one session must arrive in the order in which they happened. */
  public void accept(Event event) {
    clock++;
    if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      began(e);
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else if (event instanceof Event.StatementsUndone e) {
      undone(e);
    } else if (event instanceof Event.TransactionIdentified e) {
      Transaction transaction = transaction(e.transaction());
      if (transaction.observed && transaction.outcome == null) {
        transaction.wholeId = e.idByDbms();
        chains.identify(transaction, 0, e.idByDbms());
      }
    } else if (event instanceof Event.RowNamed e) {
      Session session = session(e.session());
      if (session.opened) {
        chains.rowNamed(session.scope, e.table(), e.row(), e.key());
      }
    } else if (event instanceof Event.SessionOpened e) {
      opened(e);
    } else if (event instanceof Event.SessionClosed e) {
      closed(e);
    } else if (event instanceof Event.Gap e) {
      gap(e);
    } else if (event instanceof Event.RowsShed e) {
      shed.shed(e.session(), e.share(), clock);
    }
  }

  /**
   * Rows of an earlier statement became known. To be called before its transaction ends; it counts
   * as no event.
   *
   * @param session the session
   * @param id the transaction
   * @param number the statement's number
   * @param rows the rows, in order
   */
  public void known(long session, long id, int number, List<KnownRow> rows) {
    Session in = sessions.get(session);
    Transaction transaction = transactions.get(id);
    if (in == null || !in.opened || transaction == null || transaction.outcome != null) {
      return;
    }
    Transaction.Statement statement = transaction.statement(number).orElse(null);
    if (statement == null) {
      return;
    }
    transaction.rowsKnown(statement);
    int to;
    for (int from = 0; from < rows.size(); from = to) {
      Optional<String> columns = rows.get(from).columns();
      to = from + 1;
      while (to < rows.size() && rows.get(to).columns().equals(columns)) {
        to++;
      }
      Event.StatementExecuted event =
          new Event.StatementExecuted(
              session,
              id,
              number,
              statement.kind(),
              "",
              "",
              List.of(),
              true,
              null,
              List.of(),
              columns.orElse(statement.columns()));
      if (!chains.known(transaction, event, rows.subList(from, to), in.scope, clock)) {
        transaction.gap = true;
        truncatedStatements++;
        return;
      }
    }
  }

  /**
   * A change matters to a query that chose rows by a condition. To be called when the rows of both
   * transactions are {@link #known}; it counts as no event.
   */
  public void matters(KnownChange change) {
    Transaction reader = transactions.get(change.reader());
    if (reader != null && reader.observed && !reader.discarded) {
      chains.matters(reader, change, reader.session().scope);
    }
  }

  /** A transaction of which events arrived, and which was not discarded yet. */
  public Optional<Transaction> observed(long id) {
    return Optional.ofNullable(transactions.get(id)).filter(t -> t.observed && !t.discarded);
  }

  private void began(Event.TransactionBegan event) {
    Session session = session(event.session());
    Transaction transaction = transaction(event.transaction());
    if (transaction.isBeginObserved()) {
      transaction.level(event.level());
      transaction.events++;
      return;
    }
    transaction.began(session, event.level(), event.name(), event.traceId(), event.share());
    shed.began(event.session(), event.share(), clock);
    transaction.events++;
    began(session, transaction);
  }

  private void undone(Event.StatementsUndone event) {
    Transaction transaction = transaction(event.transaction());
    transaction.events++;
    if (transaction.outcome == null) {
      transaction.undone(event.firstStatement(), event.lastStatement());
    }
  }

  private void closed(Event.SessionClosed event) {
    Session session = sessions.get(event.session());
    if (session != null) {
      leaveTransaction(session);
      sessions.remove(event.session());
    }
  }

  /** The number of events processed. */
  public long clock() {
    return clock;
  }

  /** The value of a row's primary key, for display; empty if it is not known. */
  public String rowKey(String scope, String table, long row) {
    return chains.rowKey(scope, table, row);
  }

  /** The number of transactions retained, including those known only by a token. */
  public int transactions() {
    return transactions.size();
  }

  /** The memory used, by the sizes of the objects. */
  public long bytes() {
    return chains.bytes() + (long) Footprint.TRANSACTION * transactions.size();
  }

  /** The number of statements with more rows than memory allowed, since the last call. */
  public long truncatedStatements() {
    long since = truncatedStatements;
    truncatedStatements = 0;
    return since;
  }

  /** The number of evicted sessions since the last call. */
  public long evictedSessions() {
    long since = evictedSessions;
    evictedSessions = 0;
    return since;
  }

  /** Whether more could be discarded if the oldest active transaction did not exist. */
  public boolean isBlockedByOldest(long retained) {
    Transaction oldest = running.peekFirst();
    return oldest != null && oldest.horizon < Math.min(retained, clock);
  }

  /**
   * Discards the active transactions that alone occupy more than this. What they do from now on
   * takes part in no dependency.
   *
   * @return how many
   */
  public long abandonHeavierThan(long bytes) {
    List<Transaction> heavy = new ArrayList<>();
    for (Transaction transaction : running) {
      if (transaction.endedAt == Long.MAX_VALUE && transaction.weight() > bytes) {
        heavy.add(transaction);
      }
    }
    abandon(heavy);
    return heavy.size();
  }

  /**
   * Discards the oldest active transactions, so that those can be discarded that ended before the
   * others began. What they do from now on takes part in no dependency.
   *
   * @param most how many at most
   * @return how many
   */
  public long abandonOldest(int most) {
    List<Transaction> oldest = new ArrayList<>();
    for (Transaction transaction : running) {
      if (oldest.size() == most) {
        break;
      }
      if (transaction.endedAt == Long.MAX_VALUE) {
        oldest.add(transaction);
      }
    }
    abandon(oldest);
    return oldest.size();
  }

  private void abandon(List<Transaction> given) {
    for (Transaction transaction : given) {
      if (transaction.session().current == transaction) {
        transaction.session().current = null;
      }
      discard(transaction);
    }
    running.removeIf(Transaction::isDiscarded);
    removeEndedFromRunning();
    advanceHorizons();
  }

  /** Recomputes the horizons without the abandoned transactions. */
  private void advanceHorizons() {
    ArrayDeque<Transaction> before = new ArrayDeque<>();
    for (Transaction transaction : running) {
      while (!before.isEmpty() && before.getFirst().endedAt < transaction.beganAt) {
        before.removeFirst();
      }
      before.addLast(transaction);
      transaction.horizon = Math.max(transaction.horizon, before.getFirst().beganAt);
    }
  }

  public int versions() {
    return chains.versions();
  }

  /**
   * Concludes what follows from writers that are not watched. Each is considered once: when all
   * transactions have ended that were active when it was first mentioned, so that none of them can
   * turn out to be it.
   *
   * @param retained as in {@link #discard}
   */
  public void concludeUnwatched(long retained) {
    long floor = floor(retained);
    for (Transaction transaction : byFirstMention) {
      if (transaction.firstMentionedAt >= floor) {
        return;
      }
      if (!transaction.observed
          && !transaction.discarded
          && !transaction.isContested
          && identified.get(transaction.id()) == null) {
        chains.concludeUnwatched(transaction);
      }
    }
  }

  /**
   * Discards the transactions that ended before the horizon of the oldest active transaction.
   *
   * @param retained transactions that ended at this time or later are retained
   * @param recent versions mentioned at this time or later are retained, needed or not, and
   *     transactions that ended at this time or later if not all their writes were seen: a writers'
   *     list that is read later may still show what they overwrote
   */
  public void discard(long retained, long recent) {
    long floor = floor(retained);
    discardEnded(floor, floor, recent);
    discardUnobserved(floor);
    chains.prune(Math.min(floor, recent), clock, false);
  }

  /**
   * The same when memory is short: what is retained only because it may be useful is discarded,
   * too.
   *
   * @param early whether to discard all ended transactions, whatever {@code retained} is
   * @return how many were discarded early
   */
  public long makeRoom(boolean early, long retained) {
    long floor = floor(retained);
    long discardedEarly = discardEnded(early ? Long.MAX_VALUE : floor, floor, Long.MAX_VALUE);
    discardUnobserved(early ? clock : floor);
    if (early) {
      running.removeIf(Transaction::isDiscarded);
    }
    chains.prune(early ? clock : Math.min(floor, clock), clock, true);
    return discardedEarly;
  }

  /** Passes on the ids of the observed transactions that are not discarded. */
  public void forEachRetained(LongConsumer consumer) {
    List.of(running, ended, endedWithUnseenWrites, undecided)
        .forEach(some -> some.forEach(transaction -> consumer.accept(transaction.id())));
  }

  /** The time before which a transaction must have ended to be discarded without loss. */
  private long floor(long retained) {
    Transaction oldest = running.peekFirst();
    return Math.min(retained, oldest == null ? clock : oldest.horizon);
  }

  /**
   * Discards the transactions that ended before a time.
   *
   * @param recent those with unseen writes that ended at this time or later are retained
   * @return how many of them ended at {@code floor} or later
   */
  private long discardEnded(long before, long floor, long recent) {
    long early = 0;
    while (!endedWithUnseenWrites.isEmpty() && endedWithUnseenWrites.getFirst().endedAt < recent) {
      early += discardEnded(endedWithUnseenWrites.removeFirst(), floor);
    }
    while (!ended.isEmpty()) {
      Transaction transaction = ended.getFirst();
      if (transaction.endedAt >= before && !transaction.endedTwice) {
        break;
      }
      ended.removeFirst();
      if (transaction.endedTwice) {
        transaction.endedTwice = false;
      } else if (transaction.hasUnseenWrites() && transaction.endedAt >= recent) {
        endedWithUnseenWrites.addLast(transaction);
      } else {
        early += discardEnded(transaction, floor);
      }
    }
    return early;
  }

  private int discardEnded(Transaction transaction, long floor) {
    discard(transaction);
    return transaction.endedAt >= floor ? 1 : 0;
  }

  /** Discards the transactions that are known only by tokens first mentioned before a time. */
  private void discardUnobserved(long since) {
    while (!byFirstMention.isEmpty() && byFirstMention.getFirst().firstMentionedAt < since) {
      Transaction transaction = byFirstMention.removeFirst();
      if (!transaction.observed) {
        discard(transaction);
      }
    }
  }

  private void discard(Transaction transaction) {
    if (transaction.discarded) { // its writes belong to the transaction that it turned out to be
      return;
    }
    chains.discarded(transaction);
    for (long id : transaction.idsByDbms()) {
      identified.remove(id);
    }
    transaction.discard();
    transactions.remove(transaction.id());
  }

  /** The transactions by the ids in writer tokens. */
  private final class WritersByToken implements VersionChains.Writers {
    @Override
    public Transaction of(long id) {
      Transaction transaction = ids.mayRecur() ? null : identified.get(id);
      return transaction == null ? transaction(id) : transaction;
    }

    @Override
    public @Nullable Transaction existing(long id) {
      return ids.mayRecur() ? transactions.get(id) : claimant(id);
    }

    @Override
    public @Nullable Transaction claimant(long id) {
      Transaction transaction = identified.get(id);
      return transaction == null ? transactions.get(id) : transaction;
    }

    @Override
    public void given(long id) {
      ids.given(id);
    }

    @Override
    public boolean idsMayRecur() {
      return ids.mayRecur();
    }

    @Override
    public void contest(long id) {
      identified.remove(id);
      transaction(id).isContested = true;
    }

    @Override
    public void identify(long id, Transaction transaction, int statement) {
      Transaction before = ids.mayRecur() ? null : transactions.get(id);
      if (before != null) {
        before.discard();
        transactions.remove(id);
      }
      identified.put(id, transaction);
      transaction.addIdByDbms(id, statement);
    }
  }

  /**
   * Emits the additional dependencies if the undecided transactions committed: those that are
   * active, and those of unknown outcome. Changes nothing.
   *
   * @param before only transactions that began before this {@linkplain #clock time}
   * @param most nothing is emitted if these have read and written more versions than this
   * @return whether anything was emitted
   */
  public boolean inferHypothetical(long before, long most, DependencyListener listener) {
    undecided.removeIf(transaction -> transaction.discarded || transaction.readsCount);
    List<Transaction> supposed = new ArrayList<>(undecided);
    for (Transaction transaction : running) {
      if (transaction.beganAt >= before) {
        break;
      }
      if (transaction.outcome == null) {
        supposed.add(transaction);
      }
    }
    supposed.removeIf(
        transaction ->
            transaction.beganAt >= before
                || !HypotheticalDependencies.isPossible(transaction)
                || transaction.outcome == null && transaction.firstMentionedAt <= anyLostAt
                || transaction.reads.isEmpty() && transaction.writes.isEmpty());
    long work = 0;
    for (Transaction transaction : supposed) {
      work += transaction.reads.size() + transaction.writes.size();
    }
    if (supposed.isEmpty() || work > most) {
      return false;
    }
    HypotheticalDependencies.infer(supposed, new WithinRuns(listener));
    return true;
  }

  /**
   * The number of neighbors in a row's history, versions or reads, that no column connects: with
   * the row as the item, each would be a dependency.
   */
  public long rowLevelDependencies() {
    return chains.rowLevelDependencies();
  }

  /** The number of rows with contradictory writers' lists, which are excluded. */
  public long contradictions() {
    return chains.contradictions();
  }

  private void executed(Event.StatementExecuted event) {
    Session session = session(event.session());
    Transaction transaction = transaction(session, event.transaction());
    if (transaction.outcome != null) {
      return;
    }
    if (!transaction.observed) {
      transaction.began(session, null, "");
      began(session, transaction);
    }
    transaction.events++;
    transaction.executed(event, clock, texts);
    if (event.succeeded()
        && session.opened // otherwise the database of the rows is unknown
        && !chains.executed(transaction, event, session.scope, clock)) {
      transaction.gap = true;
      truncatedStatements++;
    }
  }

  private void ended(Event.TransactionEnded event) {
    Session session = session(event.session());
    Transaction transaction = transaction(session, event.transaction());
    if (session.current == transaction) { // a prepared transaction may end while another is active
      leaveTransaction(session);
    }
    if (transaction.outcome != null) {
      return;
    }
    if (!transaction.observed) {
      transaction.began(session, null, "");
    }
    transaction.eventsMayBeLost |= transaction.firstMentionedAt <= anyLostAt;
    boolean lost =
        event.events() > 0 ? event.events() != transaction.events : transaction.eventsMayBeLost;
    transaction.lossy |= lost || !transaction.isBeginObserved();
    transaction.outcome = event.outcome();
    ended(transaction);
    transaction.endedMicros = event.micros();
    if (event.outcome() == Outcome.ABORTED) {
      settle(transaction, true);
    } else if (event.outcome() == Outcome.COMMITTED && !transaction.lossy) {
      committed(transaction);
      orders.committed(session, transaction);
    } else if (event.outcome() == Outcome.UNKNOWN && undecided.size() < MAX_UNDECIDED) {
      undecided.add(transaction);
    }
    transaction.ended();
  }

  private void settle(Transaction transaction, boolean aborted) {
    for (Version version : transaction.writes) {
      boolean vanished = aborted || version.isUndone();
      if (transaction.isObservedWrite(version)
          && (vanished || !transaction.mayHaveFailedToWrite(version))) {
        chains.settle(version, vanished ? Fate.VANISHED : Fate.SURVIVED);
      }
    }
  }

  private void committed(Transaction transaction) {
    transaction.committing = true;
    out.committed(transaction);
    settle(transaction, false);
    transaction.readsCount = true;
    transaction.reads.forEach(chains::settle);
    transaction.committing = false;
    chains.committed(transaction);
    transaction.reportInternalReads(out);
  }

  /**
   * A gap names what is missing as closely as possible. The count at the transaction's end detects
   * lost events where there is one; no count includes work done outside the driver.
   */
  private void gap(Event.Gap gap) {
    if (gap.transaction() != 0) {
      weaken(transaction(gap.transaction()), gap);
    } else if (gap.session() != 0) {
      Session session = sessions.get(gap.session());
      if (session != null && session.current != null) {
        weaken(session.current, gap);
      }
    } else if (mayBeOfAnyEvent(gap)) {
      anyLostAt = clock; // one by one they would be many, and under load such gaps are, too
    } else {
      transactions.forEach(transaction -> weaken(transaction, gap));
    }
  }

  private static boolean mayBeOfAnyEvent(Event.Gap gap) {
    return switch (gap.reason()) {
      case OVERFLOW, TORN_RECORD, CUT_OFF, FORGOTTEN -> true;
      default -> false;
    };
  }

  private static void weaken(Transaction transaction, Event.Gap gap) {
    if (transaction.outcome != null) {
      return;
    }
    if (mayBeOfAnyEvent(gap)) {
      transaction.eventsMayBeLost = true;
      return;
    }
    switch (gap.reason()) {
      case BYPASS, FAULT -> transaction.lossy = true;
      // Its rows were observed; only its version set was not.
      case TOO_LARGE, NO_VERSION_SET -> {}
      default -> transaction.gap = true;
    }
  }

  private void began(Session session, Transaction transaction) {
    leaveTransaction(session);
    session.current = transaction;
    transaction.beganAt = clock;
    Transaction oldest = running.peekFirst();
    orders.began(transaction);
    transaction.horizon = oldest == null ? clock : oldest.beganAt;
    running.addLast(transaction);
  }

  /** Ends the session's current transaction: it continues with another one, or closes. */
  private void leaveTransaction(Session session) {
    if (session.current != null) {
      ended(session.current);
      session.current = null;
      removeEndedFromRunning();
    }
  }

  private void removeEndedFromRunning() {
    while (!running.isEmpty() && running.getFirst().endedAt < Long.MAX_VALUE) {
      running.removeFirst();
    }
  }

  /** Marks a transaction as ended; a prepared one that its session left is so twice. */
  private void ended(Transaction transaction) {
    if (transaction.endedAt != clock) {
      transaction.endedTwice = transaction.endedAt < Long.MAX_VALUE;
      transaction.endedAt = clock;
      ended.addLast(transaction);
    }
  }

  private void opened(Event.SessionOpened event) {
    ids.opened(event.database());
    Database last = lastDatabase;
    Database database = event.database().equals(last) && last != null ? last : event.database();
    lastDatabase = database;
    add(new Session(event.session(), event.name(), database));
  }

  private void add(Session session) {
    session.lastEventAt = clock;
    sessions.put(session.id, session);
    if (sessions.size() > sessionsExpected) {
      evictIdleSessions();
      sessionsExpected = Math.max(maxSessions, sessions.size() + sessions.size() / 8);
    }
  }

  /**
   * Evicts the sessions that were idle for longest: an application that opened so many did not
   * close them. One that resumes is treated as a session whose opening was not observed.
   */
  private void evictIdleSessions() {
    List<Session> idle = new ArrayList<>();
    sessions.forEach(
        session -> {
          if (session.current == null && session.lastEventAt < clock) {
            idle.add(session);
          }
        });
    idle.sort(Comparator.comparingLong(session -> session.lastEventAt));
    for (Session session : idle.subList(0, Math.min(idle.size(), maxSessions / 4))) {
      sessions.remove(session.id);
      evictedSessions++;
    }
  }

  private Session session(long id) {
    Session session = sessions.get(id);
    if (session == null) {
      session = Session.unknown(id);
      add(session);
    }
    session.lastEventAt = clock;
    return session;
  }

  /** The transaction of an event, usually the session's current one. */
  private Transaction transaction(Session session, long id) {
    Transaction current = session.current;
    return current != null && current.id() == id ? current : transaction(id);
  }

  private Transaction transaction(long id) {
    Transaction transaction = transactions.get(id);
    if (transaction == null) {
      transaction = new Transaction(id, footprint);
      transaction.firstMentionedAt = clock;
      transactions.put(id, transaction);
      byFirstMention.addLast(transaction);
    }
    return transaction;
  }
}
