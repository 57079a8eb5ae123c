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
  private static final long FIRST_LOOK_MICROS = 250;

  /** A statement that is not blocked then is slow: it is asked for less and less often. */
  private static final long LAST_LOOK_MICROS = 5_000;

  /** It is asked so often whether one waits that it shows to wait only now and then. */
  private static final long NEXT_LOOK_MICROS = 50;

  /**
   * Whom a case is executed with.
   *
   * @param monitor tells who waits
   * @param completed the sessions whose steps have completed
   * @param patience how much time may pass between two looks, all in all, while nothing completes
   * @param pace how much of the processor's time a step takes
   */
  record Surroundings(
      Dbms dbms,
      WaitMonitor monitor,
      BlockingQueue<Session> completed,
      Duration patience,
      Pace pace) {}

  private final TestCase testCase;
  private final IsolationLevel level;
  private final Map<String, Session> own;
  private final Surroundings surroundings;

  /**
   * True if the case changes nothing but rows. What watched sessions do besides waits for nobody
   * whom their statements would not wait for.
   */
  private final boolean rowsOnly;

  private final Map<Integer, StepOutcome> outcomes = new HashMap<>();
  private final List<Integer> order = new ArrayList<>();

  /** How many steps had completed when the case was over; -1 before. */
  private int ended = -1;

  private final Races races;
  private final Lookout lookout;

  /** Those that waited when the sessions were last at rest. */
  private List<Session> resting = List.of();

  /** Whom they waited for. */
  private Map<Long, Set<Long>> waits = Map.of();

  /** True if the step that was submitted can set nobody free, unless it fails: it only reads. */
  private boolean changesNothing;

  /** What has completed since the sessions were last at rest. */
  private final List<StepOutcome> settling = new ArrayList<>();

  CaseRun(
      TestCase testCase,
      IsolationLevel level,
      Map<String, Session> own,
      Surroundings surroundings,
      boolean rowsOnly) {
    this.testCase = testCase;
    this.level = level;
    this.own = own;
    this.surroundings = surroundings;
    this.rowsOnly = rowsOnly;
    this.races = new Races(surroundings.dbms(), level);
    this.lookout = new Lookout(surroundings, own);
  }

  /** Runs; says why the outcome cannot be told, if so. */
  Optional<String> run() throws SQLException, InterruptedException {
    for (Step step : testCase.steps()) {
      Objects.requireNonNull(own.get(step.session())).enqueue(step);
      if (!goOn()) {
        return Optional.of("does not come to rest after '" + step.sql() + "'");
      }
    }
    while (isSomeoneBusy()) {
      // Those who still wait, wait for somebody whose case has ended within a transaction.
      Optional<Session> idle =
          own.values().stream()
              .filter(session -> !session.isBusy() && session.isInTransaction())
              .findFirst();
      if (idle.isEmpty()) {
        return Optional.of("sessions wait that nobody blocks");
      }
      noteEnded();
      idle.get().rollBack();
      races.ended(idle.get());
      if (!settle(Optional.empty(), false) || !goOn()) {
        return Optional.of("does not come to rest at its end");
      }
    }
    own.values().stream().filter(Session::isInTransaction).forEach(Session::rollBack);
    return settle(Optional.empty(), true)
        ? Optional.empty()
        : Optional.of("does not come to rest at its end");
  }

  private void noteEnded() {
    ended = ended < 0 ? order.size() : ended;
  }

  private boolean goOn() throws SQLException, InterruptedException {
    for (Optional<Step> step = submitNext(); step.isPresent(); step = submitNext()) {
      if (!settle(step, false)) {
        return false;
      }
    }
    return true;
  }

  private boolean isSomeoneBusy() {
    return own.values().stream().anyMatch(Session::isBusy);
  }

  /**
   * Waits until every session is idle, or, unless all must be, blocked by one that is.
   *
   * @param submitted the step that was submitted since they were
   */
  private boolean settle(Optional<Step> submitted, boolean allIdle)
      throws SQLException, InterruptedException {
    long left = TimeUnit.NANOSECONDS.toMicros(surroundings.patience().toNanos());
    long pause = FIRST_LOOK_MICROS;
    lookout.somethingHappens();
    try {
      while (true) {
        List<Session> busy = own.values().stream().filter(Session::isBusy).toList();
        if (busy.isEmpty()) {
          rest(busy, Map.of());
          return true;
        }
        if (changesNothing && busy.equals(resting) && surroundings.completed().isEmpty()) {
          rest(busy, waits);
          return true;
        }
        Session done = surroundings.completed().poll(pause, TimeUnit.MICROSECONDS);
        if (done != null && own.get(done.name()) != done) {
          pause = 0; // it was given up with an earlier case, and has only now come to its end
        } else if (done != null) {
          pause = take(done) ? FIRST_LOOK_MICROS : 0;
        } else if (!allIdle && areAtRest(busy)) {
          return true;
        } else if (left < 0 || lookout.someoneTriesForEver(busy)) {
          return false;
        } else {
          left -= pause;
          pause =
              busy.stream().anyMatch(lookout::triesAgain)
                  ? NEXT_LOOK_MICROS
                  : Math.min(Math.max(2 * pause, FIRST_LOOK_MICROS), LAST_LOOK_MICROS);
        }
      }
    } finally {
      note(submitted);
    }
  }

  /** The step that was sent; empty if nobody has one who could send it. */
  private Optional<Step> submitNext() throws SQLException, InterruptedException {
    for (Session session : own.values()) {
      while (!session.isBusy() && session.next().isPresent()) {
        Step step = session.next().get();
        if (!session.isBroken()) {
          races.submitted(session, step);
          boolean atOnce = cannotBlock(session, step);
          changesNothing =
              atOnce
                  && (step.role() == Step.Role.WORK
                      || (step.role() == Step.Role.BEGIN && !session.isInTransaction()));
          boolean othersWait = isSomeoneBusy();
          lookout.submitted(othersWait);
          if (!atOnce) {
            session.closesCircles(othersWait);
          }
          surroundings.monitor().awaitHousekeeping();
          session.submit(step, surroundings.dbms().spell(step.sql()), atOnce);
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
  private boolean cannotBlock(Session session, Step step) {
    if (!rowsOnly) {
      return false;
    }
    if (step.role() != Step.Role.WORK || own.size() == 1) {
      return true;
    }
    boolean othersHold =
        own.values().stream().anyMatch(other -> other != session && other.holdsLocks());
    return (!othersHold && (!surroundings.dbms().triesAgain() || !session.holdsLocks()))
        || (PlainQuery.is(step.sql())
            && !surroundings.dbms().readsLock(level)
            && !surroundings.dbms().waitsInCallingThread());
  }

  /** Takes what has completed; true if it may have set others free. */
  private boolean take(Session session) {
    lookout.somethingHappens();
    Optional<StepOutcome> taken = session.takeOutcome();
    if (taken.isEmpty()) {
      return true;
    }
    StepOutcome outcome = taken.get();
    changesNothing &= outcome.succeeded();
    outcomes.put(outcome.step().id(), outcome);
    settling.add(outcome);
    races.completed(session, outcome);
    if (session.owesRollback()) {
      session.rollBack();
    }
    return !outcome.succeeded()
        || !session.isInTransaction()
        || own.values().stream().anyMatch(other -> other.isBusy() && !other.isBlocked());
  }

  /**
   * Notes in which order the steps completed: that in which they are heard of is another one. A
   * COMMIT was before what it set free; the victim of a deadlock before the step that it made way
   * for; those that were set free at the same time are in the order in which they came.
   */
  private void note(Optional<Step> submitted) {
    int sender = submitted.map(Step::id).orElse(0);
    boolean ends = submitted.filter(step -> step.role() != Step.Role.WORK).isPresent();
    settling.sort(
        Comparator.<StepOutcome>comparingInt(
                outcome -> {
                  boolean isVictim =
                      outcome.failure() != null
                          && outcome.failure().kind() == Failure.Kind.DEADLOCK;
                  return isVictim && !ends ? 0 : outcome.step().id() == sender ? 1 : 2;
                })
            .thenComparingInt(outcome -> outcome.step().id()));
    settling.forEach(outcome -> order.add(outcome.step().id()));
    surroundings.pace().count(settling.size());
    settling.clear();
  }

  private boolean areAtRest(List<Session> busy) throws SQLException {
    Optional<Map<Long, Set<Long>>> waiting = lookout.whoWaits(busy);
    waiting.ifPresent(
        whom -> {
          busy.forEach(Session::noteBlocked);
          rest(busy, whom);
        });
    return waiting.isPresent();
  }

  private void rest(List<Session> busy, Map<Long, Set<Long>> waiting) {
    resting = busy;
    waits = waiting;
    races.settled(waiting);
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
  int ended() {
    return ended < 0 ? order.size() : ended;
  }

  /** Why another execution of the case may go another way, if it may. */
  Optional<String> race() {
    return races.found();
  }
}
