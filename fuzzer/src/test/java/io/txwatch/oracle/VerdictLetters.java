package io.txwatch.oracle;

import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutorFixture;
import io.txwatch.testcase.TestCase;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;

/**
 * The verdicts on a case.
 *
 * @param letters by oracle, a letter for each level, the weakest first
 * @param reasons the verdicts and executions, to explain a difference
 */
public record VerdictLetters(Map<String, String> letters, String reasons) {

  /** Executes the case once at each level, and lets the oracles judge it. */
  public static VerdictLetters of(
      ExecutorFixture fixture, TestCase testCase, Collection<Oracle> oracles) throws Exception {
    Map<String, String> letters = new TreeMap<>();
    StringBuilder reasons = new StringBuilder();
    for (IsolationLevel level : fixture.dbms().levels()) {
      CaseExecution execution = fixture.execute(testCase, level);
      reasons.append(testCase.name()).append(" at ").append(level).append(":\n").append(execution);
      for (Oracle oracle : oracles) {
        OracleVerdict verdict = oracle.judge(execution, fixture.executor());
        letters.merge(oracle.name(), verdict.result().letter(), String::concat);
        reasons.append(verdict).append('\n');
      }
    }
    return new VerdictLetters(letters, reasons.toString());
  }
}
