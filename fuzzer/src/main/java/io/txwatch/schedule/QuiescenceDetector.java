package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.WaitMonitor;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether the sessions of a case are at rest: each idle, or blocked by one that is. The DBMS
 * says who waits. One that waits in this process is looked at, too, for what is said of it may be
 * late: whether its thread waits, and how much of the processor's time it has had.
 */
final class QuiescenceDetector {

  /** More than a statement computes to fail, once it may go on, unless its code is new. */
  private static final long MAX_FAILURE_CPU_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** More than one computes to try again, and to find that it still has to wait. */
  private static final long MAX_RETRY_CPU_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /** One that waits and tries again and again is shown to wait at one look in five, or more. */
  private static final int MIN_POLLS = 100;

  /**
   * Many tries. Looks show the same as long as the one that is looked at has no processor: one
   * counts that finds it so much further than the one before.
   */
  private static final long MIN_CPU_BETWEEN_POLLS_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  /** One that was set free goes on before it is looked at so often, the longer apart the more. */
  private static final int MAX_POLLS_UNTIL_RESUMED = 8;

  private final Dbms dbms;
  private final WaitMonitor monitor;
  private final Map<String, CaseSession> sessions;
  private final Queue<CaseSession> completed;
  private final CpuTimeBudget cpuBudget;

  /** Those that the DBMS said to wait when it was asked last. */
  private Set<Long> lastWaiters = Set.of();

  /** Whom those wait for that try again and again, as they were shown since the last completion. */
  private final Map<Long, Set<Long>> busyWaits = new HashMap<>();

  /** How often the DBMS has been asked since something happened. */
  private int polls;

  /** The same of those that try again and again: the looks that count. */
  private final Map<Long, BusyWaitPolls> busyWaitPolls = new HashMap<>();

  /**
   * Looks at one that tries again and again.
   *
   * @param cpuNanos how much it had computed at the last that counts
   */
  private record BusyWaitPolls(int count, long cpuNanos) {}

  /** Those that had changed anything when all were last at rest, as far as the DBMS tells. */
  private Set<Long> lastSessionsWithChanges = Set.of();

  /** True if others waited when the last step was submitted. */
  private boolean othersWaited;

  /**
   * For one case.
   *
   * @param sessions its sessions
   */
  QuiescenceDetector(CaseRun.Environment environment, Map<String, CaseSession> sessions) {
    this.dbms = environment.dbms();
    this.monitor = environment.monitor();
    this.completed = environment.completed();
    this.cpuBudget = environment.cpuBudget();
    this.sessions = sessions;
  }

  /** A step is about to be submitted. */
  void submitted(boolean othersBlocked) {
    othersWaited = othersBlocked;
    cpuBudget.begin();
  }

  /** A step has been submitted, or has completed: those who wait may be free. */
  void reset() {
    busyWaits.clear();
    polls = 0;
    busyWaitPolls.clear();
    if (dbms.blocksCallingThread()) {
      sessions.values().stream().filter(CaseSession::isBusy).forEach(CaseSession::restartCpuClock);
    }
  }

  /** Who waits for whom, if each of those that are busy is blocked by one that is idle. */
  Optional<Map<Long, Set<Long>>> waitGraphIfQuiescent(List<CaseSession> busy) throws SQLException {
    if (busy.size() == sessions.size()) { // nobody is left who could block them
      boolean isLong = dbms.mayBusyWait() && busy.stream().anyMatch(this::exceedsCpuBudget);
      lastWaiters = isLong ? pollWaitGraph(busy).keySet() : Set.of();
      return Optional.empty();
    }
    if (anyResumed(busy)) {
      return Optional.empty();
    }
    Map<Long, Set<Long>> waitGraph = pollWaitGraph(busy);
    lastWaiters = waitGraph.keySet();
    if (!busy.stream().allMatch(session -> waitGraph.containsKey(session.key()))
        || busy.stream().anyMatch(session -> isBlockedByOthersOnly(waitGraph.get(session.key())))
        || busy.stream().anyMatch(session -> mayBeUnblocked(waitGraph.get(session.key())))
        || anyResumed(busy)
        || !completed.isEmpty()
        || hasCycle(waitGraph)) {
      return Optional.empty();
    }
    lastSessionsWithChanges = monitor.sessionsWithChanges();
    return Optional.of(waitGraph);
  }

  /**
   * Who of the case waits for whom. One that tries again and again is not shown to wait at every
   * moment: to be shown once is enough, as long as nothing else happens. One that was freed is
   * shown until it has gone on; whom it waited for has nothing left then that others could wait
   * for.
   */
  private Map<Long, Set<Long>> pollWaitGraph(List<CaseSession> busy) throws SQLException {
    polls++;
    Map<Long, Set<Long>> waitGraph = new HashMap<>(monitor.waitGraph());
    waitGraph.keySet().retainAll(sessions.values().stream().map(CaseSession::key).toList());
    for (CaseSession session : busy) {
      if (isRunnable(session)) {
        countPoll(session);
        Set<Long> now = waitGraph.remove(session.key());
        if (now != null && monitor.sessionsWithChanges().containsAll(now)) {
          busyWaits.put(session.key(), now);
        }
        Set<Long> known = busyWaits.get(session.key());
        if (known != null) {
          waitGraph.put(session.key(), known);
        }
      }
    }
    return waitGraph;
  }

  private void countPoll(CaseSession session) {
    BusyWaitPolls sofar = busyWaitPolls.getOrDefault(session.key(), new BusyWaitPolls(0, 0));
    long computed = session.cpuNanos();
    if (computed - sofar.cpuNanos() >= MIN_CPU_BETWEEN_POLLS_NANOS) {
      busyWaitPolls.put(session.key(), new BusyWaitPolls(sofar.count() + 1, computed));
    }
  }

  /**
   * True if none of those that a session waits for is of this case: a vacuum, say, which will not
   * take long.
   */
  private boolean isBlockedByOthersOnly(@Nullable Set<Long> blockers) {
    return blockers != null
        && !blockers.isEmpty()
        && sessions.values().stream().noneMatch(session -> blockers.contains(session.key()));
  }

  /**
   * True if whom a session waits for has nothing left that it could wait for: it has been set free,
   * and its thread has not had its turn; or it was overlooked, and waits for good.
   */
  private boolean mayBeUnblocked(@Nullable Set<Long> blockers) {
    return dbms.blocksCallingThread()
        && blockers != null
        && polls < MAX_POLLS_UNTIL_RESUMED
        && !monitor.sessionsWithChanges().containsAll(blockers);
  }

  /** True if one has been set free, whatever the DBMS still says of it. */
  private boolean anyResumed(Collection<CaseSession> busy) {
    return busy.stream()
        .anyMatch(
            session -> isRunnable(session) && session.cpuNanos() < maxResumedCpuNanos(session));
  }

  /** How much one computes at most that has been set free, while it is still shown to wait. */
  private long maxResumedCpuNanos(CaseSession session) {
    if (isDeadlockVictim(session)) {
      return cpuBudget.maxNanos();
    }
    return session.isBlocked() || !othersWaited ? MAX_RETRY_CPU_NANOS : MAX_FAILURE_CPU_NANOS;
  }

  /**
   * True if one that is busy does not wait in its own thread: it goes on, or tries again and again,
   * as H2's sessions do while they wait for one that has gone back to a savepoint, be it because a
   * statement has failed.
   */
  boolean isRunnable(CaseSession session) {
    return dbms.blocksCallingThread() && !session.isThreadWaiting();
  }

  /**
   * True if one is a deadlock's victim that is on its way back: it is shown to wait until then. It
   * had changed something, for which others waited, and that has been rolled back.
   */
  private boolean isDeadlockVictim(CaseSession session) {
    return lastSessionsWithChanges.contains(session.key())
        && !monitor.sessionsWithChanges().contains(session.key());
  }

  /**
   * True if one computes for longer than any statement of a case takes, and the DBMS does not say
   * that it waits, or only for one that waits as well: told by the processor's time, which does not
   * hang on what else the machine does. All others have to wait, or to have had their time, too:
   * they could set it free.
   */
  boolean anyBusyWaitsForever(Collection<CaseSession> busy) {
    boolean nobodyIsIdle = busy.size() == sessions.size();
    return dbms.mayBusyWait()
        && busy.stream()
            .anyMatch(
                session ->
                    (nobodyIsIdle || !lastWaiters.contains(session.key()))
                        && exceedsCpuBudget(session)
                        && wasPolledOften(session))
        && busy.stream()
            .allMatch(
                session ->
                    exceedsCpuBudget(session)
                        || (lastWaiters.contains(session.key())
                            && (!nobodyIsIdle || session.isThreadWaiting())))
        && completed.isEmpty();
  }

  private boolean wasPolledOften(CaseSession session) {
    BusyWaitPolls sofar = busyWaitPolls.get(session.key());
    return sofar != null && sofar.count() >= MIN_POLLS;
  }

  private boolean exceedsCpuBudget(CaseSession session) {
    return session.cpuNanos() > cpuBudget.maxNanos();
  }

  /** True if some of our sessions wait in a circle, or for those that do. */
  private static boolean hasCycle(Map<Long, Set<Long>> waitGraph) {
    Set<Long> stuck = new HashSet<>(waitGraph.keySet());
    boolean shrinks = true;
    while (shrinks) {
      shrinks =
          stuck.removeIf(
              session ->
                  waitGraph.getOrDefault(session, Set.of()).stream().noneMatch(stuck::contains));
    }
    return !stuck.isEmpty();
  }
}
