package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.Step;
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
 * that it is the same in every run, whoever wins ({@link ConcurrentWakeup}).
 */
final class WakeupRaceDetector {

  private static final Pattern ROLLBACK_TO = Pattern.compile("(?i)^\\s*ROLLBACK\\s+TO\\b");

  /** True if who was let through a lock keeps it to its end, whatever it then does with the row. */
  private final boolean keepsLocks;

  private final boolean isDeadlockVictimTimingDependent;
  private final boolean mayMissSavepointWakeup;
  private final boolean hasUnfairLocks;

  /** Who waited for whom when all were last at rest. */
  private Map<Long, Set<Long>> waitGraph = Map.of();

  /** The session that submitted, if it had done nothing before that others can wait for. */
  private @Nullable CaseSession lockFreeSubmitter;

  private final Set<Long> ended = new HashSet<>();
  private final Set<Long> victims = new HashSet<>();

  /** Those that have taken back a part of their transaction, by an error or by going back. */
  private final Set<Long> partiallyRolledBack = new HashSet<>();

  /** The same when all were last at rest. */
  private Set<Long> wasPartiallyRolledBack = Set.of();

  private @Nullable CaseSession submitter;

  /** True if what it submitted can but end its transaction, or a part of it. */
  private boolean onlyEndsTransaction;

  private Optional<String> race = Optional.empty();

  WakeupRaceDetector(Dbms dbms, IsolationLevel level) {
    this.keepsLocks = level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
    this.isDeadlockVictimTimingDependent = dbms.isDeadlockVictimTimingDependent();
    this.mayMissSavepointWakeup = dbms.mayMissSavepointWakeup();
    this.hasUnfairLocks = dbms.hasUnfairLocks();
  }

  /** A session submits a step, while the others are at rest. */
  void submitted(CaseSession session, Step step) {
    submitter = session;
    onlyEndsTransaction = step.role() != Step.Role.WORK || rollsBackToSavepoint(step);
    lockFreeSubmitter = session.holdsLocks() ? null : session;
  }

  /** A step has completed. */
  void completed(CaseSession session, StepOutcome outcome) {
    Failure failure = outcome.failure();
    if (failure != null && failure.kind() == Failure.Kind.DEADLOCK) {
      victims.add(session.key());
    }
    boolean ends = !session.isInTransaction() || session.needsRollback();
    boolean rollsBackPartially =
        !ends
            && (rollsBackToSavepoint(outcome.step())
                || (!outcome.succeeded() && waitGraph.containsKey(session.key())));
    if (rollsBackPartially
        && mayMissSavepointWakeup
        && race.isEmpty()
        && waitGraph.values().stream().anyMatch(blockers -> blockers.contains(session.key()))) {
      race = Optional.of("who waits is woken by '" + outcome.step().sql() + "' or not");
    }
    if (ends) {
      partiallyRolledBack.remove(session.key());
    } else if (rollsBackToSavepoint(outcome.step()) || !outcome.succeeded()) {
      partiallyRolledBack.add(session.key());
    }
    if ((ends || rollsBackPartially) && session != lockFreeSubmitter) {
      ended(session);
    }
  }

  private static boolean rollsBackToSavepoint(Step step) {
    return ROLLBACK_TO.matcher(step.sql()).find();
  }

  /** A session's transaction has ended. */
  void ended(CaseSession session) {
    ended.add(session.key());
  }

  /** All are at rest again, these because they wait for those. */
  void onQuiescence(Map<Long, Set<Long>> waiting) {
    if (waitGraph.size() > 1 && race.isEmpty() && isRace(waiting.keySet())) {
      race = Optional.of("several sessions are set free at a time");
    }
    if (mayMissSavepointWakeup && !victims.isEmpty() && race.isEmpty() && hadBusyWaiter()) {
      race = Optional.of("who finds a deadlock is who closes the circle, or who waits in it");
    }
    wasPartiallyRolledBack = Set.copyOf(partiallyRolledBack);
    waitGraph = waiting;
    submitter = null;
    onlyEndsTransaction = false;
    lockFreeSubmitter = null;
    ended.clear();
    victims.clear();
  }

  /**
   * True if one that waited looked for circles again and again, beside who closed one: H2's do that
   * wait for one that has taken something back. Who waits for the victim is not woken if another
   * one than the victim has found the circle (2.5.252).
   */
  private boolean hadBusyWaiter() {
    return waitGraph.values().stream()
        .anyMatch(blockers -> blockers.stream().anyMatch(wasPartiallyRolledBack::contains));
  }

  private boolean isRace(Set<Long> waiting) {
    if (!victims.isEmpty() && isDeadlockVictimTimingDependent) {
      return true;
    }
    Set<Long> stillBlocked = hasUnfairLocks ? Set.of() : waiting;
    ConcurrentWakeup wakeup = new ConcurrentWakeup(ended, victims, stillBlocked, keepsLocks);
    return submitter == null || onlyEndsTransaction
        ? wakeup.mayOverlapAfterEnds(waitGraph)
        : wakeup.mayOverlapAfterStatementOf(submitter.key(), waitGraph);
  }

  /** Why another run may go another way. */
  Optional<String> race() {
    return race;
  }
}
