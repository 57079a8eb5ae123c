package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.dbms.WaitMonitor;
import io.txwatch.history.IsolationLevel;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * One case on its way: submits what can be, one step, and when every session is idle, or blocked by
 * one that is, the next; so what runs beside what does not hang on who is faster.
 *
 * <p>No clock decides anything. A session is blocked when the DBMS says so; one that neither comes
 * back nor is blocked is let run. How long is counted in looks at it, not in seconds, since a
 * machine that has no time for the DBMS has none for the looks either.
 */
final class CaseRun {

  /** When the DBMS is first asked whether a statement that has not completed is blocked. */
  private static final long FIRST_POLL_MICROS = 250;

  /** A statement that is not blocked then is slow: it is asked for less and less often. */
  private static final long MAX_POLL_INTERVAL_MICROS = 5_000;

  /** It is asked so often whether one waits that it shows to wait only now and then. */
  private static final long BUSY_WAIT_POLL_MICROS = 50;

  /**
   * Whom a case is executed with.
   *
   * @param monitor tells who waits
   * @param completed the sessions whose steps have completed
   * @param timeout how much time may pass between two looks, all in all, while nothing completes
   * @param cpuBudget how much of the processor's time a step takes
   */
  record Environment(
      Dbms dbms,
      WaitMonitor monitor,
      BlockingQueue<CaseSession> completed,
      Duration timeout,
      CpuTimeBudget cpuBudget) {}

  private final TestCase testCase;
  private final IsolationLevel level;
  private final Map<String, CaseSession> sessions;
  private final Environment environment;

  /**
   * True if the case changes nothing but rows. What watched sessions do besides waits for nobody
   * whom their statements would not wait for.
   */
  private final boolean changesOnlyRows;

  private final Map<Integer, StepOutcome> outcomes = new HashMap<>();
  private final List<Integer> order = new ArrayList<>();

  /** How many steps had completed when the case was over; -1 before. */
  private int completedBeforeEnd = -1;

  private final WakeupRaceDetector raceDetector;
  private final QuiescenceDetector quiescence;

  /** Those that waited when the sessions were last at rest. */
  private List<CaseSession> quiescentWaiters = List.of();

  /** Whom they waited for. */
  private Map<Long, Set<Long>> waitGraph = Map.of();

  /** True if the step that was submitted can set nobody free, unless it fails: it only reads. */
  private boolean cannotUnblock;

  /** What has completed since the sessions were last at rest. */
  private final List<StepOutcome> newlyCompleted = new ArrayList<>();

  CaseRun(
      TestCase testCase,
      IsolationLevel level,
      Map<String, CaseSession> sessions,
      Environment environment,
      boolean changesOnlyRows) {
    this.testCase = testCase;
    this.level = level;
    this.sessions = sessions;
    this.environment = environment;
    this.changesOnlyRows = changesOnlyRows;
    this.raceDetector = new WakeupRaceDetector(environment.dbms(), level);
    this.quiescence = new QuiescenceDetector(environment, sessions);
  }

  /** Runs; says why the outcome cannot be told, if so. */
  Optional<String> run() throws SQLException, InterruptedException {
    for (Step step : testCase.steps()) {
      Objects.requireNonNull(sessions.get(step.session())).enqueue(step);
      if (!submitPending()) {
        return Optional.of("does not come to rest after '" + step.sql() + "'");
      }
    }
    while (isAnySessionBusy()) {
      // Those who still wait, wait for somebody whose case has ended within a transaction.
      Optional<CaseSession> idle =
          sessions.values().stream()
              .filter(session -> !session.isBusy() && session.isInTransaction())
              .findFirst();
      if (idle.isEmpty()) {
        return Optional.of("sessions wait that nobody blocks");
      }
      recordEnd();
      idle.get().rollBack();
      raceDetector.ended(idle.get());
      if (!awaitQuiescence(Optional.empty(), false) || !submitPending()) {
        return Optional.of("does not come to rest at its end");
      }
    }
    sessions.values().stream().filter(CaseSession::isInTransaction).forEach(CaseSession::rollBack);
    return awaitQuiescence(Optional.empty(), true)
        ? Optional.empty()
        : Optional.of("does not come to rest at its end");
  }

  private void recordEnd() {
    completedBeforeEnd = completedBeforeEnd < 0 ? order.size() : completedBeforeEnd;
  }

  private boolean submitPending() throws SQLException, InterruptedException {
    for (Optional<Step> step = submitNext(); step.isPresent(); step = submitNext()) {
      if (!awaitQuiescence(step, false)) {
        return false;
      }
    }
    return true;
  }

  private boolean isAnySessionBusy() {
    return sessions.values().stream().anyMatch(CaseSession::isBusy);
  }

  /**
   * Waits until every session is idle, or, unless all must be, blocked by one that is.
   *
   * @param submitted the step that was submitted since they were
   */
  private boolean awaitQuiescence(Optional<Step> submitted, boolean allIdle)
      throws SQLException, InterruptedException {
    long remainingMicros = TimeUnit.NANOSECONDS.toMicros(environment.timeout().toNanos());
    long pauseMicros = FIRST_POLL_MICROS;
    quiescence.reset();
    try {
      while (true) {
        List<CaseSession> busy = sessions.values().stream().filter(CaseSession::isBusy).toList();
        if (busy.isEmpty()) {
          recordQuiescence(busy, Map.of());
          return true;
        }
        if (cannotUnblock && busy.equals(quiescentWaiters) && environment.completed().isEmpty()) {
          recordQuiescence(busy, waitGraph);
          return true;
        }
        CaseSession done = environment.completed().poll(pauseMicros, TimeUnit.MICROSECONDS);
        if (done != null && sessions.get(done.name()) != done) {
          pauseMicros = 0; // it was given up with an earlier case, and has only now come to its end
        } else if (done != null) {
          pauseMicros = recordCompletion(done) ? FIRST_POLL_MICROS : 0;
        } else if (!allIdle && isQuiescent(busy)) {
          return true;
        } else if (remainingMicros < 0 || quiescence.anyBusyWaitsForever(busy)) {
          return false;
        } else {
          remainingMicros -= pauseMicros;
          pauseMicros =
              busy.stream().anyMatch(quiescence::isRunnable)
                  ? BUSY_WAIT_POLL_MICROS
                  : Math.min(
                      Math.max(2 * pauseMicros, FIRST_POLL_MICROS), MAX_POLL_INTERVAL_MICROS);
        }
      }
    } finally {
      recordOrder(submitted);
    }
  }

  /** The step that was sent; empty if nobody has one who could send it. */
  private Optional<Step> submitNext() throws SQLException, InterruptedException {
    for (CaseSession session : sessions.values()) {
      while (!session.isBusy() && session.next().isPresent()) {
        Step step = session.next().get();
        if (!session.isAborted()) {
          raceDetector.submitted(session, step);
          boolean inline = cannotBlock(session, step);
          cannotUnblock =
              inline
                  && (step.role() == Step.Role.WORK
                      || (step.role() == Step.Role.BEGIN && !session.isInTransaction()));
          boolean othersBlocked = isAnySessionBusy();
          quiescence.submitted(othersBlocked);
          if (!inline) {
            session.prepareToBlock(othersBlocked);
          }
          environment.monitor().awaitHousekeeping();
          session.submit(step, environment.dbms().renderSql(step.sql()), inline);
          return Optional.of(step);
        }
        outcomes.put(step.id(), StepOutcome.without(step, Status.SKIPPED));
        session.skip(step);
      }
    }
    return Optional.empty();
  }

  /**
   * True if a step cannot but come back soon: it only begins or ends a transaction, or nobody else
   * has done anything in one, or it reads where reading takes no locks. Where the DBMS runs in the
   * thread that calls it, a query is left to the session's own: it may never come back (H2 looks
   * for the MIN of an index for ever at times, whose rows another transaction has changed), unless
   * it is the first of its transaction, and so sees what there is.
   */
  private boolean cannotBlock(CaseSession session, Step step) {
    if (!changesOnlyRows) {
      return false;
    }
    if (step.role() != Step.Role.WORK || sessions.size() == 1) {
      return true;
    }
    boolean othersHoldLocks =
        sessions.values().stream().anyMatch(other -> other != session && other.holdsLocks());
    return (!othersHoldLocks && (!environment.dbms().mayBusyWait() || !session.holdsLocks()))
        || (PlainQuery.matches(step.sql())
            && !environment.dbms().plainReadsLock(level)
            && !environment.dbms().blocksCallingThread());
  }

  /** Takes what has completed; true if it may have set others free. */
  private boolean recordCompletion(CaseSession session) {
    quiescence.reset();
    Optional<StepOutcome> taken = session.takeOutcome();
    if (taken.isEmpty()) {
      return true;
    }
    StepOutcome outcome = taken.get();
    cannotUnblock &= outcome.succeeded();
    outcomes.put(outcome.step().id(), outcome);
    newlyCompleted.add(outcome);
    raceDetector.completed(session, outcome);
    if (session.needsRollback()) {
      session.rollBack();
    }
    return !outcome.succeeded()
        || !session.isInTransaction()
        || sessions.values().stream().anyMatch(other -> other.isBusy() && !other.isBlocked());
  }

  /**
   * Notes in which order the steps completed: that in which they are heard of is another one. A
   * COMMIT was before what it set free; the victim of a deadlock before the step that it made way
   * for; those that were set free at the same time are in the order in which they came.
   */
  private void recordOrder(Optional<Step> submitted) {
    int sender = submitted.map(Step::id).orElse(0);
    boolean ends = submitted.filter(step -> step.role() != Step.Role.WORK).isPresent();
    newlyCompleted.sort(
        Comparator.<StepOutcome>comparingInt(
                outcome -> {
                  boolean isVictim =
                      outcome.failure() != null
                          && outcome.failure().kind() == Failure.Kind.DEADLOCK;
                  return isVictim && !ends ? 0 : outcome.step().id() == sender ? 1 : 2;
                })
            .thenComparingInt(outcome -> outcome.step().id()));
    newlyCompleted.forEach(outcome -> order.add(outcome.step().id()));
    environment.cpuBudget().count(newlyCompleted.size());
    newlyCompleted.clear();
  }

  private boolean isQuiescent(List<CaseSession> busy) throws SQLException {
    Optional<Map<Long, Set<Long>>> waiting = quiescence.waitGraphIfQuiescent(busy);
    waiting.ifPresent(
        whom -> {
          busy.forEach(CaseSession::markBlocked);
          recordQuiescence(busy, whom);
        });
    return waiting.isPresent();
  }

  private void recordQuiescence(List<CaseSession> busy, Map<Long, Set<Long>> waiting) {
    quiescentWaiters = busy;
    waitGraph = waiting;
    raceDetector.onQuiescence(waiting);
  }

  /** The outcome of each step, in the order of the case. */
  List<StepOutcome> outcomes() {
    return testCase.steps().stream()
        .map(step -> outcomes.getOrDefault(step.id(), StepOutcome.without(step, Status.UNDECIDED)))
        .toList();
  }

  /** The numbers of the steps that completed, in the order in which they did. */
  List<Integer> order() {
    return order;
  }

  /** How many of those had completed when those were rolled back whose case ended in between. */
  int completedBeforeEnd() {
    return completedBeforeEnd < 0 ? order.size() : completedBeforeEnd;
  }

  /** Why another execution of the case may go another way, if it may. */
  Optional<String> race() {
    return raceDetector.race();
  }
}
