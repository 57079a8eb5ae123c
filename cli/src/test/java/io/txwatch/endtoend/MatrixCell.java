package io.txwatch.endtoend;

import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.TestCase;
import java.util.Optional;

/**
 * The outcome of a scenario in a word, as tables of isolation tests show it.
 *
 * <p>{@code X} the anomaly showed and no serial order explains the outcome; {@code o} it showed,
 * but some serial order explains it; {@code D} aborted by deadlock; {@code R} aborted, record
 * changed; {@code S} aborted, SQLSTATE 40001; {@code a(n)} aborted with the vendor's code n; {@code
 * b} prevented, a statement blocked; {@code -} prevented by multi-versioning. A trailing {@code *}:
 * the named anomaly is absent, yet no serial order explains the outcome.
 */
record MatrixCell(String text) {

  static MatrixCell of(TestCase scenario, ScenarioRun run, boolean serializable) {
    if (Scenarios.anomaly(scenario).holds(facts(run, serializable))) {
      return new MatrixCell(serializable ? "o" : "X");
    }
    String how =
        run.execution().outcomes().stream()
            .filter(outcome -> outcome.status() == StepOutcome.Status.ERROR)
            .findFirst()
            .map(MatrixCell::abort)
            .orElseGet(() -> run.execution().hadBlocking() ? "b" : "-");
    return new MatrixCell(serializable ? how : how + "*");
  }

  /** True if the outcome is serializable: any anomaly reported for it is a false alarm. */
  boolean serializable() {
    return !text.equals("X") && !text.endsWith("*");
  }

  private static String abort(StepOutcome failed) {
    return switch (failed.vendorCode()) {
      case 1213 -> "D";
      case 1020 -> "R";
      default -> failed.sqlState().equals("40001") ? "S" : "a(" + failed.vendorCode() + ")";
    };
  }

  private static OutcomePredicate.Facts facts(ScenarioRun run, boolean serializable) {
    return new OutcomePredicate.Facts() {
      @Override
      public boolean committed(String session) {
        return run.committed().contains(session);
      }

      @Override
      public Optional<String> value(String name) {
        return run.value(name);
      }

      @Override
      public boolean nonserial() {
        return !serializable;
      }
    };
  }
}
