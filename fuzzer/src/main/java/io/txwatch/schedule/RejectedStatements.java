package io.txwatch.schedule;

import io.txwatch.dbms.Failure;
import io.txwatch.testcase.TestCase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The statements that the DBMS has rejected since the last change of the set-up, for example
 * because of a duplicate key or a CHECK. They are likely to fail again in a serial run of the same
 * case.
 */
public final class RejectedStatements {

  private final Set<String> texts = new HashSet<>();
  private List<String> setup = List.of();

  /** Creates an empty set. */
  public RejectedStatements() {}

  /** The texts of the rejected statements for the case's set-up. */
  Set<String> texts(TestCase testCase) {
    if (!setup.equals(testCase.setup())) {
      setup = testCase.setup();
      texts.clear();
    }
    return texts;
  }

  /** Adds the statements that failed for reasons other than concurrency. */
  void record(TestCase testCase, List<StepOutcome> outcomes) {
    Set<String> rejected = texts(testCase);
    for (StepOutcome outcome : outcomes) {
      Failure failure = outcome.failure();
      if (failure != null && failure.kind() == Failure.Kind.STATEMENT) {
        rejected.add(outcome.step().sql());
      }
    }
  }
}
