package io.txwatch.version;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Which recorded transactions of a database are certainly those of sessions that txwatch does not
 * watch.
 *
 * <p>Where the record has the numbers of connections: those whose number never was a watched
 * session's. Where it has none: those that committed while no watched transaction committed or may
 * have written. Whatever is not certain counts as watched: a number that is no longer remembered,
 * all of them while a watched session has none, what was recorded around a loss of events, and all
 * that several processes watch.
 */
final class WatchedConnections {

  private static final int MAX_NUMBERS = 1 << 14;
  private static final int MAX_SESSIONS = 1 << 10;
  private static final int MAX_COMMITS = 1 << 10;

  /** How long after a loss events may arrive that belong to what was recorded before it. */
  private static final long LOSS_NANOS = VersionResolver.MAX_DELAY_NANOS;

  /** The numbers of all connections that were ever watched, but for the lowest. */
  private final TreeSet<Long> numbers = new TreeSet<>();

  private long highestForgotten = Long.MIN_VALUE;

  /** By the number of an open session: when the last transaction ended whose end has arrived. */
  private final Map<Long, Long> arrived = new HashMap<>();

  /** The watched sessions whose number is not known. */
  private final Set<Long> withoutNumber = new HashSet<>();

  /**
   * Whether the record is known to have the numbers that the drivers have: a proxy in between gives
   * others.
   */
  private boolean numbersAgree;

  /** When watched transactions may have committed. */
  private final ArrayDeque<Window> commits = new ArrayDeque<>();

  private long commitsKeptSince = Long.MIN_VALUE;
  private long trustedFrom = Long.MIN_VALUE;
  private boolean bypassed;
  private boolean shedding;
  private long node = -1;
  private boolean severalNodes;

  void identified(long session, long number) {
    joined(session);
    withoutNumber.remove(session);
    numbers.add(number);
    arrived.put(number, Long.MIN_VALUE); // H2 gives numbers again
    if (numbers.size() > MAX_NUMBERS) {
      highestForgotten = Math.max(highestForgotten, numbers.first());
      numbers.pollFirst();
    }
  }

  /**
   * A session of the application executed something.
   *
   * @param number the number of its connection; 0 if it is not known
   */
  void used(long session, long number) {
    joined(session);
    if (number == 0 && withoutNumber.size() < MAX_SESSIONS) {
      withoutNumber.add(session);
    }
  }

  private void joined(long session) {
    long of = session >>> Integer.SIZE;
    severalNodes |= node >= 0 && node != of;
    node = of;
  }

  /**
   * All events of a session up to a transaction's end have arrived: they do in the order of their
   * execution.
   *
   * @param number the number of its connection
   * @param end when COMMIT, or ROLLBACK, had returned
   */
  void arrived(long number, long end) {
    arrived.computeIfPresent(number, (known, before) -> Math.max(before, end));
  }

  /** A session was closed: no more events of it will arrive. */
  void closed(long number) {
    arrived.remove(number);
  }

  /**
   * Whether the events of a recorded transaction may not have arrived yet. The record shows what an
   * autocommitted statement did before the statement has returned to the application.
   */
  boolean mayArrive(RecordedTransaction recorded) {
    Long end = arrived.get(recorded.connection);
    return end != null && end < recorded.received && !shedding && !bypassed;
  }

  /** A change was found to be of a watched session by its number. */
  void numbersAgree() {
    numbersAgree = true;
  }

  /**
   * A watched transaction ended, whatever its outcome.
   *
   * @param now the time of the last event
   */
  void ended(TimedTransaction transaction, long now) {
    if (!transaction.endTimed || transaction.lossy) {
      endedUnknown(now);
      return;
    }
    long from = transaction.end.sent();
    for (TimedStatement statement : transaction.statements) {
      if (statement.kind.mayWrite()) { // even if it failed: a procedure may commit
        from = Math.min(from, statement.timed ? statement.window.sent() : Long.MIN_VALUE);
      }
    }
    commits.add(new Window(from, transaction.end.returned()));
    if (commits.size() > MAX_COMMITS) {
      commitsKeptSince = Math.max(commitsKeptSince, commits.removeFirst().returned());
    }
  }

  /** A watched transaction ended of which it is not known when it committed. */
  void endedUnknown(long now) {
    commitsKeptSince = Math.max(commitsKeptSince, Window.plus(now, LOSS_NANOS));
  }

  /** Work was done on a watched connection that was not observed. */
  void bypassed() {
    bypassed = true;
  }

  /** Whether events of whole transactions are omitted from now on. */
  void shedding(boolean more) {
    shedding = more;
  }

  /** Events were lost until now. */
  void lost(long now) {
    trustedFrom = Math.max(trustedFrom, Window.plus(now, LOSS_NANOS));
  }

  /**
   * Whether txwatch does not watch the session that committed a recorded transaction.
   *
   * @param open the watched transactions that have not ended
   */
  boolean isNotWatched(RecordedTransaction recorded, Collection<TimedTransaction> open) {
    if (severalNodes || shedding || recorded.received < trustedFrom) {
      return false;
    }
    return recorded.connection == 0
        ? !bypassed && nobodyCommitted(recorded, open)
        : numbersAgree
            && withoutNumber.isEmpty()
            && recorded.connection > highestForgotten
            && !numbers.contains(recorded.connection);
  }

  private boolean nobodyCommitted(RecordedTransaction recorded, Collection<TimedTransaction> open) {
    if (recorded.readBefore < commitsKeptSince) {
      return false;
    }
    for (Window commit : commits) {
      if (commit.sent() <= recorded.received && commit.returned() > recorded.readBefore) {
        return false;
      }
    }
    for (TimedTransaction transaction : open) {
      if (transaction.outcome == null && mayHaveCommitted(transaction, recorded.received)) {
        return false;
      }
    }
    return true;
  }

  /** Whether an active transaction, or a statement that it still executes, may have committed. */
  private static boolean mayHaveCommitted(TimedTransaction transaction, long until) {
    boolean goesOn = false;
    for (TimedStatement statement : transaction.statements) {
      if (statement.timed && statement.window.sent() > until) {
        goesOn = true;
      } else if (statement.kind.mayWrite()) {
        return true;
      }
    }
    return transaction.lossy || !goesOn;
  }
}
