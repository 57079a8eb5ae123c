package io.txwatch.oracle.troc;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;

/** Verdicts on executions. */
final class TrocVerdicts {

  private TrocVerdicts() {}

  /** An execution as if it had been at this level. */
  static CaseExecution at(IsolationLevel level, CaseExecution other) {
    return new CaseExecution(
        other.testCase(),
        level,
        other.outcomes(),
        other.order(),
        other.completedBeforeEnd(),
        other.finalReads(),
        other.undecided(),
        other.race(),
        other.events());
  }

  static void assertResult(ExecutorFixture fixture, CaseExecution execution, Result result)
      throws Exception {
    OracleVerdict verdict = new Troc().judge(execution, fixture.executor());
    assertThat(verdict.result()).as(verdict.reason() + "\n" + execution).isEqualTo(result);
  }
}
