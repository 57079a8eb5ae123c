package io.txwatch.schedule;

import io.txwatch.dbms.Dbms;
import io.txwatch.dbms.Dbms.MultiStatement;
import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.schedule.StepOutcome.Status;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Executes a case of one session. Nothing can block it, so each step follows as soon as the
 * previous one has returned, or all steps are sent together; steps that are known to fail are sent
 * singly.
 */
final class SerialRun {

  /** Stands for statements that do not belong to the case. */
  static final Step INTERNAL = new Step(0, "", Optional.empty(), "");

  private final TestCase testCase;
  private final CaseSession session;
  private final Dbms dbms;
  private final WaitMonitor monitor;

  /** The steps of each round trip; empty if the steps have to be sent one by one. */
  private final List<List<RenderedStep>> script;

  /** The steps that read the final state. */
  private final List<Step> reads;

  private final List<StepOutcome> outcomes = new ArrayList<>();
  private final List<StepOutcome> finals = new ArrayList<>();

  /**
   * What is needed to send steps together.
   *
   * @param rejected the texts of statements that are likely to fail, which are sent singly
   * @param first the statements to execute first
   * @param reads the steps that read the final state
   */
  record BundledStatements(
      Set<String> rejected, List<RenderedStep> first, List<RenderedStep> reads) {}

  SerialRun(
      TestCase testCase,
      CaseSession session,
      CaseRun.Environment environment,
      BundledStatements bundled) {
    this.testCase = testCase;
    this.session = session;
    this.dbms = environment.dbms();
    this.monitor = environment.monitor();
    this.reads = bundled.reads().stream().map(RenderedStep::step).toList();
    this.script =
        session.usesSqlTransactions() && allowsBundling(bundled) ? script(bundled) : List.of();
  }

  /** Executes the steps one by one. */
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
   * Executes the steps, several in one round trip.
   *
   * @return false if a step failed unexpectedly; what has been executed is then unknown
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

  /**
   * True if steps can be sent together: the DBMS supports it, transactions are not nested, and all
   * of them end.
   */
  private boolean allowsBundling(BundledStatements bundled) {
    boolean isOpen = false;
    for (Step step : testCase.steps()) {
      boolean isWork = step.role() == Step.Role.WORK;
      boolean isRejected = bundled.rejected().contains(step.sql());
      if ((!isWork && isOpen == (step.role() == Step.Role.BEGIN))
          || (isRejected && dbms.multiStatement() != MultiStatement.ONE_BY_ONE)) {
        return false;
      }
      isOpen ^= !isWork;
    }
    return !isOpen && dbms.multiStatement() != MultiStatement.UNSUPPORTED;
  }

  private List<List<RenderedStep>> script(BundledStatements bundled) {
    List<List<RenderedStep>> script = new ArrayList<>();
    script.add(new ArrayList<>(bundled.first()));
    boolean isOpen = false;
    for (Step step : testCase.steps()) {
      boolean isSingle = bundled.rejected().contains(step.sql());
      if (isSingle) {
        script.add(new ArrayList<>());
      }
      script.get(script.size() - 1).addAll(rendered(step, isOpen));
      if (isSingle) {
        script.add(new ArrayList<>());
      }
      isOpen ^= step.role() != Step.Role.WORK;
    }
    script.get(script.size() - 1).addAll(bundled.reads());
    script.removeIf(List::isEmpty);
    return script;
  }

  /** A step as it is sent, in a transaction of its own if autocommit needs one. */
  private List<RenderedStep> rendered(Step step, boolean isOpen) {
    RenderedStep rendered = new RenderedStep(step, dbms.renderSql(step.sql()));
    boolean needsTransaction =
        step.role() == Step.Role.WORK
            && !isOpen
            && dbms.multiStatement() == MultiStatement.IN_ONE_TRANSACTION;
    return needsTransaction
        ? List.of(
            new RenderedStep(INTERNAL, "BEGIN"), rendered, new RenderedStep(INTERNAL, "COMMIT"))
        : List.of(rendered);
  }

  List<StepOutcome> outcomes() {
    return outcomes;
  }

  /** The results of the final reads; empty if the steps were not sent together. */
  List<StepOutcome> finals() {
    return finals;
  }

  /** The ids of the executed steps, in their order. */
  List<Integer> order() {
    return outcomes.stream()
        .filter(outcome -> outcome.status() != Status.SKIPPED)
        .map(outcome -> outcome.step().id())
        .toList();
  }
}
