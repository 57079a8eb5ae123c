package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Detects where the executor no longer controls the order of a case: several blocked sessions are
 * released together and run concurrently until the case is quiescent. The scheduler decides which
 * of them first reaches a common row, so another execution may differ.
 *
 * <p>The detector uses the wait-for graph of the last quiescent state and the transactions that
 * have ended since, so its answer is the same in every execution, whichever session wins ({@link
 * ConcurrentWakeup}).
 */
final class WakeupRaceDetector {

  /** True if a session keeps an acquired lock to its end, whatever it then does with the row. */
  private final boolean keepsLocks;

  private final boolean isDeadlockVictimTimingDependent;
  private final boolean mayMissSavepointWakeup;
  private final boolean hasUnfairLocks;

  /** The wait-for graph of the last quiescent state. */
  private Map<Long, Set<Long>> waitGraph = Map.of();

  /** The submitting session, if it held no locks that could block others. */
  private @Nullable CaseSession lockFreeSubmitter;

  private final Set<Long> ended = new HashSet<>();
  private final Set<Long> victims = new HashSet<>();

  /**
   * The sessions that have rolled back a part of their transaction, by an error or to a savepoint.
   */
  private final Set<Long> partiallyRolledBack = new HashSet<>();

  /** The same at the last quiescent state. */
  private Set<Long> wasPartiallyRolledBack = Set.of();

  private @Nullable CaseSession submitter;

  /** True if the submitted step can only end its transaction or a part of it. */
  private boolean onlyEndsTransaction;

  private Optional<String> race = Optional.empty();

  WakeupRaceDetector(Dbms dbms, IsolationLevel level) {
    this.keepsLocks = level.compareTo(IsolationLevel.READ_COMMITTED) > 0;
    this.isDeadlockVictimTimingDependent = dbms.isDeadlockVictimTimingDependent();
    this.mayMissSavepointWakeup = dbms.mayMissSavepointWakeup();
    this.hasUnfairLocks = dbms.hasUnfairLocks();
  }

  /** Records that a session submits a step while all others are quiescent. */
  void submitted(CaseSession session, Step step) {
    submitter = session;
    onlyEndsTransaction = step.role() != Step.Role.WORK || rollsBackToSavepoint(step);
    lockFreeSubmitter = session.holdsLocks() ? null : session;
  }

  /** Records a completed step. */
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
      race = Optional.of("'" + outcome.step().sql() + "' may or may not wake blocked sessions");
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
    return SqlText.of(step.sql()).rollsBackToSavepoint();
  }

  /** Records that a session's transaction has ended. */
  void ended(CaseSession session) {
    ended.add(session.key());
  }

  /** Records that all sessions are quiescent again, blocked as the wait-for graph shows. */
  void onQuiescence(Map<Long, Set<Long>> waiting) {
    if (waitGraph.size() > 1 && race.isEmpty() && isRace(waiting.keySet())) {
      race = Optional.of("several sessions are released at the same time");
    }
    if (mayMissSavepointWakeup && !victims.isEmpty() && race.isEmpty() && hadBusyWaiter()) {
      race = Optional.of("the session that closes a cycle or a blocked one may find the deadlock");
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
   * True if a blocked session has searched for cycles repeatedly, concurrently with the one that
   * closed a cycle: H2's sessions do that while they wait for one that has rolled back partially.
   * If another session than the victim finds the cycle, the sessions that the victim blocks are not
   * woken (2.5.252).
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

  /** Why another execution may differ. */
  Optional<String> race() {
    return race;
  }
}
