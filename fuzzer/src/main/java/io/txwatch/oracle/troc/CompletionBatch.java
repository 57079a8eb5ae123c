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
 * What completed after each submission, up to the next: the step itself, unless it was blocked, and
 * what it set free.
 *
 * @param submitted the step that was submitted; at the end the last one
 * @param completed what completed, in the order in which it did
 * @param isEnd true of what completed when the case was over
 */
record CompletionBatch(Step submitted, List<StepOutcome> completed, boolean isEnd) {

  /** The settlements of an execution; each step that completed is in one of them. */
  static List<CompletionBatch> of(CaseExecution execution) {
    Map<Integer, Integer> place = new HashMap<>();
    Map<Integer, StepOutcome> outcomes = new HashMap<>();
    List<Step> steps = execution.testCase().steps();
    for (int i = 0; i < steps.size(); i++) {
      place.put(steps.get(i).id(), i);
    }
    execution.outcomes().forEach(outcome -> outcomes.put(outcome.step().id(), outcome));
    List<CompletionBatch> settlements = new ArrayList<>();
    List<StepOutcome> completed = new ArrayList<>();
    int submitted = -1;
    for (int id : execution.order().subList(0, execution.completedBeforeEnd())) {
      // What was submitted later than all before it opens a settlement of its own.
      int at = Objects.requireNonNull(place.get(id));
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

  /** The sessions, other than the one that submitted, of which something completed. */
  Set<String> unblockedSessions() {
    Set<String> freed = new HashSet<>();
    completed.forEach(outcome -> freed.add(outcome.step().session()));
    freed.remove(submitted.session());
    return freed;
  }
}
