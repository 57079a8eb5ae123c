package io.txwatch.campaign;

import io.txwatch.dbms.Failure;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** What the workers of a campaign count. */
final class CampaignCounts {

  final AtomicLong cases = new AtomicLong();
  final AtomicLong undecided = new AtomicLong();
  final AtomicLong racing = new AtomicLong();
  final AtomicLong unsupported = new AtomicLong();
  final AtomicLong unreproduced = new AtomicLong();
  final AtomicLong repeated = new AtomicLong();
  final AtomicLong freeExecutions = new AtomicLong();
  final AtomicLong furtherOrders = new AtomicLong();
  final AtomicLong onlyFree = new AtomicLong();
  final AtomicLong findings = new AtomicLong();
  final AtomicLong statements = new AtomicLong();
  final AtomicLong rejected = new AtomicLong();
  private final Map<String, Long> kinds = new ConcurrentHashMap<>();
  private final Map<FindingClass, Long> classes = new ConcurrentHashMap<>();
  final Map<GraphAnomaly.Kind, Long> anomalies = new ConcurrentHashMap<>();
  private final Map<PatternCount, Long> patterns = new ConcurrentHashMap<>();
  private final Map<String, OracleCounts.Counter> verdictCounts = new LinkedHashMap<>();
  private final Rejections rejections = new Rejections();

  CampaignCounts(List<Oracle> oracles) {
    oracles.forEach(oracle -> verdictCounts.put(oracle.name(), new OracleCounts.Counter()));
  }

  /** Counts a case with its statements. */
  void generated(CaseGenerator.GeneratedCase generated) {
    cases.incrementAndGet();
    generated.kinds().forEach((kind, count) -> kinds.merge(kind, (long) count, Long::sum));
  }

  /** Counts a reported finding. */
  void found(FindingClass findingClass) {
    findings.incrementAndGet();
    classes.merge(findingClass, 1L, Long::sum);
  }

  /**
   * Counts the statements of a case.
   *
   * @return that the DBMS rejected most of them for reasons other than the data, if it did
   */
  Optional<String> executed(CaseGenerator.GeneratedCase generated, CaseExecution execution) {
    int executedWork = 0;
    int rejectedSteps = 0;
    for (StepOutcome outcome : execution.outcomes()) {
      if (outcome.status() == StepOutcome.Status.SKIPPED) {
        continue;
      }
      statements.incrementAndGet();
      Failure failure = outcome.failure();
      boolean isLeftOut = failure != null && failure.kind() == Failure.Kind.TRANSACTION_ABORTED;
      if (outcome.step().role() == Step.Role.WORK && !isLeftOut) {
        executedWork++;
      }
      if (failure != null
          && failure.kind() == Failure.Kind.STATEMENT
          && !generated.isExpected(
              outcome.step().id(), outcome.sqlState(), outcome.vendorCode(), outcome.message())) {
        rejectedSteps++;
        rejected.incrementAndGet();
        rejections.add(
            outcome.step().sql(), outcome.sqlState(), outcome.vendorCode(), outcome.message());
      }
    }
    return 2 * rejectedSteps > executedWork
        ? Optional.of(
            "the DBMS rejected most of the statements: %d of %d"
                .formatted(rejectedSteps, executedWork))
        : Optional.empty();
  }

  /** Counts a statement of a set-up that the DBMS rejected. */
  void rejected(ScheduleExecutor.SetupException error) {
    rejected.incrementAndGet();
    SQLException cause = error.sqlError();
    rejections.add(
        error.sql(),
        String.valueOf(cause.getSQLState()),
        cause.getErrorCode(),
        String.valueOf(cause.getMessage()));
  }

  /** Counts a verdict. */
  void verdict(OracleVerdict verdict, TestCase testCase) {
    Objects.requireNonNull(verdictCounts.get(verdict.oracle())).add(verdict, testCase);
  }

  /** Counts what became of the pattern that a case follows, if it does. */
  void pattern(CaseExecution execution, OracleVerdict verdict) {
    verdict
        .patterns()
        .flatMap(OracleVerdict.Patterns::outcome)
        .ifPresent(
            outcome ->
                patterns.merge(
                    new PatternCount(
                        execution.testCase().header(ApTrans.PATTERN_HEADER).orElse(""),
                        execution.level(),
                        outcome),
                    1L,
                    Long::sum));
  }

  /**
   * The results so far.
   *
   * @param coverage how many different things of each kind the cases have shown
   */
  Summary summary(long seed, Map<NoveltyKind, Integer> coverage, double seconds) {
    return new Summary(
        seed,
        new Summary.Cases(cases.get(), undecided.get(), racing.get(), unsupported.get()),
        new Summary.Findings(
            findings.get(), new TreeMap<>(classes), repeated.get(), unreproduced.get()),
        new Summary.Statements(
            statements.get(), rejected.get(), new TreeMap<>(kinds), rejections.mostFrequent()),
        verdictCounts(),
        new Summary.Observed(
            new TreeMap<>(anomalies),
            new TreeMap<>(patterns),
            coverage,
            new Summary.FreeThreads(freeExecutions.get(), onlyFree.get()),
            furtherOrders.get()),
        seconds);
  }

  private Map<String, OracleCounts> verdictCounts() {
    Map<String, OracleCounts> counts = new LinkedHashMap<>();
    verdictCounts.forEach((oracle, counter) -> counts.put(oracle, counter.counts()));
    return counts;
  }
}
