package io.txwatch.oracle.troc;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The steps that completed between one submission and the next: the submitted step, unless it was
 * blocked, and the steps that it unblocked.
 *
 * @param submitted the submitted step; at the end, the last one
 * @param completed the completed steps, in the order of completion
 * @param isEnd true for the steps that completed after the end of the case
 */
record CompletionBatch(Step submitted, List<StepOutcome> completed, boolean isEnd) {

  /** The batches of an execution; each completed step belongs to one. */
  static List<CompletionBatch> of(CaseExecution execution) {
    Map<Integer, Integer> position = new HashMap<>();
    Map<Integer, StepOutcome> outcomes = new HashMap<>();
    List<Step> steps = execution.testCase().steps();
    for (int i = 0; i < steps.size(); i++) {
      position.put(steps.get(i).id(), i);
    }
    execution.outcomes().forEach(outcome -> outcomes.put(outcome.step().id(), outcome));
    List<CompletionBatch> settlements = new ArrayList<>();
    List<StepOutcome> completed = new ArrayList<>();
    int submitted = -1;
    for (int id : execution.order().subList(0, execution.completedBeforeEnd())) {
      // A step submitted later than all previous ones starts a new batch.
      int at = Objects.requireNonNull(position.get(id));
      if (at > submitted) {
        if (submitted >= 0) {
          settlements.add(new CompletionBatch(steps.get(submitted), completed, false));
        }
        completed = new ArrayList<>();
        submitted = at;
      }
      completed.add(Objects.requireNonNull(outcomes.get(id)));
    }
    if (submitted >= 0) {
      settlements.add(new CompletionBatch(steps.get(submitted), completed, false));
    }
    List<StepOutcome> atEnd =
        execution.order().subList(execution.completedBeforeEnd(), execution.order().size()).stream()
            .map(id -> Objects.requireNonNull(outcomes.get(id)))
            .toList();
    if (!atEnd.isEmpty()) {
      settlements.add(new CompletionBatch(steps.get(steps.size() - 1), atEnd, true));
    }
    return settlements;
  }

  /** The sessions, other than the submitting one, with a completed step. */
  Set<String> unblockedSessions() {
    Set<String> freed = new HashSet<>();
    completed.forEach(outcome -> freed.add(outcome.step().session()));
    freed.remove(submitted.session());
    return freed;
  }
}
