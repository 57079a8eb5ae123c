package io.txwatch.capture;

import io.txwatch.history.BackgroundThreads;
import io.txwatch.history.Event.Waited.Holder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Samples who waits for whom. While no watched statement runs for long, nothing is sent to a DBMS.
 *
 * <p>A wait counts only if it is certain whose it is: the statement that waits and the transaction
 * that it waits for must be the same before and after the list was read.
 */
final class WaitSampler {

  /**
   * The time between two samples. InnoDB's lists of transactions are a copy that is not renewed
   * while it is read more often than every 100 ms.
   */
  static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

  /** Statements that return sooner are not considered. */
  private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final RunningSessions sessions;
  private boolean isRunning;

  WaitSampler(RunningSessions sessions) {
    this.sessions = sessions;
  }

  /** Samples from now on, as long as there are sessions. */
  synchronized void start() {
    if (!isRunning) {
      isRunning = true;
      BackgroundThreads.create("txwatch-waits", this::run).start();
    }
  }

  private void run() {
    while (goesOn()) {
      try {
        TimeUnit.NANOSECONDS.sleep(INTERVAL_NANOS / 2);
        sample();
      } catch (InterruptedException e) {
        // it ends with the last session, and not before
      } catch (RuntimeException e) {
        // a session that was closed meanwhile
      }
    }
  }

  private synchronized boolean goesOn() {
    isRunning = sessions.hasSome();
    return isRunning;
  }

  /** Reads the waits of each database in which a statement has been running for some time. */
  void sample() {
    long now = System.nanoTime();
    List<SessionTracker> all = sessions.all();
    Map<WaitReader, Map<SessionTracker, SessionTracker.Running>> slow = new HashMap<>();
    for (SessionTracker session : all) {
      WaitReader reader = session.waitReader();
      if (reader != null) {
        session
            .running(now, MIN_NANOS)
            .ifPresent(
                running ->
                    slow.computeIfAbsent(reader, m -> new HashMap<>()).put(session, running));
      }
    }
    slow.forEach(
        (reader, running) -> {
          if (reader.isTime(Set.copyOf(running.values()), now)) {
            sample(reader, running, all, now);
          }
        });
  }

  private static void sample(
      WaitReader reader,
      Map<SessionTracker, SessionTracker.Running> slow,
      List<SessionTracker> all,
      long now) {
    Map<SessionTracker, Long> before = new HashMap<>();
    for (SessionTracker session : all) {
      before.put(session, session.open());
    }
    Optional<Map<Long, Set<Long>>> read = reader.read(now);
    if (read.isEmpty()) {
      return;
    }
    Map<Long, Set<Long>> waits = read.get();
    slow.forEach(
        (session, running) -> {
          Set<Long> holding =
              withoutWaiting(waits.getOrDefault(session.connectionNumber(), Set.of()), waits);
          List<Holder> holders = new ArrayList<>();
          for (long connection : holding) {
            holder(connection, session.place(), all, before).ifPresent(holders::add);
          }
          holders.sort(
              Comparator.comparingLong(Holder::transaction).thenComparingLong(Holder::session));
          session.sampled(running, holders, now);
        });
  }

  /** Those that do not wait themselves, unless all do: others only wait in front. */
  private static Set<Long> withoutWaiting(Set<Long> connections, Map<Long, Set<Long>> waits) {
    Set<Long> holding = new HashSet<>(connections);
    holding.removeAll(waits.keySet());
    return holding.isEmpty() ? connections : holding;
  }

  /** The transaction of a connection; empty if it is not certain which one. */
  private static Optional<Holder> holder(
      long connection, String place, List<SessionTracker> all, Map<SessionTracker, Long> before) {
    if (connection == 0) { // no connection: a branch that was prepared
      return Optional.empty();
    }
    boolean mayBeWatched = false;
    for (SessionTracker session : all) {
      long number = session.connectionNumber();
      boolean isHere = session.place().equals(place);
      if (isHere && number == connection) {
        long transaction = before.getOrDefault(session, 0L);
        return transaction != 0 && transaction == session.open()
            ? Optional.of(new Holder(session.session(), transaction))
            : Optional.empty();
      }
      mayBeWatched |= number == connection || (isHere && number == 0);
    }
    return mayBeWatched ? Optional.empty() : Optional.of(Holder.NOT_WATCHED);
  }
}
