package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
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
  static final Step INTERNAL = new Step(0, "", Optional.empty(), "");

  private final TestCase testCase;
  private final CaseSession session;
  private final Dbms dbms;
  private final WaitMonitor monitor;

  /** What is sent in one round trip each; empty if the steps have to be one after the other. */
  private final List<List<RenderedStep>> script;

  /** The steps that read the final state. */
  private final List<Step> reads;

  private final List<StepOutcome> outcomes = new ArrayList<>();
  private final List<StepOutcome> finals = new ArrayList<>();

  /**
   * A run that has not begun.
   *
   * @param rejected the texts of statements that may well fail
   * @param first what has to be executed before all else, where steps are sent together
   * @param reads what reads the final state, there
   */
  SerialRun(
      TestCase testCase,
      CaseSession session,
      Dbms dbms,
      WaitMonitor monitor,
      Set<String> rejected,
      List<RenderedStep> first,
      List<RenderedStep> reads) {
    this.testCase = testCase;
    this.session = session;
    this.dbms = dbms;
    this.monitor = monitor;
    this.reads = reads.stream().map(RenderedStep::step).toList();
    this.script = session.usesSqlTransactions() ? script(rejected, first, reads) : List.of();
  }

  /** Runs, one step after the other. */
  void run() throws InterruptedException {
    for (Step step : testCase.steps()) {
      session.enqueue(step);
      if (session.isAborted()) {
        session.skip(step);
        outcomes.add(StepOutcome.without(step, Status.SKIPPED));
      } else {
        monitor.awaitHousekeeping();
        outcomes.add(session.executeNext(dbms.renderSql(step.sql())));
      }
    }
    if (session.isInTransaction()) {
      session.rollBackInline();
    }
  }

  /** True if steps can be sent together. */
  boolean canBundle() {
    return !script.isEmpty();
  }

  /**
   * Runs, with steps sent together.
   *
   * @return false if a step failed that nobody expected to; what has been done then is not known
   */
  boolean runBundled() {
    for (List<RenderedStep> part : script) {
      Optional<List<StepOutcome>> together =
          part.size() == 1
              ? session.executeSingle(part.get(0)).map(List::of)
              : session.executeBundled(part);
      if (together.isEmpty() || hasFailedRead(together.get())) {
        outcomes.clear();
        finals.clear();
        return false;
      }
      together.get().stream()
          .filter(outcome -> !outcome.step().equals(INTERNAL))
          .forEach(outcome -> (reads.contains(outcome.step()) ? finals : outcomes).add(outcome));
    }
    return true;
  }

  private boolean hasFailedRead(List<StepOutcome> of) {
    return of.stream().anyMatch(some -> !some.succeeded() && reads.contains(some.step()));
  }

  private List<List<RenderedStep>> script(
      Set<String> rejected, List<RenderedStep> first, List<RenderedStep> last) {
    List<List<RenderedStep>> script = new ArrayList<>();
    script.add(new ArrayList<>(first));
    boolean isOpen = false;
    boolean isNew = false;
    for (Step step : testCase.steps()) {
      boolean isSingle = rejected.contains(step.sql());
      boolean isWork = step.role() == Step.Role.WORK;
      if ((!isWork && isOpen == (step.role() == Step.Role.BEGIN))
          || (isSingle && dbms.multiStatement() != MultiStatement.ONE_BY_ONE)) {
        return List.of();
      }
      if (isNew || isSingle) {
        script.add(new ArrayList<>());
      }
      isNew = isSingle;
      List<RenderedStep> part = script.get(script.size() - 1);
      RenderedStep sent = new RenderedStep(step, dbms.renderSql(step.sql()));
      if (isWork && !isOpen && dbms.multiStatement() == MultiStatement.IN_ONE_TRANSACTION) {
        part.addAll(
            List.of(
                new RenderedStep(INTERNAL, "BEGIN"), sent, new RenderedStep(INTERNAL, "COMMIT")));
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
    return isOpen || dbms.multiStatement() == MultiStatement.UNSUPPORTED ? List.of() : script;
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
