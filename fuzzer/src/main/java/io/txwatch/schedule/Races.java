package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Tells where a case is no longer ours to order: sessions that wait are set free at the same time,
 * and run side by side until each is at rest. Which of them comes first to what both want is the
 * scheduler's doing, and another run may end otherwise.
 *
 * <p>Told by who waited for whom when the sessions were last at rest, and who has ended since, so
 * that it is the same in every run, whoever wins.
 */
final class Races {

  private static final Pattern ROLLBACK_TO = Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\b");

  /** True if who was let through a lock keeps it to its end, whatever it then does with the row. */
  private final boolean locksAreKept;

  private final boolean victimsHangOnTime;
  private final boolean wakesByChance;

  /** Who waited for whom when all were last at rest. */
  private Map<Long, Set<Long>> waited = Map.of();

  /** The session that submitted, if it had done nothing before that others can wait for. */
  private @Nullable Session harmless;

  private final Set<Long> ended = new HashSet<>();
  private final Set<Long> victims = new HashSet<>();

  /** True if the step that was submitted has completed. */
  private boolean cameBack;

  private @Nullable Session submitter;
  private Optional<String> found = Optional.empty();

  Races(Dbms dbms, IsolationLevel level) {
    this.locksAreKept = level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
    this.victimsHangOnTime = dbms.victimsHangOnTime();
    this.wakesByChance = dbms.wakesByChance();
  }

  /** A session submits a step, while the others are at rest. */
  void submitted(Session session) {
    submitter = session;
    harmless = session.holdsLocks() ? null : session;
  }

  /** A step has completed. */
  void completed(Session session, StepOutcome outcome) {
    Failure failure = outcome.failure();
    cameBack |= session == submitter;
    if (failure != null && failure.kind() == Failure.Kind.DEADLOCK) {
      victims.add(session.key());
    }
    boolean goesBack = ROLLBACK_TO.matcher(outcome.step().sql()).find();
    if (goesBack
        && wakesByChance
        && found.isEmpty()
        && waited.values().stream().anyMatch(blockers -> blockers.contains(session.key()))) {
      found = Optional.of("who waits is woken by '" + outcome.step().sql() + "' or not");
    }
    boolean releases = !session.isInTransaction() || session.owesRollback() || goesBack;
    if (releases && session != harmless) {
      ended(session);
    }
  }

  /** A session's transaction has ended. */
  void ended(Session session) {
    ended.add(session.key());
  }

  /** All are at rest again, these because they wait for those. */
  void settled(Map<Long, Set<Long>> waiting) {
    if (waited.size() > 1 && found.isEmpty() && isRace()) {
      found = Optional.of("several sessions are set free at a time");
    }
    waited = waiting;
    submitter = null;
    harmless = null;
    cameBack = false;
    ended.clear();
    victims.clear();
  }

  private boolean isRace() {
    if (!victims.isEmpty() && victimsHangOnTime) {
      return true;
    }
    Map<Long, Set<Long>> left = new HashMap<>(waited);
    boolean wasEnd = submitter == null || ended.contains(submitter.key());
    if (!wasEnd) { // a step that closed a circle: its victims made way before anybody went on
      left.keySet().removeAll(victims);
    }
    Set<Long> gone = new HashSet<>(ended);
    gone.removeAll(left.keySet());
    boolean closedCircle = !wasEnd && !victims.isEmpty() && cameBack;
    if (closedCircle && !free(left, gone).isEmpty()) {
      return true; // who closed it went on, and beside it another one
    }
    while (!gone.isEmpty()) {
      Set<Long> free = free(left, gone);
      left.keySet().removeAll(free);
      gone.addAll(free);
      if (free.size() > 1 || (!free.isEmpty() && !locksAreKept && !free(left, gone).isEmpty())) {
        return true;
      }
      if (free.isEmpty() || !ended.containsAll(free)) {
        gone.removeAll(free);
        return !free.isEmpty() && isMadeWayFor(left, gone);
      }
    }
    return false;
  }

  /**
   * True if who was set free goes on beside others: it has closed a circle, and they waited for the
   * victim.
   */
  private boolean isMadeWayFor(Map<Long, Set<Long>> left, Set<Long> gone) {
    left.keySet().removeAll(victims);
    gone.addAll(victims);
    return !victims.isEmpty() && !free(left, gone).isEmpty();
  }

  /** Those of the waiters that wait for nobody who is not gone. */
  private static Set<Long> free(Map<Long, Set<Long>> waiters, Set<Long> gone) {
    Set<Long> free = new HashSet<>();
    waiters.forEach(
        (waiter, blockers) -> {
          if (gone.containsAll(blockers)) {
            free.add(waiter);
          }
        });
    return free;
  }

  /** Why another run may go another way. */
  Optional<String> found() {
    return found;
  }
}
