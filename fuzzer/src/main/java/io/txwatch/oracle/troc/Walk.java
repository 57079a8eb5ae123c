package io.txwatch.oracle.troc;

import io.txwatch.history.Database;
import io.txwatch.oracle.Verdict.Result;
import io.txwatch.oracle.troc.Semantics.Snapshot;
import io.txwatch.schedule.Execution;
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
 * Goes through an execution in the order of completion, expects of each statement what its view
 * lets it do (Troc, section III-E4), and ends at the first that did otherwise, or whose effect
 * cannot be told.
 */
final class Walk {

  private final Execution execution;
  private final Semantics semantics;
  private final Scratch scratch;
  private final RowVersions versions;
  private final Map<String, Transaction> open = new HashMap<>();
  private final Timeline timeline;
  private final Expectation expectation;

  Walk(Execution execution, Semantics semantics, Database database, Scratch scratch) {
    this.execution = execution;
    this.semantics = semantics;
    this.scratch = scratch;
    this.versions = new RowVersions(scratch.initial());
    this.timeline = new Timeline(execution);
    this.expectation = new Expectation(semantics, database, scratch, versions, timeline);
  }

  /** Walks to the end. */
  void run() throws SQLException, EndException {
    int submitted = 0;
    List<Step> steps = execution.testCase().steps();
    for (Settlement settlement : Settlement.of(execution)) {
      while (submitted < steps.size() && steps.get(submitted).id() != settlement.submitted().id()) {
        timeline.submitted(steps.get(submitted++));
      }
      timeline.submitted(settlement.submitted());
      submitted++;
      if (settlement.freed().size() > 1) {
        throw new EndException(
            Result.UNDECIDED,
            "'" + settlement.submitted().sql() + "' set several sessions free at a time",
            Optional.empty());
      }
      endVictims(settlement);
      for (int i = 0; i < settlement.completed().size(); i++) {
        StepOutcome outcome = settlement.completed().get(i);
        timeline.advance();
        endAbandoned(settlement, i);
        take(outcome);
        timeline.completed(outcome.step());
      }
    }
    open.values().forEach(transaction -> versions.rollBack(transaction.writer, 0));
    expectation.compareFinalState(execution);
  }

  /** A transaction that was aborted while it waited made way for what completed with it. */
  private void endVictims(Settlement settlement) {
    for (StepOutcome outcome : settlement.completed()) {
      if (outcome.blocked() && outcome.failure() != null && outcome.failure().endsTransaction()) {
        end(outcome.step().session(), false);
      }
    }
  }

  /**
   * At the end of a case those whose steps ended within a transaction are rolled back, and what
   * waited for them goes on.
   */
  private void endAbandoned(Settlement settlement, int next) {
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
    Transaction transaction = open.remove(session);
    if (transaction == null) {
      return;
    }
    if (commit) {
      transaction.writer.commit(timeline.now());
    } else {
      versions.rollBack(transaction.writer, 0);
    }
  }

  private void take(StepOutcome outcome) throws SQLException, EndException {
    Step step = outcome.step();
    if (outcome.failure() != null) {
      if (outcome.failure().endsTransaction() || step.role() != Step.Role.WORK) {
        end(step.session(), false);
      } else {
        Optional.ofNullable(open.get(step.session()))
            .ifPresent(transaction -> takeSnapshot(transaction, Shape.of(step.sql()), outcome));
      }
      return;
    }
    if (!outcome.succeeded()) {
      return;
    }
    switch (step.role()) {
      case BEGIN -> {
        end(step.session(), true);
        Transaction begun = new Transaction(true);
        open.put(step.session(), begun);
        boolean atOnce = step.sql().toUpperCase(Locale.ROOT).contains("CONSISTENT SNAPSHOT");
        if (semantics.snapshot() == Snapshot.BEGIN || atOnce) {
          begun.snapshot = timeline.now();
        }
      }
      case COMMIT -> end(step.session(), true);
      case ROLLBACK -> end(step.session(), false);
      case WORK -> work(outcome);
    }
  }

  private void work(StepOutcome outcome) throws SQLException, EndException {
    Step step = outcome.step();
    Transaction transaction =
        Optional.ofNullable(open.get(step.session())).orElseGet(() -> new Transaction(false));
    Shape shape = Shape.of(step.sql());
    if (shape.kind() == Shape.Kind.SAVEPOINT) {
      savepoint(transaction, step.sql());
      return;
    }
    if (shape.kind() == Shape.Kind.OTHER) {
      throw EndException.undecided(outcome, "nothing is expected of such a statement");
    }
    if (shape.hangsOnOrder()) {
      throw EndException.undecided(outcome, "what it does hangs on the order of rows");
    }
    if (!scratch.isHidden() && shape.countsColumns()) {
      throw EndException.undecided(outcome, "our columns would change what it means");
    }
    takeSnapshot(transaction, shape, outcome);
    if (shape.kind() == Shape.Kind.READ) {
      expectation.read(outcome, shape, transaction);
    } else if (shape.kind() == Shape.Kind.LOCKING_READ) {
      expectation.lockingRead(outcome, shape, transaction);
    } else {
      expectation.write(outcome, shape, transaction);
    }
    if (!transaction.explicit) {
      transaction.writer.commit(timeline.now());
    }
  }

  private void savepoint(Transaction transaction, String sql) {
    String[] words = sql.strip().toUpperCase(Locale.ROOT).split("\\s+");
    String name = words[words.length - 1];
    if (words[0].equals("SAVEPOINT")) {
      transaction.savepoints.put(name, versions.savepoint());
    } else if (words[0].equals("ROLLBACK")) {
      versions.rollBack(transaction.writer, transaction.savepoints.getOrDefault(name, 0));
    }
  }

  private void takeSnapshot(Transaction transaction, Shape shape, StepOutcome outcome) {
    boolean takes =
        switch (semantics.snapshot()) {
          case BEGIN -> true;
          case FIRST_STATEMENT ->
              shape.kind() != Shape.Kind.SAVEPOINT && shape.kind() != Shape.Kind.OTHER;
          case FIRST_READ -> shape.kind() == Shape.Kind.READ && outcome.succeeded();
        };
    if (!takes) {
      return;
    }
    int moment = timeline.begin(outcome);
    if (transaction.snapshot == Transaction.NONE) {
      transaction.snapshot = moment;
    }
  }
}
