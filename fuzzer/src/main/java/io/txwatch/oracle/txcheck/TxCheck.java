package io.txwatch.oracle.txcheck;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dbms.Dbms;
import io.txwatch.guarantee.Guarantee;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleKind;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.oracle.UnsupportedCase;
import io.txwatch.oracle.WriteCheck;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StatementProbe;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * TxCheck's oracle: executes the case with reads around its statements, derives the graph of
 * statement dependencies, and executes the statements without transactions in orders that the graph
 * permits. Each statement must have the same result, and the final state must be the same (section
 * 3.3, theorem 1).
 *
 * <p>Statements that were blocked, and statements on cycles, are removed, and the rest is executed
 * again. All nodes that break the cycles of one graph are removed at once; the paper removes one at
 * a time.
 */
public final class TxCheck implements Oracle {

  /** The most executions with transactions. */
  private static final int MAX_ROUNDS = 12;

  /** The most orders that are executed without transactions. */
  private static final int MAX_ORDERS = 3;

  /** Selects the random orders, the same for each execution of a case. */
  private static final int ORDER_SEED = 57;

  /** True to check also that a write uses the snapshot of its transaction. */
  private final boolean writesUseSnapshot;

  /**
   * Creates the oracle of the paper: a write, too, sees what a plain query of its transaction sees.
   */
  public TxCheck() {
    this(true);
  }

  private TxCheck(boolean writesUseSnapshot) {
    this.writesUseSnapshot = writesUseSnapshot;
  }

  /**
   * Creates an oracle that follows InnoDB's manual: at REPEATABLE READ a write, or a locking query,
   * uses the current versions, whatever the snapshot of its transaction.
   */
  public static TxCheck withCurrentWrites() {
    return new TxCheck(false);
  }

  @Override
  public String name() {
    return OracleKind.TXCHECK.id();
  }

  @Override
  public boolean judgesMixedLevels() {
    return false;
  }

  /** It takes as long as the other oracles together. */
  @Override
  public int mixInterval() {
    return 9;
  }

  @Override
  public OracleVerdict judge(CaseExecution execution, CaseExecutor executor)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    if (execution.inconclusiveReason().isPresent()) {
      return verdict(Result.UNDECIDED, execution.inconclusiveReason().get());
    }
    if (execution.testCase().mixesLevels(execution.level())) {
      return verdict(Result.UNSUPPORTED, UnsupportedCase.MIXED_LEVELS);
    }
    Dbms dbms = executor.dbms();
    ReadPolicy policy = ReadPolicy.of(dbms, execution.level());
    Optional<String> obstacle =
        obstacle(execution, dbms, policy).or(() -> UnsupportedCase.of(execution, dbms));
    if (obstacle.isPresent()) {
      return verdict(Result.UNSUPPORTED, obstacle.get());
    }
    return new Trial(execution, executor).verdict();
  }

  private static Optional<String> obstacle(CaseExecution execution, Dbms dbms, ReadPolicy policy) {
    if (dbms.versionColumns().isEmpty()) {
      return Optional.of(dbms.whyVersionsAreUnobserved());
    }
    if (!policy.isSupported()) {
      return Optional.of("at this level a write may replace a version that nobody can read");
    }
    return execution.testCase().steps().stream()
        .filter(step -> step.role() == Step.Role.WORK)
        .map(step -> ParsedStatement.of(step.sql()))
        .filter(statement -> statement.form().isEmpty() && !statement.isSavepoint())
        .findFirst()
        .map(statement -> "the rows that '" + statement.sql() + "' uses are unknown");
  }

  private OracleVerdict verdict(Result result, String reason) {
    return new OracleVerdict(name(), result, reason);
  }

  /** Checks one case. */
  private final class Trial {
    private final CaseExecution original;
    private final CaseExecutor executor;
    private final IsolationLevel level;
    private final Instrumentation tables;
    private final ResultComparison comparison;

    Trial(CaseExecution original, CaseExecutor executor) {
      this.original = original;
      this.executor = executor;
      this.level = original.level();
      this.tables = new Instrumentation(executor.dbms(), original.testCase());
      this.comparison = new ResultComparison(executor.dbms().comparesCaseInsensitively());
    }

    OracleVerdict verdict()
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      // The execution without the reads shows already what is blocked.
      TestCase rendered = rendered(original.testCase());
      TestCase refined =
          withoutIncomparable(BlockingSchedule.next(rendered, original).orElse(rendered));
      for (int round = 0; round < MAX_ROUNDS; round++) {
        TracedExecution observation = TracedExecution.of(refined, level, executor, tables);
        Optional<String> undecided = observation.execution().inconclusiveReason();
        if (undecided.isPresent()) {
          return TxCheck.this.verdict(Result.UNDECIDED, undecided.get());
        }
        Optional<TestCase> rescheduled = BlockingSchedule.next(refined, observation.execution());
        if (rescheduled.isPresent()) {
          refined = rescheduled.get();
          continue;
        }
        Optional<String> cycle =
            ItemCycles.violation(
                observation.traces(), level, Guarantee.of(executor.database(refined), level));
        if (cycle.isPresent()) {
          return TxCheck.this.verdict(Result.VIOLATION, cycle.get());
        }
        StatementGraph graph = observation.graph();
        Optional<OracleVerdict> serial = checkSerialOrders(observation, graph);
        if (serial.isPresent()) {
          return serial.get();
        }
        if (graph.isAcyclic()) {
          return check(observation, graph);
        }
        Optional<OracleVerdict> bySnapshot = checkSnapshot(observation, graph);
        if (bySnapshot.isPresent() && bySnapshot.get().result() == Result.VIOLATION) {
          return bySnapshot.get();
        }
        refined = without(refined, graph.nodesToRemove());
      }
      return TxCheck.this.verdict(
          Result.UNDECIDED, "cycles or blocked statements after " + MAX_ROUNDS + " executions");
    }

    /**
     * The violation of a level that is serializable: transactions depend on each other by
     * predicates, and no serial order of them gives the same results. Without the second part, some
     * of these dependencies may not exist.
     */
    private Optional<OracleVerdict> checkSerialOrders(
        TracedExecution observation, StatementGraph graph)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      if (level != IsolationLevel.SERIALIZABLE
          || !Guarantee.of(executor.database(original.testCase()), level)
              .prevents()
              .contains(Phenomenon.G2)) {
        return Optional.empty();
      }
      Set<String> cyclic = graph.sessionsOnCycles(observation.traces());
      if (cyclic.isEmpty()) {
        return Optional.empty();
      }
      OracleVerdict serial = WriteCheck.ofAnyOrder().judge(original, executor);
      return serial.result() == Result.VIOLATION
          ? Optional.of(
              TxCheck.this.verdict(
                  Result.VIOLATION,
                  "%s depend on each other, and %s"
                      .formatted(String.join(", ", cyclic), serial.reason())))
          : Optional.empty();
    }

    /** The case with statements in the SQL of the DBMS. */
    private TestCase rendered(TestCase testCase) {
      return testCase.withSteps(
          testCase.steps().stream()
              .map(
                  step ->
                      new Step(
                          step.id(),
                          step.session(),
                          step.label(),
                          executor.dbms().renderSql(step.sql())))
              .toList());
    }

    private TestCase withoutIncomparable(TestCase testCase) {
      Set<Integer> incomparable = new HashSet<>();
      for (Step step : testCase.steps()) {
        if (step.role() == Step.Role.WORK
            && ParsedStatement.of(step.sql()).obstacle(!tables.hidesColumns()).isPresent()) {
          incomparable.add(step.id());
        }
      }
      return without(testCase, incomparable);
    }

    private static TestCase without(TestCase testCase, Set<Integer> ids) {
      return testCase.withSteps(
          testCase.steps().stream().filter(step -> !ids.contains(step.id())).toList());
    }

    private OracleVerdict check(TracedExecution observation, StatementGraph graph)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      OracleVerdict verdict = check(observation.execution(), graph);
      return verdict.result() == Result.CLEAN
          ? checkSnapshot(observation, graph).orElse(verdict)
          : verdict;
    }

    /**
     * Checks that writes use the snapshots of their transactions; empty if that is not to be
     * checked, or if no order of the statements follows from it, or no other one than by {@code
     * graph}.
     */
    private Optional<OracleVerdict> checkSnapshot(TracedExecution observation, StatementGraph graph)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      if (!writesUseSnapshot || !ReadPolicy.of(executor.dbms(), level).writesIgnoreSnapshot()) {
        return Optional.empty();
      }
      StatementGraph bySnapshot = observation.snapshotGraph();
      return bySnapshot.dependencies().equals(graph.dependencies()) || !bySnapshot.isAcyclic()
          ? Optional.empty()
          : Optional.of(check(observation.execution(), bySnapshot));
    }

    /** Executes orders of the statements without transactions (algorithm 1). */
    private OracleVerdict check(CaseExecution execution, StatementGraph graph)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      List<List<Integer>> orders = graph.orders(MAX_ORDERS, new Random(ORDER_SEED));
      for (List<Integer> order : orders) {
        CaseExecution sequential =
            executor.executeInstrumented(
                withoutTransactions(execution, order), level, StatementProbe.NONE);
        ServerCrashException.throwIfLost(sequential);
        if (sequential.undecided().isPresent()) {
          return TxCheck.this.verdict(Result.UNDECIDED, sequential.undecided().get());
        }
        Optional<ResultComparison.Difference> difference =
            comparison.between(execution, sequential, order);
        if (difference.isPresent()) {
          return violation(difference.get(), order);
        }
      }
      return TxCheck.this.verdict(
          Result.CLEAN,
          "the same results without transactions, in "
              + orders.size()
              + " orders of "
              + graph.nodes().size()
              + " statements");
    }

    private OracleVerdict violation(ResultComparison.Difference difference, List<Integer> order) {
      Optional<Step> statement = difference.statement().map(id -> original.outcome(id).step());
      String what =
          statement
              .map(step -> "'" + step.session() + ": " + step.sql() + "'")
              .orElse("the final state");
      return new OracleVerdict(
          name(),
          Result.VIOLATION,
          "%s gave %s, without transactions %s, in the order %s"
              .formatted(what, difference.concurrent(), difference.sequential(), names(order)),
          statement);
    }

    /** The statements by session and number: {@code T1.1}. */
    private String names(List<Integer> order) {
      return order.stream()
          .map(
              id -> {
                String session = original.outcome(id).step().session();
                long number =
                    original.testCase().steps().stream()
                        .filter(step -> step.session().equals(session))
                        .takeWhile(step -> step.id() != id)
                        .filter(step -> step.role() == Step.Role.WORK)
                        .count();
                return session + "." + (number + 1);
              })
          .collect(Collectors.joining(", "));
    }

    private TestCase withoutTransactions(CaseExecution execution, List<Integer> order) {
      List<Step> steps = new ArrayList<>();
      for (int id : order) {
        Step step = execution.outcome(id).step();
        steps.add(new Step(step.id(), "T1", step.label(), step.sql()));
      }
      return execution.testCase().withSteps(steps);
    }
  }
}
