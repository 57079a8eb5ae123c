package io.txwatch.oracle.troc;

import io.txwatch.schedule.Execution;
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
 * @param submitted the step that was submitted
 * @param completed what completed, in the order in which it did
 * @param isLast true if nothing was submitted afterwards
 */
record Settlement(Step submitted, List<StepOutcome> completed, boolean isLast) {

  /** The settlements of an execution; each step that completed is in one of them. */
  static List<Settlement> of(Execution execution) {
    Map<Integer, Integer> place = new HashMap<>();
    Map<Integer, StepOutcome> outcomes = new HashMap<>();
    List<Step> steps = execution.testCase().steps();
    for (int i = 0; i < steps.size(); i++) {
      place.put(steps.get(i).id(), i);
    }
    execution.outcomes().forEach(outcome -> outcomes.put(outcome.step().id(), outcome));
    List<Settlement> settlements = new ArrayList<>();
    List<StepOutcome> completed = new ArrayList<>();
    int submitted = -1;
    boolean atEnd = false;
    Set<String> open = new HashSet<>();
    for (int id : execution.order()) {
      // What was submitted later than all before it opens a settlement of its own.
      int at = Objects.requireNonNull(place.get(id));
      StepOutcome outcome = Objects.requireNonNull(outcomes.get(id));
      boolean isAfterAll =
          outcome.blocked() && (at > submitted || !setsFree(steps.get(submitted), completed, open));
      if (isAfterAll && !atEnd) {
        // What waited goes on although nothing that was submitted set it free: all is over.
        settlements.add(new Settlement(steps.get(Math.max(submitted, 0)), completed, false));
        completed = new ArrayList<>();
        submitted = steps.size() - 1;
        atEnd = true;
      }
      if (at > submitted) {
        if (submitted >= 0) {
          settlements.add(new Settlement(steps.get(submitted), completed, false));
        }
        completed = new ArrayList<>();
        submitted = at;
      }
      completed.add(outcome);
      switch (outcome.step().role()) {
        case BEGIN -> open.add(outcome.step().session());
        case COMMIT, ROLLBACK -> open.remove(outcome.step().session());
        case WORK -> {}
      }
    }
    if (submitted >= 0) {
      settlements.add(new Settlement(steps.get(submitted), completed, true));
    }
    return settlements;
  }

  /** True if a step can have ended what others waited for. */
  private static boolean setsFree(Step step, List<StepOutcome> completed, Set<String> open) {
    return step.role() != Step.Role.WORK
        || !open.contains(step.session())
        || Shape.of(step.sql()).kind() == Shape.Kind.SAVEPOINT
        || completed.stream().anyMatch(outcome -> !outcome.succeeded());
  }

  /** The sessions, other than the one that submitted, of which something completed. */
  Set<String> freed() {
    Set<String> freed = new HashSet<>();
    completed.forEach(outcome -> freed.add(outcome.step().session()));
    freed.remove(submitted.session());
    return freed;
  }
}
