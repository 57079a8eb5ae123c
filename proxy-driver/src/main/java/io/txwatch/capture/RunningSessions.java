package io.txwatch.capture;

import io.txwatch.history.Event.Deadlocked.Waiter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * The watched sessions of this process, to find the other side of a deadlock or of a wait among
 * them. Thread-safe.
 */
public final class RunningSessions {

  /** Those of this process. */
  public static final RunningSessions OF_THIS_PROCESS = new RunningSessions();

  private final Set<SessionTracker> sessions = Collections.newSetFromMap(new WeakHashMap<>());

  private final WaitSampler sampler = new WaitSampler(this);

  void add(SessionTracker session) {
    synchronized (this) {
      sessions.add(session);
    }
    if (session.waitReader() != null) {
      sampler.start();
    }
  }

  synchronized boolean hasSome() {
    return !sessions.isEmpty();
  }

  synchronized void remove(SessionTracker session) {
    sessions.remove(session);
  }

  synchronized List<SessionTracker> all() {
    return new ArrayList<>(sessions);
  }

  /**
   * What a session was doing when a deadlock of another one ended.
   *
   * @param connection the number that the DBMS gave to its connection; 0 if it is not known
   * @param executing its only statement that may have been executing then; empty if none, or
   *     several, may
   */
  public record Snapshot(
      long connection, long session, Optional<SessionTracker.Executing> executing) {

    /** The session as a part of the deadlock. */
    public Waiter waiter() {
      return executing
          .map(one -> new Waiter(session, one.transaction(), one.statement()))
          .orElse(new Waiter(session, 0, 0));
    }

    /** Whether its statement had returned, and something that is no statement may have followed. */
    public boolean isOver() {
      return executing.filter(SessionTracker.Executing::isOver).isPresent();
    }

    /** The same without a statement that had returned. */
    public Snapshot withoutReturned() {
      return isOver() ? new Snapshot(connection, session, Optional.empty()) : this;
    }

    /**
     * Whether its statement may have waited for a row, in a transaction that may have locked one.
     */
    public boolean mayHaveWaited() {
      return executing.filter(one -> one.mayLock() && one.statement() > 1).isPresent();
    }
  }

  /**
   * The other sessions in the database of one. Locks one session after the other, so the caller
   * must have locked none.
   *
   * @param from when the statement of {@code of} was sent that failed, by {@link System#nanoTime}
   * @param to when it had returned
   */
  public List<Snapshot> others(SessionTracker of, long from, long to) {
    String place = of.place();
    List<Snapshot> others = new ArrayList<>();
    for (SessionTracker other : all()) {
      if (other != of && other.place().equals(place)) {
        others.add(
            new Snapshot(other.connectionNumber(), other.session(), other.executing(from, to)));
      }
    }
    return others;
  }
}
