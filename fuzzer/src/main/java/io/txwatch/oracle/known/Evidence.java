package io.txwatch.oracle.known;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.oracle.troc.Mechanism;
import io.txwatch.oracle.troc.MechanismReplay;
import io.txwatch.oracle.txcheck.TxCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** A violation, and the further executions that decide what explains it. */
public final class Evidence {

  private final CaseExecutor executor;
  private final CaseExecution execution;
  private final OracleVerdict verdict;
  private final Map<Mechanism, Boolean> explanations = new EnumMap<>(Mechanism.class);

  Evidence(CaseExecutor executor, CaseExecution execution, OracleVerdict verdict) {
    this.executor = executor;
    this.execution = execution;
    this.verdict = verdict;
  }

  /** The violating execution. */
  public CaseExecution execution() {
    return execution;
  }

  /** The verdict on it. */
  public OracleVerdict verdict() {
    return verdict;
  }

  /** The DBMS, with the settings of the case. */
  public Database database() {
    return executor.database(execution.testCase());
  }

  /** True if a session has READ UNCOMMITTED or READ COMMITTED. */
  public boolean isAtMostReadCommitted() {
    return levels().anyMatch(level -> level.compareTo(IsolationLevel.READ_COMMITTED) <= 0);
  }

  /** True if a session has a higher level than READ COMMITTED. */
  public boolean isAboveReadCommitted() {
    return levels().anyMatch(level -> level.compareTo(IsolationLevel.READ_COMMITTED) > 0);
  }

  /** True if a session has this level. */
  public boolean isAt(IsolationLevel level) {
    return levels().anyMatch(level::equals);
  }

  private Stream<IsolationLevel> levels() {
    TestCase testCase = execution.testCase();
    return testCase.sessions().stream().map(name -> testCase.levelOf(name, execution.level()));
  }

  /** True if the oracle gave the verdict. */
  public boolean isBy(OracleKind oracle) {
    return verdict.oracle().equals(oracle.id());
  }

  /** True if the mechanism gives all that was observed. */
  public boolean isExplainedBy(Mechanism mechanism)
      throws SQLException, ScheduleExecutor.SetupException {
    Boolean known = explanations.get(mechanism);
    if (known == null) {
      known = MechanismReplay.explains(mechanism, execution, executor);
      explanations.put(mechanism, known);
    }
    return known;
  }

  /** True if the mechanism gives all that was observed, and the level alone does not. */
  public boolean needs(Mechanism mechanism) throws SQLException, ScheduleExecutor.SetupException {
    return !isExplainedBy(Mechanism.LEVEL) && isExplainedBy(mechanism);
  }

  /**
   * True if the mechanism gives all that was observed but the result of some failed statements, and
   * the level alone does not.
   *
   * @param isCause true for these statements
   */
  public boolean needs(Mechanism mechanism, Predicate<StepOutcome> isCause)
      throws SQLException, ScheduleExecutor.SetupException {
    return !MechanismReplay.explains(Mechanism.LEVEL, isCause, execution, executor)
        && MechanismReplay.explains(mechanism, isCause, execution, executor);
  }

  /**
   * True if the level gives all that was observed but the result of some failed statements.
   *
   * @param isCause true for these statements
   */
  public boolean isExplainedByErrorsOf(Predicate<Step> isCause)
      throws SQLException, ScheduleExecutor.SetupException {
    return MechanismReplay.explains(
        Mechanism.LEVEL, outcome -> isCause.test(outcome.step()), execution, executor);
  }

  /** True if TxCheck finds no violation if writes use the current versions. */
  public boolean isExplainedByCurrentWrites()
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return TxCheck.withCurrentWrites().judge(execution, executor).result()
        == OracleVerdict.Result.CLEAN;
  }

  /** True if the case without some steps is no violation of WriteCheck. */
  public boolean disappearsWithout(Predicate<Step> isCause)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return disappearsIn(
        execution
            .testCase()
            .withSteps(
                execution.testCase().steps().stream()
                    .filter(step -> !isCause.test(step))
                    .toList()));
  }

  /**
   * True if the case without a step leaves behind the same final state, and is no violation of
   * WriteCheck.
   */
  public boolean hasNoEffect(Step step)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    CaseExecution without =
        executor.execute(
            execution
                .testCase()
                .withSteps(
                    execution.testCase().steps().stream()
                        .filter(other -> other.id() != step.id())
                        .toList()),
            execution.level());
    return without.finalState().equals(execution.finalState())
        && new WriteCheck().judge(without, executor).result() == OracleVerdict.Result.CLEAN;
  }

  /** True if the steps that a changed case still has, and the final state, are as observed. */
  public boolean hasSameResultsIn(TestCase changed)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    CaseExecution again = executor.execute(changed, execution.level());
    return again.inconclusiveReason().isEmpty()
        && again.finalState().equals(execution.finalState())
        && again.outcomes().stream()
            .allMatch(
                outcome ->
                    !execution.testCase().steps().contains(outcome.step())
                        || outcome.hasResultOf(execution.outcome(outcome.step())));
  }

  /** True if a changed case is no violation of WriteCheck. */
  public boolean disappearsIn(TestCase changed)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    return disappearsIn(changed, new WriteCheck());
  }

  /** True if a changed case is no violation of an oracle. */
  public boolean disappearsIn(TestCase changed, Oracle oracle)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    CaseExecution again = executor.execute(changed, execution.level());
    return oracle.judge(again, executor).result() == OracleVerdict.Result.CLEAN;
  }
}
