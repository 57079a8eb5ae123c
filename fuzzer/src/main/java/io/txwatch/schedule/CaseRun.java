package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Failure;
import io.txwatch.history.IsolationLevel;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
 * Executes one case with several sessions: submits one step at a time, and the next one only when
 * the sessions are quiescent, that is, each is idle or blocked by an idle one. What runs
 * concurrently therefore does not depend on which session is faster.
 *
 * <p>No clock decides anything. A session is blocked if the DBMS reports so; a session that has
 * neither completed nor blocked keeps running. How long it may run is counted in polls, not in
 * seconds: on a machine with no time for the DBMS, the polls are delayed as well.
 */
final class CaseRun {

  /** The delay before the DBMS is first polled for a statement that has not completed. */
  private static final long FIRST_POLL_MICROS = 250;

  /** How long a statement may take that waited for a table and was released. */
  private static final Duration MAX_RELEASE = Duration.ofSeconds(2);

  /** The longest interval between polls of a slow statement; intervals double up to it. */
  private static final long MAX_POLL_INTERVAL_MICROS = 5_000;

  /** A busy-waiting session appears as blocked only now and then: it is polled at this interval. */
  private static final long BUSY_WAIT_POLL_MICROS = 50;

  /**
   * What executes the case.
   *
   * @param monitor reports which sessions are blocked
   * @param completed the sessions whose steps have completed
   * @param timeout the total time between polls while nothing completes
   * @param cpuBudget how much CPU time a step may take
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
   * True if the case changes nothing but rows. The additional statements of watched sessions then
   * never block where the case's own statements would not.
   */
  private final boolean changesOnlyRows;

  /** True if a COMMIT checks constraints, and so may await who holds their rows. */
  private final boolean commitsMayBlock;

  private final Map<Integer, StepOutcome> outcomes = new HashMap<>();
  private final List<Integer> order = new ArrayList<>();

  /** The number of steps that had completed when the case was over; -1 before that. */
  private int completedBeforeEnd = -1;

  private final WakeupRaceDetector raceDetector;
  private final QuiescenceDetector quiescence;

  /** The sessions that were blocked at the last quiescent state. */
  private List<CaseSession> quiescentWaiters = List.of();

  /** The wait-for graph of the last quiescent state. */
  private Map<Long, Set<Long>> waitGraph = Map.of();

  /** True if the submitted step can unblock no session unless it fails: it only reads. */
  private boolean cannotUnblock;

  /** The steps that have completed since the last quiescent state. */
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
    this.commitsMayBlock = testCase.setup().stream().anyMatch(StatementText::defersConstraints);
    this.raceDetector = new WakeupRaceDetector(environment.dbms(), weakest(testCase, level));
    this.quiescence = new QuiescenceDetector(environment, sessions);
  }

  /** Executes the case; returns why the outcome is undecided, if it is. */
  Optional<String> run() throws SQLException, InterruptedException {
    for (Step step : testCase.steps()) {
      Objects.requireNonNull(sessions.get(step.session())).enqueue(step);
      if (!submitPending()) {
        return Optional.of("does not become quiescent after '" + step.sql() + "'");
      }
    }
    while (isAnySessionBusy()) {
      // The remaining sessions are blocked by one whose steps ended within a transaction.
      Optional<CaseSession> idle =
          sessions.values().stream()
              .filter(session -> !session.isBusy() && session.isInTransaction())
              .findFirst();
      if (idle.isEmpty()) {
        if (awaitReleased()) {
          continue;
        }
        return Optional.of("sessions are blocked by no other session");
      }
      recordEnd();
      idle.get().rollBack();
      raceDetector.ended(idle.get());
      if (!awaitQuiescence(Optional.empty(), false) || !submitPending()) {
        return Optional.of("does not become quiescent at its end");
      }
    }
    sessions.values().stream().filter(CaseSession::isInTransaction).forEach(CaseSession::rollBack);
    return awaitQuiescence(Optional.empty(), true)
        ? Optional.empty()
        : Optional.of("does not become quiescent at its end");
  }

  /**
   * Waits until sessions that the DBMS showed as waiting for a table are idle: they may have been
   * released a moment before.
   */
  private boolean awaitReleased() throws SQLException, InterruptedException {
    List<Long> busy = busySessions().stream().map(CaseSession::key).toList();
    return environment.monitor().hasUncertainWaits(busy)
        && awaitQuiescence(Optional.empty(), true, MAX_RELEASE)
        && !isAnySessionBusy()
        && submitPending();
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
   * Waits until every session is idle or, unless {@code allIdle}, blocked by an idle one.
   *
   * @param submitted the step that was submitted since the last quiescent state
   */
  private boolean awaitQuiescence(Optional<Step> submitted, boolean allIdle)
      throws SQLException, InterruptedException {
    return awaitQuiescence(submitted, allIdle, environment.timeout());
  }

  private boolean awaitQuiescence(Optional<Step> submitted, boolean allIdle, Duration timeout)
      throws SQLException, InterruptedException {
    quiescence.reset();
    try {
      return pollUntilQuiescent(allIdle, timeout);
    } finally {
      recordOrder(submitted);
    }
  }

  private boolean pollUntilQuiescent(boolean allIdle, Duration timeout)
      throws SQLException, InterruptedException {
    long remainingMicros = TimeUnit.NANOSECONDS.toMicros(timeout.toNanos());
    long pauseMicros = FIRST_POLL_MICROS;
    for (List<CaseSession> busy = busySessions(); !isKnownQuiescent(busy); busy = busySessions()) {
      CaseSession done = environment.completed().poll(pauseMicros, TimeUnit.MICROSECONDS);
      if (done != null) {
        pauseMicros = isOwn(done) && recordCompletion(done) ? FIRST_POLL_MICROS : 0;
      } else if (!allIdle && isQuiescent(busy)) {
        return true;
      } else if (remainingMicros < 0 || quiescence.anyBusyWaitsForever(busy)) {
        return false;
      } else {
        remainingMicros -= pauseMicros;
        pauseMicros = nextPauseMicros(busy, pauseMicros);
      }
    }
    return true;
  }

  private List<CaseSession> busySessions() {
    return sessions.values().stream().filter(CaseSession::isBusy).toList();
  }

  /** Recognizes and records a quiescent state without polling the DBMS, if possible. */
  private boolean isKnownQuiescent(List<CaseSession> busy) {
    if (busy.isEmpty()) {
      recordQuiescence(busy, Map.of());
      return true;
    }
    if (cannotUnblock && busy.equals(quiescentWaiters) && environment.completed().isEmpty()) {
      recordQuiescence(busy, waitGraph);
      return true;
    }
    return false;
  }

  /** False for a session that was abandoned with an earlier case and has only now completed. */
  private boolean isOwn(CaseSession session) {
    return sessions.get(session.name()) == session;
  }

  private long nextPauseMicros(List<CaseSession> busy, long pauseMicros) {
    return busy.stream().anyMatch(quiescence::isRunnable)
        ? BUSY_WAIT_POLL_MICROS
        : Math.min(Math.max(2 * pauseMicros, FIRST_POLL_MICROS), MAX_POLL_INTERVAL_MICROS);
  }

  /** Submits the next step of an idle session; empty if there is none. */
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
   * True if a step cannot block: it only begins or ends a transaction, no other session has done
   * anything in a transaction, or it is a query where queries take no locks. If the DBMS runs in
   * the calling thread, the session's own thread executes queries, because a query may never return
   * (H2 at times searches forever for the MIN of an index whose rows another transaction has
   * changed). The exception is a transaction's first query, which sees only committed rows.
   */
  private boolean cannotBlock(CaseSession session, Step step) {
    if (!changesOnlyRows || commitsMayBlock && step.role() == Step.Role.COMMIT) {
      return false;
    }
    if (step.role() != Step.Role.WORK || sessions.size() == 1) {
      return true;
    }
    boolean othersHoldLocks =
        sessions.values().stream().anyMatch(other -> other != session && other.holdsLocks());
    return (!othersHoldLocks && (!environment.dbms().mayBusyWait() || !session.holdsLocks()))
        || (PlainQuery.matches(environment.dbms().renderSql(step.sql()))
            && !environment.dbms().plainReadsLock(testCase.levelOf(step.session(), level))
            && !environment.dbms().blocksCallingThread());
  }

  private static IsolationLevel weakest(TestCase testCase, IsolationLevel common) {
    return testCase.sessions().stream()
        .map(session -> testCase.levelOf(session, common))
        .min(Comparator.naturalOrder())
        .orElse(common);
  }

  /** Records a completed step; returns true if it may have unblocked other sessions. */
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
   * Records the order in which the steps completed; the order of notification differs. A COMMIT
   * precedes the steps that it unblocks, a deadlock victim precedes the step that it unblocks, and
   * steps that are unblocked together keep the order of the case.
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
        graph -> {
          busy.forEach(CaseSession::markBlocked);
          recordQuiescence(busy, graph);
        });
    return waiting.isPresent();
  }

  private void recordQuiescence(List<CaseSession> busy, Map<Long, Set<Long>> waiting) {
    quiescentWaiters = busy;
    waitGraph = waiting;
    raceDetector.onQuiescence(waiting);
  }

  List<StepOutcome> outcomes() {
    return testCase.steps().stream()
        .map(step -> outcomes.getOrDefault(step.id(), StepOutcome.without(step, Status.UNDECIDED)))
        .toList();
  }

  /** The sessions of the case. */
  Collection<CaseSession> sessions() {
    return sessions.values();
  }

  /** The ids of the completed steps, in the order of completion. */
  List<Integer> order() {
    return order;
  }

  /** The number of completed steps when transactions that the case left open were rolled back. */
  int completedBeforeEnd() {
    return completedBeforeEnd < 0 ? order.size() : completedBeforeEnd;
  }

  /** Why another execution of the case may differ, if it may. */
  Optional<String> race() {
    Optional<String> race = raceDetector.race();
    List<Long> keys = sessions.values().stream().map(CaseSession::key).toList();
    return race.isEmpty() && environment.monitor().hasUncertainWaits(keys)
        ? Optional.of("a session waits for a table, and when it goes on is unknown")
        : race;
  }
}
