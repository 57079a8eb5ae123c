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
import java.util.Set;

/**
 * A case of one session on its way: there is nobody whom it could wait for, so each step follows as
 * soon as the one before has come back, or all of them are sent together, those that are known to
 * fail apart from the others.
 */
final class SerialRun {

  /** Stands for statements that are not the case's own. */
  static final Step ADDED = new Step(0, "", Optional.empty(), "");

  private final TestCase testCase;
  private final Session session;
  private final Dbms dbms;
  private final WaitMonitor monitor;

  /** What is sent in one round trip each; empty if the steps have to be one after the other. */
  private final List<List<Sent>> script;

  /** The steps that read the final state. */
  private final List<Step> reads;

  private final List<StepOutcome> outcomes = new ArrayList<>();
  private final List<StepOutcome> finals = new ArrayList<>();

  /**
   * A run that has not begun.
   *
   * @param refused the texts of statements that may well fail
   * @param first what has to be executed before all else, where steps are sent together
   * @param reads what reads the final state, there
   */
  SerialRun(
      TestCase testCase,
      Session session,
      Dbms dbms,
      WaitMonitor monitor,
      Set<String> refused,
      List<Sent> first,
      List<Sent> reads) {
    this.testCase = testCase;
    this.session = session;
    this.dbms = dbms;
    this.monitor = monitor;
    this.reads = reads.stream().map(Sent::step).toList();
    this.script = session.speaksSql() ? script(refused, first, reads) : List.of();
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

  /** True if steps can be sent together. */
  boolean canGoTogether() {
    return !script.isEmpty();
  }

  /**
   * Runs, with steps sent together.
   *
   * @return false if a step failed that nobody expected to; what has been done then is not known
   */
  boolean runTogether() {
    for (List<Sent> part : script) {
      Optional<List<StepOutcome>> together =
          part.size() == 1
              ? session.executeApart(part.get(0)).map(List::of)
              : session.executeTogether(part);
      if (together.isEmpty() || hasFailedRead(together.get())) {
        outcomes.clear();
        finals.clear();
        return false;
      }
      together.get().stream()
          .filter(outcome -> !outcome.step().equals(ADDED))
          .forEach(outcome -> (reads.contains(outcome.step()) ? finals : outcomes).add(outcome));
    }
    return true;
  }

  private boolean hasFailedRead(List<StepOutcome> of) {
    return of.stream().anyMatch(some -> !some.succeeded() && reads.contains(some.step()));
  }

  private List<List<Sent>> script(Set<String> refused, List<Sent> first, List<Sent> last) {
    List<List<Sent>> script = new ArrayList<>();
    script.add(new ArrayList<>(first));
    boolean isOpen = false;
    boolean isNew = false;
    for (Step step : testCase.steps()) {
      boolean isApart = refused.contains(step.sql());
      boolean isWork = step.role() == Step.Role.WORK;
      if ((!isWork && isOpen == (step.role() == Step.Role.BEGIN))
          || (isApart && dbms.several() != Several.ONE_BY_ONE)) {
        return List.of();
      }
      if (isNew || isApart) {
        script.add(new ArrayList<>());
      }
      isNew = isApart;
      List<Sent> part = script.get(script.size() - 1);
      Sent sent = new Sent(step, dbms.spell(step.sql()));
      if (isWork && !isOpen && dbms.several() == Several.IN_ONE_TRANSACTION) {
        part.addAll(List.of(new Sent(ADDED, "BEGIN"), sent, new Sent(ADDED, "COMMIT")));
      } else {
        part.add(sent);
      }
      isOpen ^= !isWork;
    }
    if (isNew) {
      script.add(new ArrayList<>());
    }
    script.get(script.size() - 1).addAll(last);
    script.removeIf(List::isEmpty);
    return isOpen || dbms.several() == Several.NOT ? List.of() : script;
  }

  /** The outcome of each step, in the order of the case. */
  List<StepOutcome> outcomes() {
    return outcomes;
  }

  /** What read the final state; nothing if the steps were not sent together. */
  List<StepOutcome> finals() {
    return finals;
  }

  /** The numbers of the steps that were executed, in their order. */
  List<Integer> order() {
    return outcomes.stream()
        .filter(outcome -> outcome.status() != Status.SKIPPED)
        .map(outcome -> outcome.step().id())
        .toList();
  }
}
