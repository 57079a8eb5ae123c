package io.txwatch.oracle.txcheck;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Blocking scheduling (TxCheck, section 4, figure 11): a statement that was blocked was not
 * executed next to its reads. It is removed, and the other steps are submitted in the order in
 * which they were executed.
 */
final class BlockingSchedule {

  private BlockingSchedule() {}

  /** The case to execute next; empty if no statement was blocked. */
  static Optional<TestCase> next(TestCase testCase, CaseExecution execution) {
    if (!execution.hadBlocking()) {
      return Optional.empty();
    }
    Map<Integer, Integer> completion = new HashMap<>();
    for (int id : execution.order()) {
      completion.put(id, completion.size());
    }
    Map<String, Integer> lastOfSession = new HashMap<>();
    Map<Integer, Integer> place = new HashMap<>();
    List<Step> rest = new ArrayList<>();
    for (Step step : testCase.steps()) {
      StepOutcome outcome = execution.outcome(step.id());
      int own = completion.getOrDefault(step.id(), lastOfSession.getOrDefault(step.session(), 0));
      lastOfSession.put(step.session(), own);
      place.put(step.id(), own);
      if (!outcome.blocked() || step.role() != Step.Role.WORK) {
        rest.add(step);
      }
    }
    rest.sort(Comparator.comparingInt(step -> place.getOrDefault(step.id(), 0)));
    return Optional.of(testCase.withSteps(rest));
  }
}
