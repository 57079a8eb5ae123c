package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.interleave.wait.WaitMonitor;
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
 * Detects whether the sessions of a case are quiescent: each idle, or blocked by an idle one. The
 * DBMS reports which sessions are blocked. For a DBMS in this process the report may be out of
 * date, so the thread's state and its CPU time are checked as well.
 */
final class QuiescenceDetector {

  /** More CPU time than an unblocked statement needs to fail, unless its code is new to the JVM. */
  private static final long MAX_FAILURE_CPU_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * More CPU time than a busy-waiting statement needs to retry once and to find that it is still
   * blocked.
   */
  private static final long MAX_RETRY_CPU_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  /** A busy-waiting session appears as blocked in at least one of five polls. */
  private static final int MIN_POLLS = 100;

  /**
   * The CPU time of many retries. Polls see the same state while the session gets no CPU time, so a
   * poll counts only if the session has used this much since the last one that counts.
   */
  private static final long MIN_CPU_BETWEEN_POLLS_NANOS = TimeUnit.MICROSECONDS.toNanos(20);

  /** A released session must resume within this many polls, with growing intervals. */
  private static final int MAX_POLLS_UNTIL_RESUMED = 8;

  private final Dbms dbms;
  private final WaitMonitor monitor;
  private final Map<String, CaseSession> sessions;
  private final Queue<CaseSession> completed;
  private final CpuTimeBudget cpuBudget;

  /** The sessions that the last poll reported as blocked. */
  private Set<Long> lastWaiters = Set.of();

  /** The blockers of busy-waiting sessions, as polled since the last completion. */
  private final Map<Long, Set<Long>> busyWaits = new HashMap<>();

  /** The number of polls since the last completion. */
  private int polls;

  /** The polls that count of each busy-waiting session. */
  private final Map<Long, BusyWaitPolls> busyWaitPolls = new HashMap<>();

  /**
   * Polls of a busy-waiting session.
   *
   * @param cpuNanos its CPU time at the last poll that counts
   */
  private record BusyWaitPolls(int count, long cpuNanos) {}

  /**
   * The sessions with uncommitted changes at the last quiescent state, if the DBMS reports them.
   */
  private Set<Long> lastSessionsWithChanges = Set.of();

  /** True if other sessions were blocked when the last step was submitted. */
  private boolean othersWaited;

  /**
   * Creates a detector for one case.
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

  /** Records that a step is about to be submitted. */
  void submitted(boolean othersBlocked) {
    othersWaited = othersBlocked;
    cpuBudget.begin();
  }

  /**
   * Records that a step was submitted or has completed: blocked sessions may have been released.
   */
  void reset() {
    busyWaits.clear();
    polls = 0;
    busyWaitPolls.clear();
    if (dbms.blocksCallingThread()) {
      sessions.values().stream().filter(CaseSession::isBusy).forEach(CaseSession::restartCpuClock);
    }
  }

  /** The wait-for graph, if each busy session is blocked by an idle one. */
  Optional<Map<Long, Set<Long>>> waitGraphIfQuiescent(List<CaseSession> busy) throws SQLException {
    if (busy.size() == sessions.size()) { // no idle session is left that could block them
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
        || busy.stream().anyMatch(this::isOnlyHolderOfLocks)
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
   * The wait-for graph of the case's sessions. A busy-waiting session is not reported as blocked at
   * every moment: one report is enough while nothing else happens. A released session is reported
   * as blocked until it resumes; its former blocker then has no uncommitted changes.
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
    BusyWaitPolls previous = busyWaitPolls.getOrDefault(session.key(), new BusyWaitPolls(0, 0));
    long computed = session.cpuNanos();
    if (computed - previous.cpuNanos() >= MIN_CPU_BETWEEN_POLLS_NANOS) {
      busyWaitPolls.put(session.key(), new BusyWaitPolls(previous.count() + 1, computed));
    }
  }

  /**
   * True if none of a session's blockers belongs to this case: a vacuum, for example, which ends
   * soon.
   */
  private boolean isBlockedByOthersOnly(@Nullable Set<Long> blockers) {
    return blockers != null
        && !blockers.isEmpty()
        && sessions.values().stream().noneMatch(session -> blockers.contains(session.key()));
  }

  /**
   * True if no other session of the case holds locks, regardless of who blocks this one: a thread
   * of the server, which ends soon. InnoDB's purge, for example, uses tables that a definition has
   * to wait for. A DBMS in this process may never wake a session again.
   */
  private boolean isOnlyHolderOfLocks(CaseSession session) {
    return !dbms.blocksCallingThread()
        && sessions.values().stream().noneMatch(other -> other != session && other.holdsLocks());
  }

  /**
   * True if a session's blockers have no uncommitted changes left: it was released and its thread
   * has not run yet, or its wakeup was lost and it stays blocked.
   */
  private boolean mayBeUnblocked(@Nullable Set<Long> blockers) {
    return dbms.blocksCallingThread()
        && blockers != null
        && polls < MAX_POLLS_UNTIL_RESUMED
        && !monitor.sessionsWithChanges().containsAll(blockers);
  }

  /** True if a session has been released, whatever the DBMS still reports. */
  private boolean anyResumed(Collection<CaseSession> busy) {
    return busy.stream()
        .anyMatch(
            session -> isRunnable(session) && session.cpuNanos() < maxResumedCpuNanos(session));
  }

  /** The most CPU time that a released session uses while it is still reported as blocked. */
  private long maxResumedCpuNanos(CaseSession session) {
    if (isDeadlockVictim(session)) {
      return cpuBudget.maxNanos();
    }
    return session.isBlocked() || !othersWaited ? MAX_RETRY_CPU_NANOS : MAX_FAILURE_CPU_NANOS;
  }

  /**
   * True if the thread of a busy session is runnable: the session makes progress, or it busy-waits,
   * as H2's sessions do for one that has rolled back to a savepoint or whose statement has failed.
   */
  boolean isRunnable(CaseSession session) {
    return dbms.blocksCallingThread() && !session.isThreadWaiting();
  }

  /**
   * True if a session is a deadlock victim that has not returned yet: it is reported as blocked
   * until it does. It had changes that blocked others, and they have been rolled back.
   */
  private boolean isDeadlockVictim(CaseSession session) {
    return lastSessionsWithChanges.contains(session.key())
        && !monitor.sessionsWithChanges().contains(session.key());
  }

  /**
   * True if a session has used more CPU time than any statement of a case needs, and the DBMS
   * reports it as not blocked, or as blocked only by a session that is blocked as well. CPU time
   * does not depend on other load of the machine. All other busy sessions must be blocked or must
   * have used up their CPU time, too, since they could release it.
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
    BusyWaitPolls previous = busyWaitPolls.get(session.key());
    return previous != null && previous.count() >= MIN_POLLS;
  }

  private boolean exceedsCpuBudget(CaseSession session) {
    return session.cpuNanos() > cpuBudget.maxNanos();
  }

  /** True if some of the sessions form a cycle, or are blocked by such a cycle. */
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
