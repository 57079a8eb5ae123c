package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.registry.DbmsRegistry;
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
import io.txwatch.oracle.aptrans.ApTrans;
import io.txwatch.oracle.known.FindingClass;
import io.txwatch.oracle.known.KnownBehaviour;
import io.txwatch.reduction.CaseShape;
import io.txwatch.reduction.Reducer;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.FreeExecution;
import io.txwatch.schedule.ScheduleExecutor;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs a campaign. Its {@code n}-th case is the same on every machine and with any number of
 * workers; if weights are learnt, as long as the DBMS behaves the same. The oracles determine the
 * kind of its cases ({@link CaseKind}). Each worker has a workspace and sessions of its own.
 */
public final class Campaign {

  private static final int REPRODUCTIONS = 5;

  /** The executions with freely threaded sessions that show how often a violation occurs. */
  private static final int FREE_REPETITIONS = 20;

  /** The number of consecutive cases of one kind. */
  private static final long CASES_PER_KIND = CaseKind.PATTERNS.casesPerSchema();

  private static final Duration QUIESCENCE_TIMEOUT = Duration.ofSeconds(10);

  /** How long the DBMS may leave a worker without any response. */
  private static final Duration MAX_SILENCE = Duration.ofMinutes(2);

  private static final int PERCENT_WITH_MIXED_LEVELS = 10;

  /** After so many consecutive cases of a worker that could not be executed, the campaign ends. */
  private static final int MAX_CONSECUTIVE_FAULTS = 5;

  private static final long POLL_INTERVAL_MILLIS = 200;

  private final Dbms dbms;
  private final GeneratedDialect grammar;
  private final Plan plan;
  private final Listener listener;
  private final Duration maxSilence;

  /** True if all oracles need watched connections. */
  private final boolean allOraclesWatch;

  /** The kinds of its cases; batches of cases have them in turn. */
  private final List<CaseKind> caseKinds;

  /**
   * The number of consecutive cases that a worker takes: those with the same tables, if there are
   * enough.
   */
  private final long batchSize;

  private final AtomicLong next;
  private final Exploration exploration;
  private final List<WorkerHeartbeat> heartbeats = new CopyOnWriteArrayList<>();
  private final AtomicLong cases = new AtomicLong();
  private final AtomicLong undecided = new AtomicLong();
  private final AtomicLong racing = new AtomicLong();
  private final AtomicLong unsupported = new AtomicLong();
  private final AtomicLong unreproduced = new AtomicLong();
  private final AtomicLong repeated = new AtomicLong();
  private final AtomicLong freeExecutions = new AtomicLong();
  private final AtomicLong onlyFree = new AtomicLong();
  private final Repetitions repetitions = new Repetitions();
  private final AtomicLong findings = new AtomicLong();
  private final AtomicLong statements = new AtomicLong();
  private final AtomicLong rejected = new AtomicLong();
  private final Map<String, Long> kinds = new ConcurrentHashMap<>();
  private final Map<FindingClass, Long> classes = new ConcurrentHashMap<>();
  private final Map<GraphAnomaly.Kind, Long> anomalies = new ConcurrentHashMap<>();
  private final Map<PatternCount, Long> patterns = new ConcurrentHashMap<>();
  private final Map<String, OracleCounts.Counter> verdictCounts = new LinkedHashMap<>();
  private final Rejections rejections = new Rejections();

  /** When a case ended the server, by {@link System#nanoTime}; 0 if the server is there. */
  private final AtomicLong serverLoss = new AtomicLong();

  private final AtomicBoolean stop = new AtomicBoolean();
  private volatile @Nullable Throwable fault;
  private long start;

  /**
   * The parameters of a campaign.
   *
   * @param seed the seed of the generator
   * @param levels the isolation levels; cases run at each of them in turn
   * @param oracles the oracles
   * @param cases the number of cases; {@link Long#MAX_VALUE} for no limit
   * @param duration the time limit
   * @param workers the number of workers
   * @param maxStatements the most statements of a transaction
   * @param first the number of the first case
   * @param reported the shapes of findings that were reported before and are not reported again
   * @param modes what it does besides
   */
  public record Plan(
      long seed,
      List<IsolationLevel> levels,
      List<Oracle> oracles,
      long cases,
      Duration duration,
      int workers,
      int maxStatements,
      long first,
      Set<CaseShape> reported,
      Set<Mode> modes) {

    /** Copies its arguments. */
    public Plan {
      levels = List.copyOf(levels);
      oracles = List.copyOf(oracles);
      reported = Set.copyOf(reported);
      modes = Set.copyOf(modes);
    }

    /** Creates a plan that begins with the first case. */
    public Plan(
        long seed,
        List<IsolationLevel> levels,
        List<Oracle> oracles,
        long cases,
        Duration duration,
        int workers,
        int maxStatements) {
      this(seed, levels, oracles, cases, duration, workers, maxStatements, 0, Set.of(), Set.of());
    }

    /** The same plan without findings of these shapes. */
    public Plan with(Set<CaseShape> shapes) {
      return new Plan(
          seed, levels, oracles, cases, duration, workers, maxStatements, first, shapes, modes);
    }

    /** The same plan with a mode. */
    public Plan with(Mode mode) {
      Set<Mode> more = new HashSet<>(modes);
      more.add(mode);
      return new Plan(
          seed, levels, oracles, cases, duration, workers, maxStatements, first, reported, more);
    }

    /** The same plan with the cases of a seed from a number on. */
    public Plan continuing(long ofSeed, long from) {
      return new Plan(
          ofSeed, levels, oracles, cases, duration, workers, maxStatements, from, reported, modes);
    }

    /** The number after that of the last case. */
    long end() {
      return cases == Long.MAX_VALUE ? cases : first + cases;
    }

    /** Creates a plan with transactions of the default length. */
    public Plan(
        long seed,
        List<IsolationLevel> levels,
        List<Oracle> oracles,
        long cases,
        Duration duration,
        int workers) {
      this(seed, levels, oracles, cases, duration, workers, CaseGenerator.MAX_STATEMENTS);
    }
  }

  /** What a campaign does besides executing cases of a seed by their schedules. */
  public enum Mode {
    /**
     * Productions that bring something new are made more often. Which cases a seed generates then
     * depends on what earlier ones have shown.
     */
    LEARNT_WEIGHTS,
    /**
     * Cases of {@link CaseKind#HISTORIES} are executed once more with freely threaded sessions.
     * What these executions show depends on the processors, too.
     */
    FREE_THREADS
  }

  /** Receives the results of a campaign; called by several threads. */
  public interface Listener {
    /** Called for a finding. */
    void found(CampaignFinding finding);

    /** Called for each verdict. */
    default void judged(CaseExecution execution, OracleVerdict verdict) {}

    /**
     * Called for a case that could not be executed, or whose violation could not be reported,
     * because the DBMS rejected statements that do not belong to the case. It counts as undecided.
     */
    default void failed(long number, IsolationLevel level, SQLException error) {}

    /**
     * Called for a violation that not every further execution reproduced, with the case before or
     * after reduction and the number of executions that did.
     */
    default void notReproduced(CampaignFinding violation) {}
  }

  /** Creates a campaign. */
  public Campaign(Dbms dbms, Plan plan, Listener listener) {
    this(dbms, plan, listener, MAX_SILENCE);
  }

  Campaign(Dbms dbms, Plan plan, Listener listener, Duration maxSilence) {
    this(dbms, plan, listener, maxSilence, Exploration.CASES_PER_EPOCH);
  }

  Campaign(Dbms dbms, Plan plan, Listener listener, Duration maxSilence, long casesPerEpoch) {
    this.maxSilence = maxSilence;
    this.dbms = dbms;
    this.grammar = DbmsRegistry.dialect(dbms);
    this.plan = plan;
    this.next = new AtomicLong(plan.first());
    this.exploration =
        new Exploration(
            plan.modes().contains(Mode.LEARNT_WEIGHTS), casesPerEpoch, plan.first(), plan.end());
    plan.reported().forEach(repetitions::add);
    plan.oracles().forEach(oracle -> verdictCounts.put(oracle.name(), new OracleCounts.Counter()));
    this.listener = listener;
    this.allOraclesWatch =
        !plan.oracles().isEmpty()
            && plan.oracles().stream().allMatch(Oracle::needsWatchedConnections);
    this.caseKinds = caseKinds(plan.oracles());
    this.batchSize =
        Math.max(1, Math.min(caseKinds.get(0).casesPerSchema(), plan.cases() / plan.workers()));
  }

  /**
   * The kind that an oracle needs, if each oracle needs the same. Otherwise, of four batches one
   * follows patterns, and one has transactions that use the same rows, if an oracle needs them.
   */
  private static List<CaseKind> caseKinds(List<Oracle> oracles) {
    if (!oracles.isEmpty() && oracles.stream().allMatch(Oracle::needsWatchedConnections)) {
      return List.of(CaseKind.HISTORIES);
    }
    if (!oracles.isEmpty() && oracles.stream().allMatch(Oracle::needsPatterns)) {
      return List.of(CaseKind.PATTERNS);
    }
    boolean histories = oracles.stream().anyMatch(Oracle::needsWatchedConnections);
    boolean patterns = oracles.stream().anyMatch(Oracle::needsPatterns);
    return List.of(
        CaseKind.STATEMENTS,
        patterns ? CaseKind.PATTERNS : CaseKind.STATEMENTS,
        CaseKind.STATEMENTS,
        histories ? CaseKind.HISTORIES : CaseKind.STATEMENTS);
  }

  /**
   * Gives the sessions of a tenth of the cases levels of their own, if an oracle judges such cases.
   * Those that follow a pattern have one level, which decides what becomes of the pattern.
   */
  private CaseGenerator.GeneratedCase withMixedLevels(
      CaseGenerator.GeneratedCase generated, long number, IsolationLevel level) {
    SplittableRandom random = new SplittableRandom(plan.seed() * 31 + number);
    if (plan.levels().size() == 1
        || kindOf(number) == CaseKind.PATTERNS
        || plan.oracles().stream().noneMatch(Oracle::needsWatchedConnections)
        || random.nextInt(100) >= PERCENT_WITH_MIXED_LEVELS) {
      return generated;
    }
    Map<String, IsolationLevel> mixed = new LinkedHashMap<>();
    for (String session : generated.testCase().sessions()) {
      IsolationLevel own = plan.levels().get(random.nextInt(plan.levels().size()));
      if (own != level) {
        mixed.put(session, own);
      }
    }
    return generated.withLevels(mixed);
  }

  /** The kind of a case. Consecutive cases with the same tables have the same kind. */
  private CaseKind kindOf(long number) {
    long block = number / CASES_PER_KIND;
    return caseKinds.get((int) (block % caseKinds.size()));
  }

  /**
   * The number of the case with which a later campaign continues this one: each case before it was
   * executed, and its violations reported. Some of those after it may have been, too.
   */
  public long nextCase() {
    return heartbeats.stream()
        .mapToLong(WorkerHeartbeat::unfinished)
        .filter(number -> number >= 0)
        .min()
        .orElse(plan.first());
  }

  /** Stops each worker after its current case. */
  public void stop() {
    stop.set(true);
  }

  /**
   * Runs the campaign to its end.
   *
   * @throws SQLTimeoutException if the DBMS leaves a worker without any response
   * @throws SQLException if the DBMS cannot be used any more
   */
  public Summary run() throws SQLException, InterruptedException {
    start = System.nanoTime();
    Map<Thread, WorkerHeartbeat> workers = new LinkedHashMap<>();
    for (int i = 0; i < plan.workers(); i++) {
      WorkerHeartbeat heartbeat = new WorkerHeartbeat();
      Thread worker = new Thread(() -> work(heartbeat), "worker " + (i + 1));
      worker.setDaemon(true);
      worker.start();
      workers.put(worker, heartbeat);
      heartbeats.add(heartbeat);
    }
    while (!workers.isEmpty()) {
      workers.keySet().iterator().next().join(POLL_INTERVAL_MILLIS);
      workers.keySet().removeIf(worker -> !worker.isAlive());
      Optional<WorkerHeartbeat> silent =
          workers.values().stream()
              .filter(heartbeat -> heartbeat.silence().compareTo(maxSilence) > 0)
              .max(Comparator.comparing(WorkerHeartbeat::silence));
      if (silent.isPresent()) {
        stop.set(true);
        reportHang(silent.get());
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

  /** The results so far. */
  public Summary summary() {
    return new Summary(
        plan.seed(),
        cases.get(),
        undecided.get(),
        racing.get(),
        unsupported.get(),
        unreproduced.get(),
        findings.get(),
        new TreeMap<>(classes),
        repeated.get(),
        statements.get(),
        rejected.get(),
        new TreeMap<>(kinds),
        new TreeMap<>(anomalies),
        new TreeMap<>(patterns),
        verdictCounts(),
        rejections.mostFrequent(),
        exploration.counts(),
        new Summary.FreeThreads(freeExecutions.get(), onlyFree.get()),
        (System.nanoTime() - start) / 1e9);
  }

  private Map<String, OracleCounts> verdictCounts() {
    Map<String, OracleCounts> counts = new LinkedHashMap<>();
    verdictCounts.forEach((oracle, counter) -> counts.put(oracle, counter.counts()));
    return counts;
  }

  /** The server does not respond any more. What it was given is not repeated. */
  private void reportHang(WorkerHeartbeat heartbeat) {
    heartbeat.skip();
    heartbeat
        .suspect()
        .ifPresent(
            suspect ->
                reportLost(
                    "hang",
                    "the server has not responded for %d s".formatted(maxSilence.toSeconds()),
                    CaseExecution.unknown(suspect.testCase(), suspect.level(), "no response")));
  }

  /** Reports that a case has ended the server. */
  private void reportLost(String kind, String reason, CaseExecution execution) {
    findings.incrementAndGet();
    classes.merge(FindingClass.NEW, 1L, Long::sum);
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

  private String noAnswer(WorkerHeartbeat heartbeat) {
    return "no response for %d s in case %d of seed %d, after %d cases"
        .formatted(maxSilence.toSeconds(), heartbeat.number(), plan.seed(), cases.get());
  }

  private void work(WorkerHeartbeat heartbeat) {
    try (Worker worker = new Worker(heartbeat)) {
      while (!isOver()) {
        long first = next.getAndAdd(batchSize);
        if (first >= plan.end()) {
          return;
        }
        for (long n = first; n < Math.min(first + batchSize, plan.end()) && !isOver(); n++) {
          worker.run(n);
        }
        worker.reportPending();
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

  /** Executes the cases of one worker. */
  private final class Worker implements AutoCloseable {
    private final WorkerHeartbeat heartbeat;
    private ServerCaseExecutor server;

    /** The executor on the server, with the heartbeat. */
    private CaseExecutor executor;

    private int consecutiveFaults;

    private final Map<CaseKind, CaseGenerator> generators = new EnumMap<>(CaseKind.class);

    /** The violations of the cases of this batch that are reported at its end. */
    private final Deque<Violation> pending = new ArrayDeque<>();

    private record Violation(
        long number, Oracle oracle, CaseExecution execution, OracleVerdict verdict) {}

    Worker(WorkerHeartbeat heartbeat) throws SQLException {
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
      if (isOver()) {
        return;
      }
      CaseGenerator.GeneratedCase generated =
          generators
              .computeIfAbsent(
                  kindOf(number),
                  kind ->
                      new CaseGenerator(
                          plan.seed(),
                          grammar,
                          plan.maxStatements(),
                          kind,
                          dbms.requiresPrimaryKeys()))
              .generate(number, weights)
              .forServerWith(dbms.database().settings().keySet());
      if (dbms.definitionsMayHang()) {
        generated = generated.withoutDefinitionsBesideForeignKeys();
      }
      IsolationLevel level = plan.levels().get((int) (number % plan.levels().size()));
      generated = withMixedLevels(generated, number, level);
      cases.incrementAndGet();
      long caseStart = System.nanoTime();
      generated.kinds().forEach((kind, count) -> kinds.merge(kind, (long) count, Long::sum));
      try {
        CaseExecution execution =
            allOraclesWatch
                ? executor.executeWatched(generated.testCase(), level)
                : executor.execute(generated.testCase(), level);
        Optional<String> mostlyRejected = count(generated, execution);
        if (!hasLostConnection(execution)) {
          serverLoss.updateAndGet(loss -> loss != 0 && caseStart - loss > 0 ? 0 : loss);
          List<OracleVerdict> verdicts = judge(execution, number, mostlyRejected);
          exploration.executed(
              number, generated.productions(), CaseFeatures.of(execution, verdicts));
          if (plan.modes().contains(Mode.FREE_THREADS) && kindOf(number) == CaseKind.HISTORIES) {
            try {
              runFreely(execution, verdicts);
            } catch (ScheduleExecutor.SetupException e) {
              countRejected(e); // its first execution was set up
            }
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
        statements.incrementAndGet();
        countRejected(e);
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

    private void countRejected(ScheduleExecutor.SetupException error) {
      rejected.incrementAndGet();
      SQLException cause = error.sqlError();
      rejections.add(
          error.sql(),
          String.valueOf(cause.getSQLState()),
          cause.getErrorCode(),
          String.valueOf(cause.getMessage()));
    }

    /** Nothing was executed, so no oracle can decide the case. */
    private void notSetUp(TestCase testCase, long number, ScheduleExecutor.SetupException error) {
      undecided.incrementAndGet();
      for (Oracle oracle : plan.oracles()) {
        if (isDue(oracle, number) && oracle.judges(testCase)) {
          countVerdict(notSetUp(oracle, error), testCase);
        }
      }
    }

    private OracleVerdict notSetUp(Oracle oracle, ScheduleExecutor.SetupException error) {
      return new OracleVerdict(
          oracle.name(), Result.UNDECIDED, "the set-up failed: " + error.getMessage());
    }

    private void countVerdict(OracleVerdict verdict, TestCase testCase) {
      Objects.requireNonNull(verdictCounts.get(verdict.oracle())).add(verdict, testCase);
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
      undecided.incrementAndGet();
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
        freeExecutions.incrementAndGet();
        listener.judged(free.execution(), verdict);
        for (GraphAnomaly.Kind kind : kinds(verdict)) {
          onlyFree.addAndGet(counted.add(kind) ? 1 : 0);
        }
        if (verdict.result() == Result.VIOLATION) {
          reportFree(oracle, free, verdict);
        }
      }
    }

    private Set<GraphAnomaly.Kind> kinds(OracleVerdict verdict) {
      return verdict.anomalies().stream().map(GraphAnomaly::kind).collect(Collectors.toSet());
    }

    /**
     * Reports a violation without a schedule: by one of the observed orders if it shows the
     * violation again, otherwise with the share of executions that do.
     */
    private void reportFree(Oracle oracle, FreeExecution free, OracleVerdict verdict)
        throws SQLException, ScheduleExecutor.SetupException, InterruptedException {
      IsolationLevel level = free.execution().level();
      for (TestCase schedule : free.schedules()) {
        CaseExecution execution = executor.execute(schedule, level, oracle);
        OracleVerdict again = oracle.judge(execution, executor);
        if (again.reproduces(verdict)) {
          report(oracle, execution, again);
          return;
        }
      }
      if (repetitions.isRepetition(free.execution(), verdict, Optional.empty())) {
        repeated.incrementAndGet();
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

    private boolean isOverWhileIdle() {
      heartbeat.idle();
      return isOver();
    }

    /**
     * Reports the violations of a batch. Other workers need the results of all its cases to go on,
     * and a report takes as long as many of them.
     */
    void reportPending() throws SQLException, InterruptedException {
      while (!pending.isEmpty()) {
        Violation next = pending.getFirst();
        begin(next.number());
        report(next.oracle(), next.execution(), next.verdict());
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
     * The server closed the connection during the case. The case is not repeated, because the
     * server may be gone.
     */
    private void reportCrash(CaseExecution execution) {
      if (!serverLoss.compareAndSet(0, System.nanoTime() | 1)) {
        return; // another case has ended the server; this one may be executed again
      }
      heartbeat.skip();
      reportLost(
          "crash",
          "the server closed the connection; the known part of the case follows",
          execution);
    }

    /**
     * True if an oracle judges this case, whatever the others state. One that judges only some does
     * so for consecutive cases: these have the same tables, and defining tables is expensive. All
     * levels are used equally.
     */
    private boolean isDue(Oracle oracle, long number) {
      return plan.oracles().size() == 1
          || (oracle.needsWatchedConnections() && kindOf(number) == CaseKind.HISTORIES)
          || number / CaseKind.STATEMENTS.casesPerSchema() % oracle.mixInterval() == 0;
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
        racing.incrementAndGet();
      }
      List<OracleVerdict> verdicts = new ArrayList<>();
      for (Oracle oracle : plan.oracles()) {
        if (isDue(oracle, number) && oracle.judges(execution.testCase())) {
          verdicts.add(judge(oracle, execution, number, mostlyRejected));
        }
      }
      for (Oracle oracle : plan.oracles()) {
        if (!isDue(oracle, number)
            && verdicts.stream().allMatch(verdict -> verdict.result() == Result.UNSUPPORTED)
            && oracle.judges(execution.testCase())) {
          verdicts.add(judge(oracle, execution, number, mostlyRejected));
        }
      }
      Set<Result> results =
          verdicts.stream().map(OracleVerdict::result).collect(Collectors.toSet());
      if (!results.contains(Result.VIOLATION) && !results.contains(Result.CLEAN)) {
        (results.contains(Result.UNDECIDED) ? undecided : unsupported).incrementAndGet();
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
      countVerdict(verdict, execution.testCase());
      verdict.anomalies().stream()
          .map(GraphAnomaly::kind)
          .distinct()
          .forEach(kind -> anomalies.merge(kind, 1L, Long::sum));
      countPattern(execution, verdict);
      if (verdict.result() == Result.VIOLATION) {
        if (plan.modes().contains(Mode.LEARNT_WEIGHTS)) {
          pending.add(new Violation(number, oracle, execution, verdict));
        } else {
          report(oracle, execution, verdict);
        }
      }
      return verdict;
    }

    private OracleVerdict verdict(Oracle oracle, CaseExecution execution)
        throws SQLException, InterruptedException {
      try {
        return oracle.judge(execution, executor);
      } catch (ScheduleExecutor.SetupException e) {
        countRejected(e);
        return notSetUp(oracle, e);
      }
    }

    private void countPattern(CaseExecution execution, OracleVerdict verdict) {
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

    private void report(Oracle oracle, CaseExecution first, OracleVerdict firstVerdict)
        throws SQLException, InterruptedException {
      Optional<KnownBehaviour> asFirstSeen =
          DbmsRegistry.knownBehaviour(executor, first, firstVerdict);
      if (repetitions.isRepetition(first, firstVerdict, asFirstSeen)) {
        repeated.incrementAndGet();
        return;
      }
      Reducer reducer =
          new Reducer(oracle, executor, grammar.dialect(), first, firstVerdict, asFirstSeen);
      if (!reducer.isViolating(first.testCase())) {
        reportUnreproduced(repeat(oracle, first.testCase(), first.level(), first, firstVerdict, 1));
        return;
      }
      TestCase reduced = reducer.reduce(first.testCase());
      CaseShape shape = CaseShape.of(reduced, grammar.dialect());
      if (repetitions.isReported(shape)) {
        repeated.incrementAndGet();
        return;
      }
      IsolationLevel level = reducer.weakestLevel(reduced, levelsOfPlan());
      CampaignFinding finding = repeat(oracle, reduced, level, first, firstVerdict, 0);
      if (!finding.isReproduced()) {
        reportUnreproduced(finding);
        return;
      }
      // Others were reported meanwhile, or before at the weaker level.
      if (!repetitions.add(shape)
          || level != first.level()
              && repetitions.isRepetition(
                  finding.execution(), finding.verdict(), finding.known())) {
        repeated.incrementAndGet();
        return;
      }
      findings.incrementAndGet();
      classes.merge(finding.findingClass(), 1L, Long::sum);
      listener.found(finding.with(judgedByOthers(oracle, reduced, level)));
    }

    /** The levels of the plan, weakest first. */
    private List<IsolationLevel> levelsOfPlan() {
      return plan.levels().stream().distinct().sorted().toList();
    }

    private void reportUnreproduced(CampaignFinding violation) {
      unreproduced.incrementAndGet();
      listener.notReproduced(violation);
    }

    /**
     * Executes a case several times.
     *
     * @param level the level of these executions
     * @param failedBefore how many further executions did not reproduce the violation before
     */
    private CampaignFinding repeat(
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
    private List<OracleVerdict> judgedByOthers(Oracle one, TestCase testCase, IsolationLevel level)
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
     * Counts the statements of a case.
     *
     * @return that the DBMS rejected most of them for reasons other than the data, if it did
     */
    private Optional<String> count(CaseGenerator.GeneratedCase generated, CaseExecution execution) {
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
  }
}
