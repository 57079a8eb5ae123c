package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.schedule.ObservedOrder.TimedStep;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Executes a case with freely threaded sessions (IsoRel, section 3.2.1): all begin at once, and
 * each sends its next step as soon as the previous one has returned. The interleaving depends on
 * the DBMS and on the processors.
 */
final class FreeRun {

  private final TestCase testCase;
  private final Dbms dbms;
  private final Duration timeout;
  private final List<Lane> lanes = new ArrayList<>();
  private final CountDownLatch start = new CountDownLatch(1);

  /** Numbers the begins and ends of steps. */
  private final AtomicLong clock = new AtomicLong();

  FreeRun(TestCase testCase, Map<String, CaseSession> sessions, CaseRun.Environment environment) {
    this.testCase = testCase;
    this.dbms = environment.dbms();
    this.timeout = environment.timeout();
    sessions.forEach(
        (name, session) ->
            lanes.add(
                new Lane(
                    session,
                    testCase.steps().stream()
                        .filter(step -> step.session().equals(name))
                        .toList())));
  }

  /** One session with the thread that uses it until the end of the case. */
  private final class Lane implements Runnable {
    private final CaseSession session;
    private final List<Step> steps;
    private final Thread thread;

    /** Written by the thread, and read when it has ended. */
    private final List<TimedStep> executed = new ArrayList<>();

    private final List<StepOutcome> outcomes = new ArrayList<>();

    Lane(CaseSession session, List<Step> steps) {
      this.session = session;
      this.steps = steps;
      this.thread = new Thread(this, "free session " + session.name());
      thread.setDaemon(true);
    }

    @Override
    public void run() {
      try {
        start.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
      for (Step step : steps) {
        session.enqueue(step);
        if (session.isAborted()) {
          session.skip(step);
          outcomes.add(StepOutcome.without(step, Status.SKIPPED));
        } else {
          long begun = clock.incrementAndGet();
          outcomes.add(session.executeNext(dbms.renderSql(step.sql())));
          executed.add(new TimedStep(step, begun, clock.incrementAndGet()));
        }
      }
      if (session.isInTransaction()) { // others may wait for it
        session.rollBackInline();
      }
    }
  }

  /** Executes the case; returns why the outcome is undecided, if it is. */
  Optional<String> run() throws InterruptedException {
    lanes.forEach(lane -> lane.thread.start());
    start.countDown();
    long deadline = System.nanoTime() + timeout.toNanos();
    for (Lane lane : lanes) {
      long millis = Math.max(1, (deadline - System.nanoTime()) / 1_000_000);
      lane.thread.join(millis);
    }
    return isOver()
        ? Optional.empty()
        : Optional.of(
            "sessions without a schedule do not end within " + timeout.toSeconds() + " s");
  }

  private boolean isOver() {
    return lanes.stream().noneMatch(lane -> lane.thread.isAlive());
  }

  /**
   * Cancels the steps that have not returned, and waits for them.
   *
   * @return false if a step has not returned: its session is lost
   */
  boolean cancel(long maxMillis) throws InterruptedException {
    for (Lane lane : lanes) {
      if (lane.thread.isAlive()) {
        lane.session.cancel();
      }
    }
    for (Lane lane : lanes) {
      lane.thread.join(maxMillis);
    }
    return isOver();
  }

  /** The outcomes in the order of the case, after the end. */
  List<StepOutcome> outcomes() {
    Map<Integer, StepOutcome> byId = new HashMap<>();
    lanes.forEach(lane -> lane.outcomes.forEach(outcome -> byId.put(outcome.step().id(), outcome)));
    return testCase.steps().stream()
        .map(step -> byId.getOrDefault(step.id(), StepOutcome.without(step, Status.UNDECIDED)))
        .toList();
  }

  private List<TimedStep> executed() {
    return lanes.stream().flatMap(lane -> lane.executed.stream()).toList();
  }

  /** The ids of the steps in the order in which they returned. */
  List<Integer> order() {
    return executed().stream()
        .sorted(Comparator.comparingLong(TimedStep::ended))
        .map(timed -> timed.step().id())
        .toList();
  }

  /**
   * The case in orders of submission that were observed. Steps that were skipped follow the one
   * before them in their session.
   */
  List<TestCase> schedules() {
    return ObservedOrder.orders(executed()).stream()
        .map(this::withSkipped)
        .map(FreeRun::numbered)
        .map(testCase::withSteps)
        .map(one -> one.withHeader("order", "observed"))
        .toList();
  }

  private List<Step> withSkipped(List<Step> order) {
    Map<Integer, List<Step>> followers = new HashMap<>();
    for (Lane lane : lanes) {
      int last = -1;
      for (StepOutcome outcome : lane.outcomes) {
        if (outcome.status() == Status.SKIPPED) {
          followers.computeIfAbsent(last, first -> new ArrayList<>()).add(outcome.step());
        } else {
          last = outcome.step().id();
        }
      }
    }
    List<Step> all = new ArrayList<>();
    for (Step step : order) {
      all.add(step);
      all.addAll(Objects.requireNonNullElse(followers.get(step.id()), List.of()));
    }
    return all;
  }

  private static List<Step> numbered(List<Step> steps) {
    List<Step> numbered = new ArrayList<>();
    for (Step step : steps) {
      numbered.add(new Step(numbered.size() + 1, step.session(), step.label(), step.sql()));
    }
    return numbered;
  }
}
