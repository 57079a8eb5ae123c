package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.CaseKind;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.generator.Weights;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.CaseExecutor;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.ServerCaseExecutor;
import io.txwatch.oracle.ServerCrashException;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.CaseInterleaver;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** Executes the cases of one worker and lets the oracles judge them. */
final class CampaignWorker implements AutoCloseable {

  /** Of an order that is executed beside the generated one. */
  private static final int MAX_PREEMPTIONS = 2;

  private static final int MAX_FURTHER_ORDERS = 30;

  private static final Duration QUIESCENCE_TIMEOUT = Duration.ofSeconds(10);

  /** After so many consecutive cases that could not be executed, the campaign ends. */
  private static final int MAX_CONSECUTIVE_FAULTS = 5;

  private final Dbms dbms;
  private final Campaign.Plan plan;
  private final Campaign.Listener listener;
  private final Exploration exploration;
  private final CampaignCounts counts;
  private final FindingReporter reporter;
  private final AtomicLong serverLoss;
  private final BooleanSupplier isOver;
  private final CaseSequence cases;

  private final WorkerHeartbeat heartbeat;
  private ServerCaseExecutor server;

  /** The executor on the server, with the heartbeat. */
  private CaseExecutor executor;

  private int consecutiveFaults;

  /** The violations of the cases of this batch that are reported at its end. */
  private final Deque<Violation> pending = new ArrayDeque<>();

  private record Violation(
      long number, Oracle oracle, CaseExecution execution, OracleVerdict verdict) {}

  /**
   * What the workers of a campaign share.
   *
   * @param serverLoss when a case ended the server, by {@link System#nanoTime}; 0 if the server is
   *     there
   * @param isOver true if no further case begins
   */
  record Shared(
      Dbms dbms,
      GeneratedDialect dialect,
      Campaign.Plan plan,
      Campaign.Listener listener,
      Exploration exploration,
      CampaignCounts counts,
      FindingReporter reporter,
      AtomicLong serverLoss,
      BooleanSupplier isOver) {}

  CampaignWorker(Shared shared, WorkerHeartbeat heartbeat) throws SQLException {
    this.dbms = shared.dbms();
    this.plan = shared.plan();
    this.listener = shared.listener();
    this.exploration = shared.exploration();
    this.counts = shared.counts();
    this.reporter = shared.reporter();
    this.serverLoss = shared.serverLoss();
    this.isOver = shared.isOver();
    this.cases = new CaseSequence(dbms, shared.dialect(), plan);
    this.heartbeat = heartbeat;
    this.server = new ServerCaseExecutor(dbms, QUIESCENCE_TIMEOUT);
    this.executor = heartbeat.monitoring(server);
  }

  /** Replaces the executor by one with new workspaces and sessions. */
  private void replaceExecutor(SQLException cause) throws SQLException {
    try {
      server.close();
    } catch (SQLException e) {
      cause.addSuppressed(e); // what is left of it is not used any more
    }
    server = new ServerCaseExecutor(dbms, QUIESCENCE_TIMEOUT);
    executor = heartbeat.monitoring(server);
  }

  @Override
  public void close() throws SQLException {
    server.close();
  }

  private void begin(long number) {
    heartbeat.begin(number, pending.isEmpty() ? number : pending.getFirst().number());
  }

  void run(long number) throws SQLException, InterruptedException {
    begin(number);
    Weights weights = exploration.weights(number, this::isOverWhileIdle);
    if (isOver.getAsBoolean()) {
      return;
    }
    CaseGenerator.GeneratedCase generated = cases.generate(number, weights);
    IsolationLevel level = cases.level(number);
    counts.generated(generated);
    long caseStart = System.nanoTime();
    try {
      CaseExecution execution =
          plan.allOraclesWatch() && dbms.whyUnwatchable().isEmpty()
              ? executor.executeWatched(generated.testCase(), level)
              : executor.execute(generated.testCase(), level);
      Optional<String> mostlyRejected = counts.executed(generated, execution);
      if (!hasLostConnection(execution)) {
        serverLoss.updateAndGet(loss -> loss != 0 && caseStart - loss > 0 ? 0 : loss);
        List<OracleVerdict> verdicts = judge(execution, number, mostlyRejected);
        exploration.executed(number, generated.productions(), CaseFeatures.of(execution, verdicts));
        if (plan.modes().contains(Campaign.Mode.FREE_THREADS)
            && dbms.whyUnwatchable().isEmpty()
            && cases.kindOf(number) == CaseKind.HISTORIES) {
          try {
            runFreely(execution, verdicts);
          } catch (ScheduleExecutor.SetupException e) {
            counts.rejected(e); // its first execution was set up
          }
        }
        if (plan.modes().contains(Campaign.Mode.FURTHER_ORDERS)) {
          judgeFurtherOrders(execution, number);
        }
        consecutiveFaults = 0;
        return;
      }
      reportCrash(execution);
    } catch (ServerCrashException e) {
      reportCrash(e.execution());
      throw e;
    } catch (ScheduleExecutor.SetupException e) {
      if (isConnectionLost(e.sqlError())) {
        reportCrash(
            CaseExecution.unknown(
                generated.testCase(), level, String.valueOf(e.getMessage()).strip()));
        throw e.sqlError();
      }
      counts.statements.incrementAndGet();
      counts.rejected(e);
      notSetUp(generated.testCase(), number, e);
      consecutiveFaults = 0;
      exploration.executed(number, generated.productions(), Map.of());
    } catch (SQLException e) {
      if (isConnectionLost(e)) {
        reportCrash(
            CaseExecution.unknown(
                generated.testCase(), level, String.valueOf(e.getMessage()).strip()));
        throw e;
      }
      afterFault(number, level, e);
      exploration.executed(number, generated.productions(), Map.of());
    }
  }

  /** Nothing was executed, so no oracle can decide the case. */
  private void notSetUp(TestCase testCase, long number, ScheduleExecutor.SetupException error) {
    counts.undecided.incrementAndGet();
    for (Oracle oracle : plan.oracles()) {
      if (cases.isDue(oracle, number) && oracle.judges(testCase)) {
        counts.verdict(notSetUp(oracle, error), testCase);
      }
    }
  }

  private OracleVerdict notSetUp(Oracle oracle, ScheduleExecutor.SetupException error) {
    return new OracleVerdict(
        oracle.name(), Result.UNDECIDED, "the set-up failed: " + error.getMessage());
  }

  /**
   * Goes on after an error of a statement that does not belong to the case, with a new executor.
   *
   * @throws SQLException if that is in vain
   */
  private void afterFault(long number, IsolationLevel level, SQLException error)
      throws SQLException {
    consecutiveFaults++;
    if (dbms.isOutOfConnections(error) || consecutiveFaults >= MAX_CONSECUTIVE_FAULTS) {
      throw error;
    }
    counts.undecided.incrementAndGet();
    listener.failed(number, level, error);
    replaceExecutor(error);
  }

  /** Executes a case with freely threaded sessions. */
  private void runFreely(CaseExecution scheduled, List<OracleVerdict> verdicts)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    Set<GraphAnomaly.Kind> counted = new HashSet<>();
    verdicts.forEach(verdict -> counted.addAll(kinds(verdict)));
    for (Oracle oracle : plan.oracles()) {
      if (!oracle.needsWatchedConnections() || !oracle.judges(scheduled.testCase())) {
        continue;
      }
      FreeExecution free = executor.executeFreely(scheduled.testCase(), scheduled.level());
      ServerCrashException.throwIfLost(free.execution());
      OracleVerdict verdict = oracle.judge(free.execution(), executor);
      counts.freeExecutions.incrementAndGet();
      listener.judged(free.execution(), verdict);
      for (GraphAnomaly.Kind kind : kinds(verdict)) {
        counts.onlyFree.addAndGet(counted.add(kind) ? 1 : 0);
      }
      if (verdict.result() == Result.VIOLATION) {
        reporter.reportFree(executor, oracle, free, verdict);
      }
    }
  }

  /** Executes a case's sessions in further orders of their statements, up to a limit. */
  private void judgeFurtherOrders(CaseExecution given, long number)
      throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
    int sessions = given.testCase().sessions().size();
    if (!CaseInterleaver.supports(dbms)
        || sessions < CaseInterleaver.MIN_SESSIONS
        || sessions > CaseInterleaver.MAX_SESSIONS) {
      return;
    }
    CaseInterleaver.Orders orders;
    synchronized (CaseInterleaver.class) { // one at a time in a process
      orders =
          new CaseInterleaver(dbms, MAX_PREEMPTIONS, MAX_FURTHER_ORDERS)
              .orders(given.testCase(), given.level());
    }
    for (TestCase order : orders.cases()) {
      if (isOver.getAsBoolean()) {
        return;
      }
      if (order.steps().equals(given.testCase().steps())) {
        continue;
      }
      CaseExecution execution = executor.execute(order, given.level());
      ServerCrashException.throwIfLost(execution);
      counts.furtherOrders.incrementAndGet();
      for (Oracle oracle : plan.oracles()) {
        if (cases.isDue(oracle, number) && oracle.judges(order)) {
          judge(oracle, execution, number, Optional.empty());
        }
      }
    }
  }

  private Set<GraphAnomaly.Kind> kinds(OracleVerdict verdict) {
    return verdict.anomalies().stream().map(GraphAnomaly::kind).collect(Collectors.toSet());
  }

  private boolean isOverWhileIdle() {
    heartbeat.idle();
    return isOver.getAsBoolean();
  }

  /**
   * Reports the violations of a batch. Other workers need the results of all its cases to go on,
   * and a report takes as long as many of them.
   */
  void reportPending() throws SQLException, InterruptedException {
    while (!pending.isEmpty()) {
      Violation next = pending.getFirst();
      begin(next.number());
      reporter.report(executor, next.oracle(), next.execution(), next.verdict());
      pending.removeFirst();
    }
  }

  private boolean hasLostConnection(CaseExecution execution) {
    return execution.outcomes().stream()
        .map(StepOutcome::failure)
        .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.CONNECTION_LOST);
  }

  private boolean isConnectionLost(SQLException error) {
    return dbms.failure(error).kind() == Failure.Kind.CONNECTION_LOST;
  }

  /**
   * The server closed the connection during the case. The case is not repeated, because the server
   * may be gone.
   */
  private void reportCrash(CaseExecution execution) {
    if (!serverLoss.compareAndSet(0, System.nanoTime() | 1)) {
      return; // another case has ended the server; this one may be executed again
    }
    heartbeat.skip();
    reporter.reportLost(
        "crash", "the server closed the connection; the known part of the case follows", execution);
  }

  /**
   * Lets the oracles judge an execution.
   *
   * @param mostlyRejected that the DBMS rejected most of its statements, if it did
   */
  private List<OracleVerdict> judge(
      CaseExecution execution, long number, Optional<String> mostlyRejected)
      throws SQLException, InterruptedException {
    if (execution.race().isPresent()) {
      counts.racing.incrementAndGet();
    }
    List<OracleVerdict> verdicts = new ArrayList<>();
    for (Oracle oracle : plan.oracles()) {
      if (cases.isDue(oracle, number) && oracle.judges(execution.testCase())) {
        verdicts.add(judge(oracle, execution, number, mostlyRejected));
      }
    }
    for (Oracle oracle : plan.oracles()) {
      if (!cases.isDue(oracle, number)
          && verdicts.stream().allMatch(verdict -> verdict.result() == Result.UNSUPPORTED)
          && oracle.judges(execution.testCase())) {
        verdicts.add(judge(oracle, execution, number, mostlyRejected));
      }
    }
    Set<Result> results = verdicts.stream().map(OracleVerdict::result).collect(Collectors.toSet());
    if (!results.contains(Result.VIOLATION) && !results.contains(Result.CLEAN)) {
      (results.contains(Result.UNDECIDED) ? counts.undecided : counts.unsupported)
          .incrementAndGet();
    }
    return verdicts;
  }

  private OracleVerdict judge(
      Oracle oracle, CaseExecution execution, long number, Optional<String> mostlyRejected)
      throws SQLException, InterruptedException {
    OracleVerdict verdict = verdict(oracle, execution);
    if (verdict.result() == Result.CLEAN && mostlyRejected.isPresent()) {
      verdict =
          new OracleVerdict(
              verdict.oracle(),
              Result.UNDECIDED,
              mostlyRejected.get(),
              verdict.statement(),
              verdict.anomalies());
    }
    listener.judged(execution, verdict);
    counts.verdict(verdict, execution.testCase());
    verdict.anomalies().stream()
        .map(GraphAnomaly::kind)
        .distinct()
        .forEach(kind -> counts.anomalies.merge(kind, 1L, Long::sum));
    counts.pattern(execution, verdict);
    if (verdict.result() == Result.VIOLATION) {
      if (plan.modes().contains(Campaign.Mode.LEARNT_WEIGHTS)) {
        pending.add(new Violation(number, oracle, execution, verdict));
      } else {
        reporter.report(executor, oracle, execution, verdict);
      }
    }
    return verdict;
  }

  private OracleVerdict verdict(Oracle oracle, CaseExecution execution)
      throws SQLException, InterruptedException {
    try {
      return oracle.judge(execution, executor);
    } catch (ScheduleExecutor.SetupException e) {
      counts.rejected(e);
      return notSetUp(oracle, e);
    }
  }
}
