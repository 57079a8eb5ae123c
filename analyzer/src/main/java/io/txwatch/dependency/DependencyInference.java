package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * From events to dependencies, one event at a time: IsoRel's Algorithm 1 (§3.3) over {@link
 * VersionChains}.
 *
 * <p>Dependencies are told between transactions that have committed and of which no event was lost.
 * A version counts once its transaction has committed without having undone it; until then it is
 * open, and nothing is concluded from it. That makes the result a function of the events and not of
 * the order in which sessions' events happen to arrive:
 *
 * <ul>
 *   <li><b>wr</b>: from the writer of a version that survived to each reader of it;
 *   <li><b>ww</b>: from the writer of a version to the writer of the one that stands on it,
 *       versions that vanished in between left out (Adya's version order holds committed versions
 *       only);
 *   <li><b>rw</b>: from each reader of a version to the writer of the one that stands on it,
 *       whether or not the version read survived: the reader saw the row before that write. A
 *       deletion stands on the version deleted. The reader of a version whose own writer wrote the
 *       next one made an intermediate read (G1b) and has no such edge.
 * </ul>
 *
 * <p>One ww more does hang on the order of arrival: that of a write which may have made no version
 * ({@link KeyedWrites}).
 *
 * <p>Nothing rests on an event that did not come. A writer that is only a token (another process,
 * lost events) is a place in the chain and never an accusation. A transaction whose count of events
 * does not add up takes no part: a rollback to a savepoint may be what is missing.
 */
public final class DependencyInference {

  /** Of so many transactions whose outcome is not known it is remembered that they are. */
  private static final int MAX_UNDECIDED = 1 << 12;

  private static final int MIN_SESSIONS = 1 << 10;
  private static final int MAX_SESSIONS = 1 << 16;

  /** So many bytes of memory allow for one more session. */
  private static final long BYTES_PER_SESSION = 1 << 12;

  private final DependencyListener out;
  private final VersionChains chains;
  private final CommitOrders orders;
  private final Footprint footprint = new Footprint();
  private final StringCache texts = new StringCache();
  private final int maxSessions;

  /** If there are more sessions it is looked which of them can be let go. */
  private int sessionsExpected;

  private final LongTable<Session> sessions;
  private final LongTable<Transaction> transactions = new LongTable<>();

  /** Transactions that run, and some that ran beside them, in the order in which they began. */
  private final ArrayDeque<Transaction> running = new ArrayDeque<>();

  /** Transactions that are over and not discarded, as they ended. */
  private final ArrayDeque<Transaction> ended = new ArrayDeque<>();

  /** Transactions as they were first heard of, those among them of which only a token was seen. */
  private final ArrayDeque<Transaction> byFirstMention = new ArrayDeque<>();

  /** Transactions of which nobody knows how they ended. */
  private final List<Transaction> undecided = new ArrayList<>();

  private long clock;
  private long truncatedStatements;

  /** Sessions that were let go because there were too many. */
  private long evictedSessions;

  /** The DBMS of the session that was opened last: most often that of the next one, too. */
  private @Nullable Database lastDatabase;

  /** Tells {@code out} what it finds, from within {@link #accept}. */
  public DependencyInference(DependencyListener out) {
    this(out, Set.of());
  }

  /**
   * Tells {@code out} what it finds, from within {@link #accept}.
   *
   * @param orders which orders count besides dependencies
   */
  public DependencyInference(DependencyListener out, Set<CommitOrder> orders) {
    this(out, orders, Long.MAX_VALUE);
  }

  /**
   * Tells {@code out} what it finds, from within {@link #accept}.
   *
   * @param orders which orders count besides dependencies
   * @param maxBytes one statement may let {@link #bytes} grow to so many; what of its rows does not
   *     fit is left out
   */
  public DependencyInference(DependencyListener out, Set<CommitOrder> orders, long maxBytes) {
    this(out, orders, maxBytes, new LongTable<>(), 0);
  }

  private DependencyInference(
      DependencyListener out,
      Set<CommitOrder> orders,
      long maxBytes,
      LongTable<Session> sessions,
      long clock) {
    this.out = out;
    this.orders = new CommitOrders(orders, out);
    this.chains = new VersionChains(out, this::transaction, transactions::get, footprint, maxBytes);
    this.sessions = sessions;
    this.clock = clock;
    this.maxSessions =
        (int) Math.max(MIN_SESSIONS, Math.min(MAX_SESSIONS, maxBytes / BYTES_PER_SESSION));
    this.sessionsExpected = maxSessions;
  }

  /**
   * One that knows the open sessions and the time of this one, which must not be used any more, and
   * nothing else. Of transactions that run only what comes from now on is known, so they take part
   * in no dependency.
   */
  public DependencyInference restarted(
      DependencyListener listener, Set<CommitOrder> commitOrders, long maxBytes) {
    sessions.forEach(
        session -> {
          session.current = null;
          session.committed = null;
        });
    return new DependencyInference(listener, commitOrders, maxBytes, sessions, clock);
  }

  /** Takes one event. Events of one session must come in the order in which they happened. */
  public void accept(Event event) {
    clock++;
    if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      Session session = session(e.session());
      Transaction transaction = transaction(e.transaction());
      transaction.began(session, e.level());
      transaction.events++;
      began(session, transaction);
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else if (event instanceof Event.StatementsUndone e) {
      Transaction transaction = transaction(e.transaction());
      transaction.events++;
      if (transaction.outcome == null) {
        transaction.undone(e.firstStatement(), e.lastStatement());
      }
    } else if (event instanceof Event.SessionOpened e) {
      opened(e);
    } else if (event instanceof Event.SessionClosed e) {
      Session session = sessions.get(e.session());
      if (session != null) {
        leaveTransaction(session);
        sessions.remove(e.session());
      }
    } else if (event instanceof Event.Gap e) {
      gap(e);
    }
  }

  /** How many events have come. */
  public long clock() {
    return clock;
  }

  /** How many transactions are remembered, those included of which only a token was seen. */
  public int transactions() {
    return transactions.size();
  }

  /** How many bytes are kept, by the sizes of the objects. */
  public long bytes() {
    return chains.bytes() + (long) Footprint.TRANSACTION * transactions.size();
  }

  /** How many statements had more rows than fitted into the memory, since this was last called. */
  public long truncatedStatements() {
    long since = truncatedStatements;
    truncatedStatements = 0;
    return since;
  }

  /** How many sessions were let go because there were too many, since this was last called. */
  public long evictedSessions() {
    long since = evictedSessions;
    evictedSessions = 0;
    return since;
  }

  /** Whether more could be discarded if the oldest transaction that runs were not there. */
  public boolean isBlockedByOldest(long retained) {
    Transaction oldest = running.peekFirst();
    return oldest != null && oldest.horizon < Math.min(retained, clock);
  }

  /**
   * Discards transactions that run and for which alone more is kept than so many bytes. What they
   * do from now on takes part in no dependency.
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
   * Discards the oldest transactions that run, so that those can be discarded that were over before
   * the others began. What they do from now on takes part in no dependency.
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

  /** The horizons as they are without those that were given up. */
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

  /** How many versions are remembered. */
  public int versions() {
    return chains.versions();
  }

  /**
   * Discards the transactions that were over when the oldest one began that ran as the oldest one
   * that runs now began.
   *
   * @param retained whoever was over at this time or later is not to be discarded
   * @param versionsNamed the same for versions that were named at this time or later, needed or not
   */
  public void discard(long retained, long versionsNamed) {
    discard(false, retained, versionsNamed, false);
  }

  /**
   * The same for want of memory: what is kept only because it may be of use goes at once.
   *
   * @param early whether all that are over are to be discarded, {@code retained} or not
   * @return how many were discarded early
   */
  public long makeRoom(boolean early, long retained) {
    return discard(early, retained, clock, true);
  }

  private long discard(boolean early, long retained, long versionsNamed, boolean atOnce) {
    Transaction oldest = running.peekFirst();
    long floor = Math.min(retained, oldest == null ? clock : oldest.horizon);
    long discardedEarly = 0;
    long overBefore = early ? Long.MAX_VALUE : floor;
    while (!ended.isEmpty()) {
      Transaction transaction = ended.getFirst();
      if (transaction.endedAt >= overBefore && !transaction.endedTwice) {
        break;
      }
      ended.removeFirst();
      if (transaction.endedTwice) {
        transaction.endedTwice = false;
      } else {
        discardedEarly += transaction.endedAt >= floor ? 1 : 0;
        discard(transaction);
      }
    }
    long since = early ? clock : floor;
    while (!byFirstMention.isEmpty() && byFirstMention.getFirst().firstMentionedAt < since) {
      Transaction transaction = byFirstMention.removeFirst();
      if (!transaction.observed) {
        discard(transaction);
      }
    }
    if (early) {
      running.removeIf(Transaction::isDiscarded);
    }
    chains.prune(early ? clock : Math.min(floor, versionsNamed), clock, atOnce);
    return discardedEarly;
  }

  private void discard(Transaction transaction) {
    chains.discarded(transaction);
    transaction.discard();
    transactions.remove(transaction.id());
  }

  /**
   * Tells what would be there besides if the transactions that are undecided committed as they are:
   * those that run, and those of which nobody knows how they ended. Changes nothing.
   *
   * @param before only those that began before this {@linkplain #clock time}
   * @param most if these have read and written more versions than this, nothing is told
   * @return whether something was told
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
                || transaction.reads.isEmpty() && transaction.writes.isEmpty());
    long work = 0;
    for (Transaction transaction : supposed) {
      work += transaction.reads.size() + transaction.writes.size();
    }
    if (supposed.isEmpty() || work > most) {
      return false;
    }
    HypotheticalDependencies.infer(supposed, listener);
    return true;
  }

  /** Rows whose writers' lists contradicted each other, and which are left alone since. */
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
      transaction.began(session, null);
      began(session, transaction);
    }
    transaction.events++;
    transaction.executed(event, clock, texts);
    if (event.succeeded()
        && session.opened // else the rows may be any database's
        && !chains.executed(transaction, event, session.database.place(), clock)) {
      transaction.gap = true;
      truncatedStatements++;
    }
  }

  private void ended(Event.TransactionEnded event) {
    Session session = session(event.session());
    Transaction transaction = transaction(session, event.transaction());
    if (session.current == transaction) { // a prepared one may end while another is open
      leaveTransaction(session);
    }
    if (transaction.outcome != null) {
      return;
    }
    if (!transaction.observed) {
      transaction.began(session, null);
    }
    boolean lost =
        event.events() > 0 ? event.events() != transaction.events : transaction.eventsMayBeLost;
    transaction.lossy |= lost || !transaction.levelKnown();
    transaction.outcome = event.outcome();
    ended(transaction);
    transaction.endedMicros = event.micros();
    if (event.outcome() == Outcome.ABORTED) {
      transaction.writes.forEach(version -> chains.settle(version, Fate.VANISHED));
    } else if (event.outcome() == Outcome.COMMITTED && !transaction.lossy) {
      committed(transaction);
      orders.committed(session, transaction);
    } else if (event.outcome() == Outcome.UNKNOWN && undecided.size() < MAX_UNDECIDED) {
      undecided.add(transaction);
    }
    transaction.ended();
  }

  private void committed(Transaction transaction) {
    transaction.committing = true;
    out.committed(transaction);
    for (Version version : transaction.writes) {
      chains.settle(
          version, transaction.isUndone(version.statement) ? Fate.VANISHED : Fate.SURVIVED);
    }
    transaction.readsCount = true;
    transaction.reads.forEach(chains::settle);
    transaction.committing = false;
    chains.committed(transaction);
    transaction.reportInternalReads(out);
  }

  /**
   * A gap names what is missing as closely as it can. Lost events are found out by the count at the
   * transaction's end where there is one; what was done behind our back is not in any count.
   */
  private void gap(Event.Gap gap) {
    if (gap.transaction() != 0) {
      weaken(transaction(gap.transaction()), gap);
    } else if (gap.session() != 0) {
      Session session = sessions.get(gap.session());
      if (session != null && session.current != null) {
        weaken(session.current, gap);
      }
    } else {
      transactions.forEach(transaction -> weaken(transaction, gap));
    }
  }

  private static void weaken(Transaction transaction, Event.Gap gap) {
    if (transaction.outcome != null) {
      return;
    }
    switch (gap.reason()) {
      case OVERFLOW, TORN_RECORD, CUT_OFF, FORGOTTEN -> transaction.eventsMayBeLost = true;
      case BYPASS, FAULT -> transaction.lossy = true;
      // Its rows were seen, only what its predicate chose from was not.
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

  /** A session that goes on to another transaction, or closes, is through with the one before. */
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

  /** Notes that a transaction is over; a prepared one that its session left is so twice. */
  private void ended(Transaction transaction) {
    if (transaction.endedAt != clock) {
      transaction.endedTwice = transaction.endedAt < Long.MAX_VALUE;
      transaction.endedAt = clock;
      ended.addLast(transaction);
    }
  }

  private void opened(Event.SessionOpened event) {
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
   * Lets those sessions go of which nothing has come for longest: whoever opened so many has
   * discarded to close them. One that goes on is as one whose opening was not seen.
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

  /** The transaction of an event: most often the one that runs in its session. */
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
