package io.txwatch.oracle.troc;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The moments of an execution: one for each step that completed. */
final class Timeline {

  private final CaseExecution execution;

  /** When the case came to a step; one whose session was busy began later. */
  private final Map<Integer, Integer> submittedAt = new HashMap<>();

  private final Set<Integer> completedSteps = new HashSet<>();

  /** When the last step of a session completed. */
  private final Map<String, Integer> lastCompletion = new HashMap<>();

  private int now;

  Timeline(CaseExecution execution) {
    this.execution = execution;
  }

  /** The moment of the step that completed last. */
  int now() {
    return now;
  }

  /** The case comes to a step. */
  void submitted(Step step) {
    submittedAt.put(step.id(), now);
  }

  /** A step completes: the next moment. */
  void advance() {
    now++;
  }

  /** All that the step did has been noted. */
  void completed(Step step) {
    completedSteps.add(step.id());
    lastCompletion.put(step.session(), now);
  }

  /** The moment at which a statement began: versions committed before or at it are seen. */
  int begin(StepOutcome outcome) {
    if (!outcome.blocked()) {
      return now;
    }
    int submitted = submittedAt.getOrDefault(outcome.step().id(), 0);
    return Math.max(submitted, lastCompletion.getOrDefault(outcome.step().session(), 0)) + 1;
  }

  /**
   * True if a statement waits that ends as a deadlock's victim: the DBMS has done so, or is about
   * to.
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

  /** True if a statement of another session waits, and may have done a part of what it does. */
  boolean hasPartiallyExecutedPeer(StepOutcome but) {
    return execution.outcomes().stream()
        .anyMatch(
            other ->
                other.blocked()
                    && !other.step().session().equals(but.step().session())
                    && submittedAt.containsKey(other.step().id())
                    && !completedSteps.contains(other.step().id()));
  }
}
