package io.txwatch.schedule;

import io.txwatch.dbms.Failure;
import io.txwatch.testcase.TestCase;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The statements that the DBMS has refused since the tables were last set up in that way: a key
 * that is taken, a CHECK. They are likely to fail again in a serial run of the same case.
 */
public final class RejectedStatements {

  private final Set<String> texts = new HashSet<>();
  private List<String> setup = List.of();

  /** None so far. */
  public RejectedStatements() {}

  /** The texts of those that were refused on what the case sets up. */
  Set<String> texts(TestCase testCase) {
    if (!setup.equals(testCase.setup())) {
      setup = testCase.setup();
      texts.clear();
    }
    return texts;
  }

  /** Notes what has failed by itself. */
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
