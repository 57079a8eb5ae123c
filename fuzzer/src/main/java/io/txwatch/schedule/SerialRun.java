package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.Several;
import io.txwatch.dbms.WaitMonitor;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A case of one session on its way: there is nobody whom it could wait for, so each step follows as
 * soon as the one before has come back, or all of them are sent together.
 */
final class SerialRun {

  /** Stands for statements that are not the case's own. */
  private static final Step ADDED = new Step(0, "", Optional.empty(), "");

  private final TestCase testCase;
  private final Session session;
  private final Dbms dbms;
  private final WaitMonitor monitor;
  private final Optional<List<Sent>> script;
  private final List<StepOutcome> outcomes = new ArrayList<>();

  SerialRun(TestCase testCase, Session session, Dbms dbms, WaitMonitor monitor) {
    this.testCase = testCase;
    this.session = session;
    this.dbms = dbms;
    this.monitor = monitor;
    this.script = session.speaksSql() ? script() : Optional.empty();
  }

  /** Runs, one step after the other. */
  void run() throws InterruptedException {
    for (Step step : testCase.steps()) {
      session.enqueue(step);
      if (session.isBroken()) {
        session.skip(step);
        outcomes.add(StepOutcome.without(step, Status.SKIPPED));
      } else {
        monitor.awaitHousekeeping();
        outcomes.add(session.executeNext(dbms.spell(step.sql())));
      }
    }
    if (session.isInTransaction()) {
      session.rollBackAlone();
    }
  }

  /** True if the steps can be sent in one round trip. */
  boolean canGoTogether() {
    return script.isPresent();
  }

  /**
   * Runs in one round trip.
   *
   * @return false if a step failed; what has been done then is not known
   */
  boolean runTogether() {
    Optional<List<StepOutcome>> together = script.flatMap(session::executeTogether);
    together.ifPresent(
        all ->
            all.stream().filter(outcome -> !outcome.step().equals(ADDED)).forEach(outcomes::add));
    return together.isPresent();
  }

  /** What is to be sent; empty if it has to be one after the other. */
  private Optional<List<Sent>> script() {
    List<Sent> script = new ArrayList<>();
    boolean isOpen = false;
    for (Step step : testCase.steps()) {
      Sent sent = new Sent(step, dbms.spell(step.sql()));
      boolean isWork = step.role() == Step.Role.WORK;
      if (!isWork && isOpen == (step.role() == Step.Role.BEGIN)) {
        return Optional.empty();
      }
      if (isWork && !isOpen && dbms.several() == Several.IN_ONE_TRANSACTION) {
        script.addAll(List.of(new Sent(ADDED, "BEGIN"), sent, new Sent(ADDED, "COMMIT")));
      } else {
        script.add(sent);
      }
      isOpen ^= !isWork;
    }
    return isOpen || script.isEmpty() || dbms.several() == Several.NOT
        ? Optional.empty()
        : Optional.of(script);
  }

  /** The outcome of each step, in the order of the case. */
  List<StepOutcome> outcomes() {
    return outcomes;
  }

  /** The numbers of the steps that were executed, in their order. */
  List<Integer> order() {
    return outcomes.stream()
        .filter(outcome -> outcome.status() != Status.SKIPPED)
        .map(outcome -> outcome.step().id())
        .toList();
  }
}
