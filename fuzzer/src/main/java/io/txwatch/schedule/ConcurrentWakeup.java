package io.txwatch.schedule;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Decides whether sessions can have run concurrently between two quiescent states.
 *
 * <p>At a quiescent state no session runs. After a submission, the submitting session runs alone
 * until it is idle or blocked. It may end its transaction or roll back a part of it: the sessions
 * that only it blocked resume. It may close a cycle: the DBMS aborts a victim, and the sessions
 * that the victim blocked resume, concurrently with the session that closed the cycle or in its
 * place. A resumed session may do the same in turn. As long as one session runs at a time, the
 * outcome does not depend on their speed.
 *
 * <p>The initial wait-for graph, the sessions that ended, and the victims are known, but not their
 * order; with two sessions running at a time, the order depends on their speed. The search
 * therefore tries every possible order, and one with two concurrent sessions is enough: they run
 * concurrently in every execution, even if another order explains this one as well.
 *
 * @param ended the sessions that have ended a transaction or rolled back a part of it; includes all
 *     victims
 * @param victims the sessions whose transactions the DBMS has aborted to resolve a deadlock
 * @param stillBlocked the sessions that are known not to have resumed
 * @param keepsLocks true if a session keeps an acquired lock, whatever it then does with the row;
 *     otherwise the next session in the queue may run concurrently
 */
record ConcurrentWakeup(
    Set<Long> ended, Set<Long> victims, Set<Long> stillBlocked, boolean keepsLocks) {

  /**
   * True if two sessions can have run concurrently after a statement of the submitter.
   *
   * @param waitGraph the blocked sessions with their blockers; an empty set of blockers if the DBMS
   *     does not report them, and any end may release the session
   */
  boolean mayOverlapAfterStatementOf(long submitter, Map<Long, Set<Long>> waitGraph) {
    return mayOverlapAfter(submitter, waitGraph, Set.of());
  }

  /** True if two sessions can have run concurrently after sessions that were not blocked ended. */
  boolean mayOverlapAfterEnds(Map<Long, Set<Long>> waitGraph) {
    Set<Long> gone = new HashSet<>(ended);
    gone.removeAll(waitGraph.keySet());
    return !gone.isEmpty() && mayOverlapWithout(waitGraph, gone);
  }

  /** True if two sessions can run once the gone ones have ended. */
  private boolean mayOverlapWithout(Map<Long, Set<Long>> waitGraph, Set<Long> gone) {
    Set<Long> unblocked = unblocked(waitGraph, gone);
    if (unblocked.size() != 1) {
      return unblocked.size() > 1;
    }
    long next = unblocked.iterator().next();
    Map<Long, Set<Long>> others = without(waitGraph, next);
    return (!keepsLocks && !unblocked(others, with(gone, next)).isEmpty())
        || mayOverlapAfter(next, others, gone);
  }

  /** True if two sessions can run as a consequence of what a single running one does. */
  private boolean mayOverlapAfter(long runner, Map<Long, Set<Long>> waitGraph, Set<Long> gone) {
    for (long victim : victims) {
      if (waitGraph.containsKey(victim)) {
        Map<Long, Set<Long>> others = without(waitGraph, victim);
        Set<Long> more = with(gone, victim);
        boolean mayOverlap =
            unblocked(others, more).isEmpty()
                ? mayOverlapAfter(runner, others, more)
                : !stillBlocked.contains(runner) || mayOverlapWithout(others, more);
        if (mayOverlap) {
          return true;
        }
      }
    }
    return ended.contains(runner) && mayOverlapWithout(waitGraph, with(gone, runner));
  }

  /** The blocked sessions whose blockers are all gone. */
  private static Set<Long> unblocked(Map<Long, Set<Long>> waitGraph, Set<Long> gone) {
    Set<Long> unblocked = new HashSet<>();
    waitGraph.forEach(
        (waiter, blockers) -> {
          if (gone.containsAll(blockers)) {
            unblocked.add(waiter);
          }
        });
    return unblocked;
  }

  private static Map<Long, Set<Long>> without(Map<Long, Set<Long>> waitGraph, long session) {
    Map<Long, Set<Long>> others = new HashMap<>(waitGraph);
    others.remove(session);
    return others;
  }

  private static Set<Long> with(Set<Long> gone, long session) {
    Set<Long> more = new HashSet<>(gone);
    more.add(session);
    return more;
  }
}
