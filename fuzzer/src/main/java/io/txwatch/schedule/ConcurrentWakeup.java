package io.txwatch.schedule;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Tells whether sessions can have run side by side between two moments at which all were at rest.
 *
 * <p>At rest nobody runs. Whose step is submitted then runs alone, until it is idle again, or
 * waits. It may end its transaction, or take a statement back: those go on who waited for it alone.
 * It may close a circle, and a victim makes way: those go on who waited for the victim, beside who
 * closed the circle or in its place. Who goes on may do the same in its turn. As long as that is
 * one at a time, nobody can be faster than another.
 *
 * <p>It is known who waited for whom before, who has ended since, and who was a victim, but not in
 * which order, and with two at a time that hangs on who was faster. So every order is tried that
 * can have led there, and one in which two run at a time is enough: they do in every run, be it
 * that another order explains what came of this one as well.
 *
 * @param ended who has ended a transaction, or taken back a part of it; all victims have
 * @param victims whose transactions the DBMS has ended in favour of others
 * @param stillBlocked those of whom it is known that they have not gone on: they wait for what they
 *     waited for
 * @param keepsLocks true if who was let through a lock keeps it, whatever it then does with the
 *     row; otherwise the next in the queue may go on beside it
 */
record ConcurrentWakeup(
    Set<Long> ended, Set<Long> victims, Set<Long> stillBlocked, boolean keepsLocks) {

  /**
   * True if two can have run at a time after one had submitted a statement.
   *
   * @param waitGraph each of those that waited then, with those that it waited for; none if the
   *     DBMS does not tell, and any end may set it free
   */
  boolean mayOverlapAfterStatementOf(long submitter, Map<Long, Set<Long>> waitGraph) {
    return mayOverlapAfter(submitter, waitGraph, Set.of());
  }

  /** The same after the ends of those that did not wait. */
  boolean mayOverlapAfterEnds(Map<Long, Set<Long>> waitGraph) {
    Set<Long> gone = new HashSet<>(ended);
    gone.removeAll(waitGraph.keySet());
    return !gone.isEmpty() && mayOverlapWithout(waitGraph, gone);
  }

  /** True if two can run once these are gone, while those wait. */
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

  /** True if two can run by what one does that runs alone, while those wait. */
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

  /** Those of the waiters that wait for nobody who is not gone. */
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
