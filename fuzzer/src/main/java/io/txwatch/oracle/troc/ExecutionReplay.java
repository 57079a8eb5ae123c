package io.txwatch.oracle.troc;

import io.txwatch.oracle.OracleVerdict.Result;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.testcase.Step;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Replays an execution in the order of completion. Subclasses process each statement, and stop the
 * replay with an {@link EarlyVerdictException}.
 */
abstract class ExecutionReplay {

  final CaseExecution execution;
  final Timeline timeline;
  private final Map<String, SessionSemantics> sessions;
  private final Map<String, OpenTransaction> open = new HashMap<>();

  ExecutionReplay(CaseExecution execution, Map<String, SessionSemantics> sessions) {
    this.execution = execution;
    this.sessions = sessions;
    this.timeline = new Timeline(execution);
  }

  /** Called for a BEGIN. */
  abstract void begin(OpenTransaction begun, StepOutcome outcome);

  /** Called for a statement that failed and left its transaction open. */
  abstract void failed(OpenTransaction transaction, StepOutcome outcome)
      throws SQLException, EarlyVerdictException;

  /** Called for a statement that succeeded. */
  abstract void work(OpenTransaction transaction, StepOutcome outcome)
      throws SQLException, EarlyVerdictException;

  /** Called for a transaction that was rolled back. */
  abstract void rollBack(OpenTransaction transaction);

  /** Called at the end, after all open transactions were rolled back. */
  abstract void compareFinalState() throws SQLException, EarlyVerdictException;

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
    open.values().forEach(this::rollBack);
    compareFinalState();
  }

  /**
   * A transaction that was aborted while blocked unblocked the steps that completed with it. One
   * that had executed another statement among them was aborted afterwards.
   */
  private void endDeadlockVictims(CompletionBatch settlement) {
    Set<String> sessions = new HashSet<>();
    for (StepOutcome outcome : settlement.completed()) {
      String session = outcome.step().session();
      if (sessions.add(session)
          && outcome.blocked()
          && outcome.failure() != null
          && outcome.failure().endsTransaction()) {
        end(session, false);
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
      rollBack(transaction);
    }
  }

  private void replay(StepOutcome outcome) throws SQLException, EarlyVerdictException {
    Step step = outcome.step();
    if (outcome.failure() != null) {
      if (outcome.failure().endsTransaction() || step.role() != Step.Role.WORK) {
        end(step.session(), false);
      } else {
        failed(transaction(step), outcome);
      }
      return;
    }
    if (!outcome.succeeded()) {
      return;
    }
    switch (step.role()) {
      case BEGIN -> {
        end(step.session(), true);
        OpenTransaction begun = newTransaction(step, true);
        open.put(step.session(), begun);
        begin(begun, outcome);
      }
      case COMMIT -> end(step.session(), true);
      case ROLLBACK -> end(step.session(), false);
      case WORK -> {
        OpenTransaction transaction = transaction(step);
        work(transaction, outcome);
        if (!transaction.explicit) {
          transaction.writer.commit(timeline.now());
        }
      }
    }
  }

  /** The open transaction of a step's session, or a new one in autocommit mode. */
  private OpenTransaction transaction(Step step) {
    return Optional.ofNullable(open.get(step.session()))
        .orElseGet(() -> newTransaction(step, false));
  }

  private OpenTransaction newTransaction(Step step, boolean explicit) {
    return new OpenTransaction(Objects.requireNonNull(sessions.get(step.session())), explicit);
  }
}
