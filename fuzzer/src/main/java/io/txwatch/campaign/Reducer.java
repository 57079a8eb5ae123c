package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * Reduces a violating case: drops sessions, statements and set-up statements one by one, and
 * reduces switches between sessions, as long as the same oracle reports the same violation in a
 * fresh execution. No remaining part can be dropped.
 */
final class Reducer {

  private static final int MAX_RUNS = 400;

  private final Oracle oracle;
  private final CaseExecutor executor;
  private final IsolationLevel level;
  private final OracleVerdict first;
  private int runs;

  /**
   * Creates a reducer.
   *
   * @param first the oracle's verdict on the original case
   */
  Reducer(Oracle oracle, CaseExecutor executor, IsolationLevel level, OracleVerdict first) {
    this.oracle = oracle;
    this.executor = executor;
    this.level = level;
    this.first = first;
  }

  TestCase reduce(TestCase violating) throws SQLException, InterruptedException {
    TestCase shortest = violating;
    boolean shrinks = true;
    while (shrinks && runs < MAX_RUNS) {
      int before = size(shortest);
      shortest = withoutSessions(shortest);
      shortest = withoutSteps(shortest);
      shortest = withoutSetup(shortest);
      shrinks = size(shortest) < before;
    }
    return withFewerSwitches(shortest);
  }

  private static int size(TestCase testCase) {
    return testCase.steps().size() + testCase.setup().size();
  }

  private TestCase withoutSessions(TestCase original) throws SQLException, InterruptedException {
    TestCase shortest = original;
    for (String session : original.sessions()) {
      List<Step> rest =
          shortest.steps().stream().filter(step -> !step.session().equals(session)).toList();
      shortest = rest.isEmpty() ? shortest : ifStillViolating(shortest.withSteps(rest), shortest);
    }
    return shortest;
  }

  private TestCase withoutSteps(TestCase original) throws SQLException, InterruptedException {
    TestCase shortest = original;
    for (int i = original.steps().size() - 1; i >= 0; i--) {
      int id = original.steps().get(i).id();
      List<Step> rest = shortest.steps().stream().filter(step -> step.id() != id).toList();
      shortest = rest.isEmpty() ? shortest : ifStillViolating(shortest.withSteps(rest), shortest);
    }
    return shortest;
  }

  private TestCase withoutSetup(TestCase original) throws SQLException, InterruptedException {
    TestCase shortest = original;
    for (int i = original.setup().size() - 1; i >= 0; i--) {
      List<String> rest = new ArrayList<>(shortest.setup());
      rest.remove(i);
      shortest = ifStillViolating(shortest.withSetup(rest), shortest);
    }
    return shortest;
  }

  /** Reduces switches between sessions: moves a step behind its session's previous one. */
  private TestCase withFewerSwitches(TestCase original) throws SQLException, InterruptedException {
    TestCase smoothest = original;
    for (int i = 2; i < original.steps().size(); i++) {
      List<Step> steps = new ArrayList<>(smoothest.steps());
      Step step = steps.get(i);
      int last = i - 1;
      while (last >= 0 && !steps.get(last).session().equals(step.session())) {
        last--;
      }
      if (last >= 0 && last < i - 1) {
        steps.remove(i);
        steps.add(last + 1, step);
        smoothest = ifStillViolating(smoothest.withSteps(steps), smoothest);
      }
    }
    return smoothest;
  }

  private TestCase ifStillViolating(TestCase candidate, TestCase otherwise)
      throws SQLException, InterruptedException {
    return isViolating(candidate) ? candidate : otherwise;
  }

  /** True if a fresh execution has the same violation. */
  boolean isViolating(TestCase candidate) throws SQLException, InterruptedException {
    if (runs++ > MAX_RUNS) {
      return false;
    }
    try {
      CaseExecution execution = executor.execute(candidate, level, oracle);
      return oracle.judge(execution, executor).reproduces(first);
    } catch (ScheduleExecutor.SetupException e) {
      return false;
    }
  }
}
