package io.txwatch.campaign;

import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.reduction.CaseShape;
import io.txwatch.reduction.Reducer;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Reduces violations, repeats them, and reports those that are new. */
final class FindingReporter {

  private static final int REPRODUCTIONS = 5;

  /** The executions with freely threaded sessions that show how often a violation occurs. */
  private static final int FREE_REPETITIONS = 20;

  private final GeneratedDialect grammar;
  private final Campaign.Plan plan;
  private final Campaign.Listener listener;
  private final CampaignCounts counts;
  private final BooleanSupplier isOverdue;
  private final Repetitions repetitions = new Repetitions();
  private final LevelProbes levels = new LevelProbes();

  /**
   * Creates a reporter.
   *
   * @param isOverdue true if the campaign should have ended, so that cases are not reduced further
   */
  FindingReporter(
      GeneratedDialect grammar,
      Campaign.Plan plan,
      Campaign.Listener listener,
      CampaignCounts counts,
      BooleanSupplier isOverdue) {
    this.grammar = grammar;
    this.plan = plan;
    this.listener = listener;
    this.counts = counts;
    this.isOverdue = isOverdue;
    plan.reported().forEach(repetitions::add);
  }

  /** Reports that a case has ended the server. */
  void reportLost(String kind, String reason, CaseExecution execution) {
    counts.found(FindingClass.NEW);
    listener.found(
        new CampaignFinding(
            new OracleVerdict(kind, Result.VIOLATION, reason),
            execution.level(),
            execution.testCase(),
            execution.testCase(),
            execution,
            0,
            0,
            Optional.empty(),
            List.of()));
  }

  /** Reports a violation, unless it is similar to reported ones. */
  void report(CaseExecutor executor, Oracle oracle, CaseExecution first, OracleVerdict firstVerdict)
      throws SQLException, InterruptedException {
    Optional<KnownBehaviour> asFirstSeen =
        DbmsRegistry.knownBehaviour(executor, first, firstVerdict);
    if (repetitions.isRepetition(first, firstVerdict, asFirstSeen)) {
      counts.repeated.incrementAndGet();
      return;
    }
    Reducer reducer =
        new Reducer(
            oracle, executor, grammar.dialect(), first, firstVerdict, asFirstSeen, isOverdue);
    if (!reducer.isViolating(first.testCase())) {
      reportUnreproduced(
          repeat(executor, oracle, first.testCase(), first.level(), first, firstVerdict, 1));
      return;
    }
    TestCase reduced = reducer.reduce(first.testCase());
    CaseShape shape = CaseShape.of(reduced, grammar.dialect());
    if (repetitions.isReported(shape)) {
      counts.repeated.incrementAndGet();
      return;
    }
    IsolationLevel level = reducer.weakestLevel(reduced, levelsOfPlan());
    Optional<IsolationLevel> only = reduced.onlyLevel(level);
    if (only.isPresent()) { // the reader sees one level, that of all sessions
      level = only.get();
      reduced = reduced.withoutLevels();
    }
    CampaignFinding finding = repeat(executor, oracle, reduced, level, first, firstVerdict, 0);
    if (!finding.isReproduced()) {
      reportUnreproduced(finding);
      return;
    }
    // Others were reported meanwhile, or before at the weaker level.
    if (!repetitions.add(shape)
        || level != first.level()
            && repetitions.isRepetition(finding.execution(), finding.verdict(), finding.known())) {
      counts.repeated.incrementAndGet();
      return;
    }
    if (finding.known().isEmpty()) {
      Optional<IsolationLevel> asLevel = executedAsAt(executor, oracle, finding);
      Optional<IsolationLevel> mappedTo =
          asLevel.isPresent()
              ? weakestEqual(executor, oracle, level, asLevel.get())
              : mappedLevelAmongOthers(executor, oracle, finding);
      if (mappedTo.isPresent() && !repetitions.addWeakened(mappedTo.get())) {
        counts.repeated.incrementAndGet();
        return;
      }
      finding = finding.behavingLike(asLevel.isPresent() ? mappedTo.or(() -> asLevel) : asLevel);
    }
    CampaignFinding complete = finding.with(judgedByOthers(executor, oracle, reduced, level));
    if (complete.known().isEmpty() && isReportedByOthers(executor, complete)) {
      counts.repeated.incrementAndGet();
      return;
    }
    report(complete);
  }

  /**
   * Reports a finding. One without a label whose sessions have the roles of those of an earlier one
   * is reported with that one.
   */
  private synchronized void report(CampaignFinding finding) {
    Optional<CampaignFinding> first =
        finding.known().isEmpty() ? repetitions.firstLike(finding) : Optional.empty();
    if (first.isPresent()) {
      counts.repeated.incrementAndGet();
      listener.foundAgain(first.get(), finding);
      return;
    }
    counts.found(finding.findingClass());
    listener.found(finding);
  }

  /**
   * The strongest weaker level at which the case has the same outcome without a violation: the DBMS
   * has executed it as if at that level.
   */
  private Optional<IsolationLevel> executedAsAt(
      CaseExecutor executor, Oracle oracle, CampaignFinding finding)
      throws SQLException, InterruptedException {
    if (finding.reduced().mixesLevels(finding.level())) {
      return Optional.empty();
    }
    List<IsolationLevel> weaker = new ArrayList<>(weaker(executor, finding.level()));
    Collections.reverse(weaker);
    for (IsolationLevel other : weaker) {
      if (isSameWithoutViolation(executor, oracle, finding, finding.reduced(), other)) {
        return Optional.of(other);
      }
    }
    return Optional.empty();
  }

  /** The levels of the DBMS that are weaker than one, weakest first. */
  private static List<IsolationLevel> weaker(CaseExecutor executor, IsolationLevel level) {
    return executor.dbms().levels().stream()
        .filter(other -> other.compareTo(level) < 0)
        .sorted()
        .toList();
  }

  /** True if a finding has the same outcome at other levels, where it is no violation. */
  private static boolean isSameWithoutViolation(
      CaseExecutor executor,
      Oracle oracle,
      CampaignFinding finding,
      TestCase testCase,
      IsolationLevel level)
      throws SQLException, InterruptedException {
    try {
      CaseExecution execution = executor.execute(testCase, level, oracle);
      return execution.toString().equals(finding.execution().toString())
          && oracle.judge(execution, executor).result() != Result.VIOLATION;
    } catch (ScheduleExecutor.SetupException e) {
      return false;
    }
  }

  /**
   * The weakest level as which the DBMS executes everything at a stronger one; empty if it does not
   * so at {@code asLevel}. All levels that are mapped to the same one are one fault.
   */
  private Optional<IsolationLevel> weakestEqual(
      CaseExecutor executor, Oracle oracle, IsolationLevel level, IsolationLevel asLevel)
      throws SQLException, InterruptedException {
    if (!levels.isMapped(executor, oracle, level, asLevel)) {
      return Optional.empty();
    }
    for (IsolationLevel other : weaker(executor, asLevel)) {
      if (levels.isMapped(executor, oracle, level, other)) {
        return Optional.of(other);
      }
    }
    return Optional.of(asLevel);
  }

  /**
   * The weaker level as which the DBMS executes everything at the level of one session of a finding
   * whose sessions have several, if that level explains it.
   */
  private Optional<IsolationLevel> mappedLevelAmongOthers(
      CaseExecutor executor, Oracle oracle, CampaignFinding finding)
      throws SQLException, InterruptedException {
    TestCase reduced = finding.reduced();
    if (!reduced.mixesLevels(finding.level())) {
      return Optional.empty();
    }
    for (String session : reduced.sessions()) {
      IsolationLevel own = reduced.levelOf(session, finding.level());
      for (IsolationLevel other : weaker(executor, own)) {
        TestCase changed = reduced.withHeader(TestCase.LEVEL_HEADER + session, other.shortName());
        if (levels.isMapped(executor, oracle, own, other)
            && isSameWithoutViolation(executor, oracle, finding, changed, finding.level())) {
          return Optional.of(other);
        }
      }
    }
    return Optional.empty();
  }

  /**
   * True if another oracle that reports the reduced case reduces it to the shape of a reported one.
   */
  private boolean isReportedByOthers(CaseExecutor executor, CampaignFinding finding)
      throws SQLException, InterruptedException {
    Set<CaseShape> shapes = new HashSet<>();
    for (Oracle other : plan.oracles()) {
      if (finding.others().stream()
          .noneMatch(
              verdict ->
                  verdict.oracle().equals(other.name()) && verdict.result() == Result.VIOLATION)) {
        continue;
      }
      try {
        CaseExecution execution = executor.execute(finding.reduced(), finding.level(), other);
        OracleVerdict verdict = other.judge(execution, executor);
        if (verdict.result() == Result.VIOLATION) {
          Reducer reducer =
              new Reducer(
                  other,
                  executor,
                  grammar.dialect(),
                  execution,
                  verdict,
                  DbmsRegistry.knownBehaviour(executor, execution, verdict),
                  isOverdue);
          shapes.add(CaseShape.of(reducer.reduce(finding.reduced()), grammar.dialect()));
        }
      } catch (ScheduleExecutor.SetupException e) {
        // It has no verdict on the case.
      }
    }
    shapes.remove(CaseShape.of(finding.reduced(), grammar.dialect()));
    if (shapes.stream().anyMatch(repetitions::isReported)) {
      return true;
    }
    shapes.forEach(repetitions::add);
    return false;
  }

  /** The levels of the plan, weakest first. */
  private List<IsolationLevel> levelsOfPlan() {
    return plan.levels().stream().distinct().sorted().toList();
  }

  private void reportUnreproduced(CampaignFinding violation) {
    counts.unreproduced.incrementAndGet();
    listener.notReproduced(violation);
  }

  /**
   * Executes a case several times.
   *
   * @param level the level of these executions
   * @param failedBefore how many further executions did not reproduce the violation before
   */
  private CampaignFinding repeat(
      CaseExecutor executor,
      Oracle oracle,
      TestCase reduced,
      IsolationLevel level,
      CaseExecution first,
      OracleVerdict firstVerdict,
      int failedBefore)
      throws SQLException, InterruptedException {
    int reproduced = 0;
    CaseExecution shown = first;
    OracleVerdict shownVerdict = firstVerdict;
    for (int i = 0; i < REPRODUCTIONS; i++) {
      try {
        CaseExecution again = executor.execute(reduced, level, oracle);
        OracleVerdict verdict = oracle.judge(again, executor);
        if (verdict.reproduces(firstVerdict)) {
          reproduced++;
          shown = again;
          shownVerdict = verdict;
        }
      } catch (ScheduleExecutor.SetupException e) {
        break;
      }
    }
    return new CampaignFinding(
        shownVerdict,
        level,
        // The reduced case may run at a weaker level.
        first.testCase().withHeader("isolation", first.level().name()),
        reduced,
        shown,
        reproduced,
        REPRODUCTIONS + failedBefore,
        DbmsRegistry.knownBehaviour(executor, shown, shownVerdict),
        List.of());
  }

  /** Returns the verdicts of all oracles but one on a case, each on an execution of its own. */
  private List<OracleVerdict> judgedByOthers(
      CaseExecutor executor, Oracle one, TestCase testCase, IsolationLevel level)
      throws SQLException, InterruptedException {
    List<OracleVerdict> verdicts = new ArrayList<>();
    for (Oracle other : plan.oracles()) {
      if (other == one || !other.judges(testCase)) {
        continue;
      }
      try {
        verdicts.add(other.judge(executor.execute(testCase, level, other), executor));
      } catch (ScheduleExecutor.SetupException e) {
        // An oracle that cannot execute the case has no verdict on it.
      }
    }
    return verdicts;
  }

  /**
   * Reports a violation without a schedule: by one of the observed orders if it shows the violation
   * again, otherwise with the share of executions that do.
   */
  void reportFree(CaseExecutor executor, Oracle oracle, FreeExecution free, OracleVerdict verdict)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    IsolationLevel level = free.execution().level();
    for (TestCase schedule : free.schedules()) {
      CaseExecution execution = executor.execute(schedule, level, oracle);
      OracleVerdict again = oracle.judge(execution, executor);
      if (again.reproduces(verdict)) {
        report(executor, oracle, execution, again);
        return;
      }
    }
    if (repetitions.isRepetition(free.execution(), verdict, Optional.empty())) {
      counts.repeated.incrementAndGet();
      return;
    }
    int reproduced = 0;
    for (int i = 0; i < FREE_REPETITIONS; i++) {
      FreeExecution repetition = executor.executeFreely(free.execution().testCase(), level);
      if (oracle.judge(repetition.execution(), executor).reproduces(verdict)) {
        reproduced++;
      }
    }
    TestCase testCase = free.execution().testCase().withHeader("isolation", level.name());
    reportUnreproduced(
        new CampaignFinding(
            verdict.withReason("with freely threaded sessions, by no schedule: "),
            level,
            testCase,
            free.schedules().isEmpty() ? testCase : free.schedules().get(0),
            free.execution(),
            reproduced,
            FREE_REPETITIONS,
            Optional.empty(),
            List.of()));
  }
}
