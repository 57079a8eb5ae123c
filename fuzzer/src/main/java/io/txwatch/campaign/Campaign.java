package io.txwatch.campaign;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.registry.DbmsRegistry;
import io.txwatch.generator.CaseGenerator;
import io.txwatch.generator.CaseKind;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.history.IsolationLevel;
import io.txwatch.oracle.Oracle;
import io.txwatch.oracle.OracleVerdict;
import io.txwatch.reduction.CaseShape;
import io.txwatch.schedule.CaseExecution;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a campaign. Its {@code n}-th case is the same on every machine and with any number of
 * workers; if weights are learnt, as long as the DBMS behaves the same. The oracles determine the
 * kind of its cases ({@link CaseKind}). Each worker has a workspace and sessions of its own.
 */
public final class Campaign {

  /** How long the DBMS may leave a worker without any response. */
  private static final Duration MAX_SILENCE = Duration.ofMinutes(2);

  /** How long after its end a campaign may reduce cases, so that most are still reduced fully. */
  private static final Duration MAX_OVERTIME = Duration.ofMinutes(1);

  private static final long POLL_INTERVAL_MILLIS = 200;

  private final Plan plan;
  private final Duration maxSilence;
  private final long batchSize;

  private final AtomicLong next;
  private final Exploration exploration;
  private final List<WorkerHeartbeat> heartbeats = new CopyOnWriteArrayList<>();
  private final CampaignCounts counts;
  private final FindingReporter reporter;
  private final CampaignWorker.Shared shared;
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

    /** True if all oracles need watched connections. */
    boolean allOraclesWatch() {
      return !oracles.isEmpty() && oracles.stream().allMatch(Oracle::needsWatchedConnections);
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
    FREE_THREADS,
    /** The sessions of a case are executed in further orders of their statements. */
    FURTHER_ORDERS
  }

  /** Receives the results of a campaign; called by several threads. */
  public interface Listener {
    /** Called for a finding. */
    void found(CampaignFinding finding);

    /**
     * Called, after the first of them, for a reproduced violation that differs from a finding in
     * the statements, but not in what its sessions do: most probably the same fault.
     */
    default void foundAgain(CampaignFinding first, CampaignFinding again) {}

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
    this(dbms, DbmsRegistry.dialect(dbms), plan, listener, maxSilence, casesPerEpoch);
  }

  /** A campaign with the SQL of perhaps another DBMS. */
  Campaign(Dbms dbms, GeneratedDialect dialect, Plan plan, Listener listener) {
    this(dbms, dialect, plan, listener, MAX_SILENCE, Exploration.CASES_PER_EPOCH);
  }

  private Campaign(
      Dbms dbms,
      GeneratedDialect dialect,
      Plan plan,
      Listener listener,
      Duration maxSilence,
      long casesPerEpoch) {
    this.maxSilence = maxSilence;
    this.plan = plan;
    this.next = new AtomicLong(plan.first());
    this.exploration =
        new Exploration(
            plan.modes().contains(Mode.LEARNT_WEIGHTS), casesPerEpoch, plan.first(), plan.end());
    this.counts = new CampaignCounts(plan.oracles());
    this.reporter = new FindingReporter(dialect, plan, listener, counts, this::isOverdue);
    this.shared =
        new CampaignWorker.Shared(
            dbms,
            dialect,
            plan,
            listener,
            exploration,
            counts,
            reporter,
            new AtomicLong(),
            this::isOver);
    this.batchSize = CaseSequence.batchSize(plan);
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

  /** Stops each worker after its current case, whose violation is not reduced any further. */
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
    return counts.summary(plan.seed(), exploration.counts(), (System.nanoTime() - start) / 1e9);
  }

  /** The server does not respond any more. What it was given is not repeated. */
  private void reportHang(WorkerHeartbeat heartbeat) {
    heartbeat.skip();
    heartbeat
        .suspect()
        .ifPresent(
            suspect ->
                reporter.reportLost(
                    "hang",
                    "the server has not responded for %d s".formatted(maxSilence.toSeconds()),
                    CaseExecution.unknown(suspect.testCase(), suspect.level(), "no response")));
  }

  private String noAnswer(WorkerHeartbeat heartbeat) {
    return "no response for %d s in case %d of seed %d, after %d cases"
        .formatted(maxSilence.toSeconds(), heartbeat.number(), plan.seed(), counts.cases.get());
  }

  private void work(WorkerHeartbeat heartbeat) {
    try (CampaignWorker worker = new CampaignWorker(shared, heartbeat)) {
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
    return stop.get() || elapsed().compareTo(plan.duration()) >= 0;
  }

  /** True if it was stopped, or should have ended long ago. */
  private boolean isOverdue() {
    return stop.get() || elapsed().minus(MAX_OVERTIME).compareTo(plan.duration()) >= 0;
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - start);
  }
}
