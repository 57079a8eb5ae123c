package io.txwatch.oracle.troc;

import io.txwatch.history.Database;
import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.oracle.troc.Semantics.Snapshot;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Replays an execution in the order of completion, checks each statement against its view (Troc,
 * section III-E4), and stops at the first one whose result differs or whose effect cannot be
 * determined.
 */
final class ExecutionReplay {

  private final CaseExecution execution;
  private final Semantics semantics;
  private final ViewExecutor executor;
  private final ChangeHistory versions;
  private final Map<String, OpenTransaction> open = new HashMap<>();
  private final Timeline timeline;
  private final StatementChecker expectation;

  ExecutionReplay(
      CaseExecution execution, Semantics semantics, Database database, ViewExecutor executor) {
    this.execution = execution;
    this.semantics = semantics;
    this.executor = executor;
    this.versions = new ChangeHistory(executor.initial());
    this.timeline = new Timeline(execution);
    this.expectation = new StatementChecker(semantics, database, executor, versions, timeline);
  }

  /** Replays all steps. */
  void run() throws SQLException, EarlyVerdictException {
    int submitted = 0;
    List<Step> steps = execution.testCase().steps();
    for (CompletionBatch settlement : CompletionBatch.of(execution)) {
      while (submitted < steps.size() && steps.get(submitted).id() != settlement.submitted().id()) {
        timeline.submitted(steps.get(submitted++));
      }
      timeline.submitted(settlement.submitted());
      submitted++;
      if (settlement.unblockedSessions().size() > 1) {
        throw new EarlyVerdictException(
            Result.UNDECIDED,
            "'" + settlement.submitted().sql() + "' released several sessions at the same time",
            Optional.empty());
      }
      endDeadlockVictims(settlement);
      for (int i = 0; i < settlement.completed().size(); i++) {
        StepOutcome outcome = settlement.completed().get(i);
        timeline.advance();
        endAbandoned(settlement, i);
        replay(outcome);
        timeline.completed(outcome.step());
      }
    }
    open.values().forEach(transaction -> versions.rollBack(transaction.writer, 0));
    expectation.compareFinalState(execution);
  }

  /** A transaction that was aborted while blocked unblocked the steps that completed with it. */
  private void endDeadlockVictims(CompletionBatch settlement) {
    for (StepOutcome outcome : settlement.completed()) {
      if (outcome.blocked() && outcome.failure() != null && outcome.failure().endsTransaction()) {
        end(outcome.step().session(), false);
      }
    }
  }

  /**
   * At the end of a case the transactions of completed sessions are rolled back, which unblocks
   * others.
   */
  private void endAbandoned(CompletionBatch settlement, int next) {
    if (settlement.isEnd() && settlement.completed().get(next).blocked()) {
      Set<String> going = new HashSet<>();
      settlement
          .completed()
          .subList(next, settlement.completed().size())
          .forEach(outcome -> going.add(outcome.step().session()));
      Set.copyOf(open.keySet()).stream()
          .filter(session -> !going.contains(session))
          .forEach(session -> end(session, false));
    }
  }

  private void end(String session, boolean commit) {
    OpenTransaction transaction = open.remove(session);
    if (transaction == null) {
      return;
    }
    if (commit) {
      transaction.writer.commit(timeline.now());
    } else {
      versions.rollBack(transaction.writer, 0);
    }
  }

  private void replay(StepOutcome outcome) throws SQLException, EarlyVerdictException {
    Step step = outcome.step();
    if (outcome.failure() != null) {
      if (outcome.failure().endsTransaction() || step.role() != Step.Role.WORK) {
        end(step.session(), false);
      } else {
        Optional.ofNullable(open.get(step.session()))
            .ifPresent(
                transaction -> takeSnapshot(transaction, StatementForm.of(step.sql()), outcome));
      }
      return;
    }
    if (!outcome.succeeded()) {
      return;
    }
    switch (step.role()) {
      case BEGIN -> {
        end(step.session(), true);
        OpenTransaction begun = new OpenTransaction(true);
        open.put(step.session(), begun);
        boolean atOnce = step.sql().toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
        if (semantics.snapshot() == Snapshot.BEGIN || atOnce) {
          begun.snapshot = timeline.now();
        }
      }
      case COMMIT -> end(step.session(), true);
      case ROLLBACK -> end(step.session(), false);
      case WORK -> replayStatement(outcome);
    }
  }

  private void replayStatement(StepOutcome outcome) throws SQLException, EarlyVerdictException {
    Step step = outcome.step();
    OpenTransaction transaction =
        Optional.ofNullable(open.get(step.session())).orElseGet(() -> new OpenTransaction(false));
    StatementForm form = StatementForm.of(step.sql());
    if (form.kind() == StatementForm.Kind.SAVEPOINT) {
      savepoint(transaction, step.sql());
      return;
    }
    if (form.kind() == StatementForm.Kind.OTHER) {
      throw EarlyVerdictException.undecided(
          outcome, "the expected result of such a statement is unknown");
    }
    if (form.dependsOnRowOrder()) {
      throw EarlyVerdictException.undecided(outcome, "its effect depends on the order of rows");
    }
    if (!executor.isHidden() && form.dependsOnColumnCount()) {
      throw EarlyVerdictException.undecided(outcome, "the added columns would change its meaning");
    }
    takeSnapshot(transaction, form, outcome);
    if (form.kind() == StatementForm.Kind.READ) {
      expectation.read(outcome, form, transaction);
    } else if (form.kind() == StatementForm.Kind.LOCKING_READ) {
      expectation.lockingRead(outcome, form, transaction);
    } else {
      expectation.write(outcome, form, transaction);
    }
    if (!transaction.explicit) {
      transaction.writer.commit(timeline.now());
    }
  }

  private void savepoint(OpenTransaction transaction, String sql) {
    String[] words = sql.strip().toUpperCase(Locale.ROOT).split("\\s+");
    String name = words[words.length - 1];
    if (words[0].equals("SAVEPOINT")) {
      transaction.savepoints.put(name, versions.savepoint());
    } else if (words[0].equals("ROLLBACK")) {
      versions.rollBack(transaction.writer, transaction.savepoints.getOrDefault(name, 0));
    }
  }

  private void takeSnapshot(OpenTransaction transaction, StatementForm form, StepOutcome outcome) {
    boolean takes =
        switch (semantics.snapshot()) {
          case BEGIN -> true;
          case FIRST_STATEMENT ->
              form.kind() != StatementForm.Kind.SAVEPOINT
                  && form.kind() != StatementForm.Kind.OTHER;
          case FIRST_READ -> form.kind() == StatementForm.Kind.READ && outcome.succeeded();
        };
    if (!takes) {
      return;
    }
    int moment = timeline.begin(outcome);
    if (transaction.snapshot == OpenTransaction.NO_SNAPSHOT) {
      transaction.snapshot = moment;
    }
  }
}
