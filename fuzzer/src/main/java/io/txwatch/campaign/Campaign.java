package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.Grammar;
import io.txwatch.generator.Workload;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.GraphAnomaly;
import io.txwatch.oracle.KnownBehaviour;
import io.txwatch.oracle.Laboratory;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.ServerLaboratory;
import io.txwatch.oracle.Verdict;
import io.txwatch.schedule.Execution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A campaign: its {@code n}-th case is the same on every machine and with any number of workers. Of
 * what kind its cases are hangs on who judges them ({@link Workload}). Each worker has a workspace
 * and sessions of its own.
 */
public final class Campaign {

  private static final int REPRODUCTIONS = 5;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** How long the DBMS may leave a worker without any answer. */
  private static final Duration LONGEST_SILENCE = Duration.ofMinutes(2);

  /** How often it is looked whether it does. */
  private static final long LOOK_MILLIS = 200;

  private final Dbms dbms;
  private final Grammar grammar;
  private final Plan plan;
  private final Listener listener;
  private final Duration longestSilence;

  /** True if no oracle wants to see an execution that is not watched. */
  private final boolean allWatch;

  private final Workload workload;

  /**
   * How many cases a worker takes at a time: those that have the same tables, if there are enough.
   */
  private final long share;

  private final AtomicLong next = new AtomicLong();
  private final AtomicLong cases = new AtomicLong();
  private final AtomicLong undecided = new AtomicLong();
  private final AtomicLong racing = new AtomicLong();
  private final AtomicLong unsupported = new AtomicLong();
  private final AtomicLong unreproduced = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final Repetitions repetitions = new Repetitions();
  private final AtomicLong findings = new AtomicLong();
  private final AtomicLong statements = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final Map<String, Long> kinds = new ConcurrentHashMap<>();
  private final Map<GraphAnomaly.Kind, Long> anomalies = new ConcurrentHashMap<>();
  private final AtomicBoolean stop = new AtomicBoolean();
  private volatile @Nullable Throwable fault;
  private long start;

  /**
   * What is to be done.
   *
   * @param seed makes the cases
   * @param levels the levels; each case runs at one of them, in turn
   * @param oracles who judges
   * @param cases how many cases; {@link Long#MAX_VALUE} for as many as the time allows
   * @param duration for how long
   * @param workers how many at a time
   * @param mostStatements how many statements a transaction has at most
   */
  public record Plan(
      long seed,
      List<IsolationLevel> levels,
      List<Oracle> oracles,
      long cases,
      Duration duration,
      int workers,
      int mostStatements) {

    /** One whose transactions are as long as usual. */
    public Plan(
        long seed,
        List<IsolationLevel> levels,
        List<Oracle> oracles,
        long cases,
        Duration duration,
        int workers) {
      this(seed, levels, oracles, cases, duration, workers, CaseGenerator.MOST_STATEMENTS);
    }
  }

  /** Is told what happens, by several threads. */
  public interface Listener {
    /** Something was found. */
    void found(Finding finding);

    /** A case was executed and judged. */
    default void judged(Execution execution, Verdict verdict) {}

    /** A violation that a fresh run of the same case did not show. */
    default void notReproduced(Execution execution, Verdict verdict) {}
  }

  /** A campaign that has not begun. */
  public Campaign(Dbms dbms, Grammar grammar, Plan plan, Listener listener) {
    this(dbms, grammar, plan, listener, LONGEST_SILENCE);
  }

  Campaign(Dbms dbms, Grammar grammar, Plan plan, Listener listener, Duration longestSilence) {
    this.longestSilence = longestSilence;
    this.dbms = dbms;
    this.grammar = grammar;
    this.plan = plan;
    this.listener = listener;
    this.allWatch = !plan.oracles().isEmpty() && plan.oracles().stream().allMatch(Oracle::watches);
    this.workload = allWatch ? Workload.HISTORIES : Workload.STATEMENTS;
    this.share = Math.max(1, Math.min(workload.casesOfASchema(), plan.cases() / plan.workers()));
  }

  /** Asks the workers to stop after the case that each is at. */
  public void stop() {
    stop.set(true);
  }

  /**
   * Runs to the end.
   *
   * @throws SQLTimeoutException if the DBMS leaves a worker without any answer
   * @throws SQLException if the DBMS cannot be used any more
   */
  public Summary run() throws SQLException, InterruptedException {
    start = System.nanoTime();
    Map<Thread, Pulse> workers = new LinkedHashMap<>();
    for (int i = 0; i < plan.workers(); i++) {
      Pulse pulse = new Pulse();
      Thread worker = new Thread(() -> work(pulse), "worker " + (i + 1));
      worker.setDaemon(true);
      worker.start();
      workers.put(worker, pulse);
    }
    while (!workers.isEmpty()) {
      workers.keySet().iterator().next().join(LOOK_MILLIS);
      workers.keySet().removeIf(worker -> !worker.isAlive());
      Optional<Pulse> silent =
          workers.values().stream()
              .filter(pulse -> pulse.silence().compareTo(longestSilence) > 0)
              .findAny();
      if (silent.isPresent()) {
        stop.set(true);
        throw new SQLTimeoutException(noAnswer(silent.get()));
      }
    }
    Throwable failure = fault;
    if (failure instanceof SQLException sql) {
      throw sql;
    }
    if (failure != null) {
      throw new IllegalStateException("a worker failed", failure);
    }
    return summary();
  }

  /** What has been done so far. */
  public Summary summary() {
    return new Summary(
        plan.seed(),
        cases.get(),
        undecided.get(),
        racing.get(),
        unsupported.get(),
        unreproduced.get(),
        findings.get(),
        repeated.get(),
        statements.get(),
        rejected.get(),
        new TreeMap<>(kinds),
        new TreeMap<>(anomalies),
        (System.nanoTime() - start) / 1e9);
  }

  private String noAnswer(Pulse pulse) {
    return "no answer for %d s to what case %d of seed %d sent, after %d cases"
        .formatted(longestSilence.toSeconds(), pulse.number(), plan.seed(), cases.get());
  }

  private void work(Pulse pulse) {
    try (ServerLaboratory laboratory = new ServerLaboratory(dbms, PATIENCE)) {
      Worker worker = new Worker(pulse.in(laboratory));
      while (!isOver()) {
        long first = next.getAndAdd(share);
        if (first >= plan.cases()) {
          return;
        }
        for (long n = first; n < Math.min(first + share, plan.cases()) && !isOver(); n++) {
          pulse.begin(n);
          worker.run(n);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException | RuntimeException | Error e) {
      fault = e;
      stop.set(true);
    }
  }

  private boolean isOver() {
    return stop.get() || System.nanoTime() - start >= plan.duration().toNanos();
  }

  /** One worker's part. */
  private final class Worker {
    private final Laboratory laboratory;

    private final CaseGenerator generator =
        new CaseGenerator(plan.seed(), grammar, plan.mostStatements(), workload);

    Worker(Laboratory laboratory) {
      this.laboratory = laboratory;
    }

    void run(long number) throws SQLException, InterruptedException {
      CaseGenerator.Generated generated = generator.generate(number);
      IsolationLevel level = plan.levels().get((int) (number % plan.levels().size()));
      cases.incrementAndGet();
      generated.kinds().forEach((kind, count) -> kinds.merge(kind, (long) count, Long::sum));
      try {
        Execution execution =
            allWatch
                ? laboratory.watch(generated.testCase(), level)
                : laboratory.execute(generated.testCase(), level);
        count(generated, execution);
        if (!hasLostAConnection(execution)) {
          judge(execution);
          return;
        }
        reportCrash(execution);
      } catch (ScheduleExecutor.SetupException e) {
        statements.incrementAndGet();
        rejected.incrementAndGet();
      } catch (SQLException e) {
        if (isLost(e)) {
          reportCrash(
              new Execution(
                  generated.testCase(),
                  level,
                  List.of(),
                  List.of(),
                  0,
                  List.of(),
                  Optional.of(String.valueOf(e.getMessage()).strip()),
                  Optional.empty(),
                  List.of()));
        }
        throw e;
      }
    }

    private boolean hasLostAConnection(Execution execution) {
      return execution.outcomes().stream()
          .map(StepOutcome::failure)
          .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.CONNECTION_LOST);
    }

    private boolean isLost(SQLException error) {
      return dbms.failure(error).kind() == Failure.Kind.CONNECTION_LOST;
    }

    /** The server went away under the case: it is not tried again on a server that may be gone. */
    private void reportCrash(Execution execution) {
      findings.incrementAndGet();
      listener.found(
          new Finding(
              new Verdict(
                  "crash",
                  Verdict.Result.VIOLATION,
                  "the server closed the connection; what is known of the case is below"),
              execution.level(),
              execution.testCase(),
              execution.testCase(),
              execution,
              0,
              0,
              Optional.empty()));
    }

    private void judge(Execution execution)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      if (execution.race().isPresent()) {
        racing.incrementAndGet();
      }
      boolean told = false;
      boolean open = false;
      for (Oracle oracle : plan.oracles()) {
        Verdict verdict = oracle.judge(execution, laboratory);
        listener.judged(execution, verdict);
        verdict.anomalies().stream()
            .map(GraphAnomaly::kind)
            .distinct()
            .forEach(kind -> anomalies.merge(kind, 1L, Long::sum));
        switch (verdict.result()) {
          case VIOLATION -> {
            told = true;
            report(oracle, execution, verdict);
          }
          case CLEAN -> told = true;
          case UNDECIDED -> open = true;
          case UNSUPPORTED -> {}
        }
      }
      if (!told) {
        (open ? undecided : unsupported).incrementAndGet();
      }
    }

    private void report(Oracle oracle, Execution first, Verdict firstVerdict)
        throws SQLException, InterruptedException {
      Optional<KnownBehaviour> asFirstSeen =
          KnownBehaviour.of(dbms.database(), first, firstVerdict);
      if (repetitions.isOneOfMany(first, firstVerdict, asFirstSeen)) {
        repeated.incrementAndGet();
        return;
      }
      Reducer reducer = new Reducer(oracle, laboratory, first.level(), firstVerdict);
      if (!reducer.isViolating(first.testCase())) {
        unreproduced.incrementAndGet();
        listener.notReproduced(first, firstVerdict);
        return;
      }
      TestCase reduced = reducer.reduce(first.testCase());
      int reproduced = 0;
      Execution shown = first;
      Verdict said = firstVerdict;
      for (int i = 0; i < REPRODUCTIONS; i++) {
        try {
          Execution again = laboratory.execute(reduced, first.level(), oracle);
          Verdict verdict = oracle.judge(again, laboratory);
          if (verdict.repeats(firstVerdict)) {
            reproduced++;
            shown = again;
            said = verdict;
          }
        } catch (ScheduleExecutor.SetupException e) {
          break;
        }
      }
      if (reproduced < REPRODUCTIONS) {
        unreproduced.incrementAndGet();
        listener.notReproduced(first, firstVerdict);
        return;
      }
      Optional<KnownBehaviour> known = KnownBehaviour.of(dbms.database(), shown, said);
      findings.incrementAndGet();
      listener.found(
          new Finding(
              said,
              first.level(),
              first.testCase(),
              reduced,
              shown,
              reproduced,
              REPRODUCTIONS,
              known));
    }

    private void count(CaseGenerator.Generated generated, Execution execution) {
      for (StepOutcome outcome : execution.outcomes()) {
        if (outcome.status() != StepOutcome.Status.SKIPPED) {
          statements.incrementAndGet();
        }
        Failure failure = outcome.failure();
        if (failure != null
            && failure.kind() == Failure.Kind.STATEMENT
            && !generated.expects(
                outcome.step().id(), outcome.sqlState(), outcome.vendorCode(), outcome.message())) {
          rejected.incrementAndGet();
        }
      }
    }
  }
}
