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
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

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

  /** More than a statement of a case computes while classes are loaded and code is compiled. */
  private static final long MOST_COMPUTING_AT_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(150);

  /** A hundred times what a statement of a case computes afterwards. */
  private static final long MOST_COMPUTING_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** After so many steps it is afterwards. */
  private static final long FIRST_STEPS = 2_000;

  private static final AtomicLong STEPS = new AtomicLong();

  /** More than a statement takes to fail, once it may go on. */
  private static final long MOST_RETURNING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /**
   * Whom a case is executed with.
   *
   * @param monitor tells who waits
   * @param completed the sessions whose steps have completed
   * @param patience how much time may pass between two looks, all in all, while nothing completes
   */
  record Surroundings(
      Dbms dbms, WaitMonitor monitor, BlockingQueue<Session> completed, Duration patience) {}

  private final TestCase testCase;
  private final IsolationLevel level;
  private final Map<String, Session> own;
  private final Surroundings surroundings;

  /** True if the case changes nothing but rows, and its sessions do nothing of their own. */
  private final boolean plain;

  private final Map<Integer, StepOutcome> outcomes = new HashMap<>();
  private final List<Integer> order = new ArrayList<>();

  /** How many steps had completed when the case was over; -1 before. */
  private int ended = -1;

  private final Races races;

  /** Those that the DBMS said to wait when it was asked last. */
  private Set<Long> listed = Set.of();

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
      boolean plain) {
    this.testCase = testCase;
    this.level = level;
    this.own = own;
    this.surroundings = surroundings;
    this.plain = plain;
    this.races = new Races(surroundings.dbms(), level);
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
    if (surroundings.dbms().waitsInCallingThread()) {
      own.values().stream().filter(Session::isBlocked).forEach(Session::mayBeFree);
    }
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
        } else if (left < 0 || (surroundings.dbms().triesAgain() && someoneTriesAgain(busy))) {
          return false;
        } else {
          left -= pause;
          pause = Math.min(Math.max(2 * pause, FIRST_LOOK_MICROS), LAST_LOOK_MICROS);
        }
      }
    } finally {
      note(submitted);
    }
  }

  /**
   * True if one computes for longer than any statement of a case takes, and the DBMS does not say
   * that it waits: told by the processor's time, which does not hang on what else the machine does.
   */
  private boolean someoneTriesAgain(Collection<Session> busy) {
    return busy.stream()
        .anyMatch(
            session ->
                !listed.contains(session.key()) && session.computedNanos() > mostComputingNanos());
  }

  private static long mostComputingNanos() {
    return STEPS.get() < FIRST_STEPS ? MOST_COMPUTING_AT_FIRST_NANOS : MOST_COMPUTING_NANOS;
  }

  /** The step that was sent; empty if nobody has one who could send it. */
  private Optional<Step> submitNext() throws SQLException, InterruptedException {
    for (Session session : own.values()) {
      while (!session.isBusy() && session.next().isPresent()) {
        Step step = session.next().get();
        if (!session.isBroken()) {
          races.submitted(session);
          boolean atOnce = cannotBlock(session, step);
          changesNothing =
              atOnce
                  && (step.role() == Step.Role.WORK
                      || (step.role() == Step.Role.BEGIN && !session.isInTransaction()));
          if (!atOnce) {
            session.closesCircles(isSomeoneBusy());
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
   * for the MIN of an index for ever at times, whose rows another transaction has changed).
   */
  private boolean cannotBlock(Session session, Step step) {
    if (!plain) {
      return false;
    }
    if (step.role() != Step.Role.WORK || own.size() == 1) {
      return true;
    }
    boolean othersHold =
        own.values().stream().anyMatch(other -> other != session && other.holdsLocks());
    return (!othersHold && !surroundings.dbms().triesAgain())
        || (PlainQuery.is(step.sql())
            && !surroundings.dbms().readsLock(level)
            && !surroundings.dbms().waitsInCallingThread());
  }

  /** Takes what has completed; true if it may have set others free. */
  private boolean take(Session session) {
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
    STEPS.addAndGet(settling.size());
    settling.clear();
  }

  /** True if each of the sessions is blocked by one that is idle, directly or over others. */
  private boolean areAtRest(List<Session> busy) throws SQLException {
    if (busy.size() == own.size()) {
      return false; // nobody is left who could block them
    }
    if (someoneGoesOn(busy)) {
      return false;
    }
    Map<Long, Set<Long>> waiting = new HashMap<>(surroundings.monitor().waiting());
    waiting.keySet().retainAll(own.values().stream().map(Session::key).toList());
    listed = waiting.keySet();
    if (!busy.stream().allMatch(session -> waiting.containsKey(session.key()))
        || busy.stream().anyMatch(session -> isHeldUpByOthers(waiting.get(session.key())))
        || someoneGoesOn(busy)
        || !surroundings.completed().isEmpty()
        || isInCircle(waiting)) {
      return false;
    }
    busy.forEach(Session::noteBlocked);
    rest(busy, waiting);
    return true;
  }

  /**
   * True if none of those that a session waits for is of this case: a vacuum, say, which will not
   * take long.
   */
  private boolean isHeldUpByOthers(@Nullable Set<Long> blockers) {
    return blockers != null
        && !blockers.isEmpty()
        && own.values().stream().noneMatch(session -> blockers.contains(session.key()));
  }

  private void rest(List<Session> busy, Map<Long, Set<Long>> waiting) {
    resting = busy;
    waits = waiting;
    races.settled(waiting);
  }

  /**
   * True if one has been set free, whatever the DBMS still says of it: a deadlock's victim that is
   * on its way back. H2's sessions try again and again, too, while they wait for one that has gone
   * back to a savepoint; but not for as little of the processor's time as it takes to come back.
   */
  private boolean someoneGoesOn(Collection<Session> busy) {
    return surroundings.dbms().waitsInCallingThread()
        && busy.stream()
            .anyMatch(
                session ->
                    !session.waitsItself() && session.computedNanos() < MOST_RETURNING_NANOS);
  }

  /** True if some of our sessions wait in a circle, or for those that do. */
  private static boolean isInCircle(Map<Long, Set<Long>> waiting) {
    Set<Long> stuck = new HashSet<>(waiting.keySet());
    boolean shrinks = true;
    while (shrinks) {
      shrinks =
          stuck.removeIf(
              session ->
                  waiting.getOrDefault(session, Set.of()).stream().noneMatch(stuck::contains));
    }
    return !stuck.isEmpty();
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
