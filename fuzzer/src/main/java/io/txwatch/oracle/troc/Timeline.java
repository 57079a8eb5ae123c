package io.txwatch.oracle.troc;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The moments of an execution: one for each completed step. */
final class Timeline {

  private final CaseExecution execution;

  /** When the case submitted each step; if its session was busy, the step began later. */
  private final Map<Integer, Integer> submittedAt = new HashMap<>();

  private final Set<Integer> completedSteps = new HashSet<>();

  /** When each session's last step completed. */
  private final Map<String, Integer> lastCompletion = new HashMap<>();

  private int now;

  Timeline(CaseExecution execution) {
    this.execution = execution;
  }

  /** The moment of the last completed step. */
  int now() {
    return now;
  }

  /** Records that the case submits a step. */
  void submitted(Step step) {
    submittedAt.put(step.id(), now);
  }

  /** Advances to the moment of the next completed step. */
  void advance() {
    now++;
  }

  /** Records that the effects of a step are complete. */
  void completed(Step step) {
    completedSteps.add(step.id());
    lastCompletion.put(step.session(), now);
  }

  /** The moment at which a statement began: versions committed before it are visible. */
  int begin(StepOutcome outcome) {
    if (!outcome.blocked()) {
      return now;
    }
    int submitted = submittedAt.getOrDefault(outcome.step().id(), 0);
    return Math.max(submitted, lastCompletion.getOrDefault(outcome.step().session(), 0)) + 1;
  }

  /**
   * True if a blocked statement is going to end as a deadlock victim: the DBMS has aborted it or is
   * about to.
   */
  boolean isDeadlockVictimPending() {
    return execution.outcomes().stream()
        .filter(StepOutcome::blocked)
        .filter(other -> isDeadlockVictim(other.failure()))
        .map(other -> other.step().id())
        .anyMatch(id -> submittedAt.containsKey(id) && !completedSteps.contains(id));
  }

  private static boolean isDeadlockVictim(@Nullable Failure failure) {
    return failure != null && failure.kind() == Failure.Kind.DEADLOCK;
  }

  /** True if a statement of another session is blocked and may have executed partially. */
  boolean hasPartiallyExecutedPeer(StepOutcome but) {
    return !partiallyExecutedPeers(but).isEmpty();
  }

  /** The statements of other sessions that are blocked and may have executed partially. */
  List<StepOutcome> partiallyExecutedPeers(StepOutcome but) {
    return execution.outcomes().stream()
        .filter(
            other ->
                other.blocked()
                    && !other.step().session().equals(but.step().session())
                    && submittedAt.containsKey(other.step().id())
                    && !completedSteps.contains(other.step().id()))
        .toList();
  }
}
