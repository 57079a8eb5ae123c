package io.txwatch.oracle.troc;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;

/**
 * Checks each statement of an execution against its view (Troc, section III-E4), and stops at the
 * first one whose result differs or whose effect cannot be determined.
 */
final class CheckingReplay extends ExecutionReplay {

  private final ViewExecutor executor;
  private final TableReads tableReads;
  private final ChangeHistory versions;
  private final StatementChecker expectation;

  CheckingReplay(
      CaseExecution execution, Map<String, SessionSemantics> sessions, ViewExecutor executor) {
    super(execution, sessions);
    this.executor = executor;
    this.tableReads = executor.tableReads();
    this.versions = new ChangeHistory(executor.initial(), executor.rowIdentity());
    this.expectation = new StatementChecker(executor, versions, timeline);
  }

  @Override
  void begin(OpenTransaction begun, StepOutcome outcome) {
    if (begun.semantics.takesSnapshotAtBegin(outcome.step().sql())) {
      begun.snapshot = SnapshotTimes.at(timeline.now());
    }
  }

  @Override
  void failed(OpenTransaction transaction, StepOutcome outcome) {
    takeSnapshot(transaction, StatementForm.of(outcome.step().sql()), outcome);
  }

  @Override
  void work(OpenTransaction transaction, StepOutcome outcome)
      throws SQLException, EarlyVerdictException {
    StatementForm form = StatementForm.of(outcome.step().sql());
    if (form.kind() == StatementForm.Kind.SAVEPOINT) {
      savepoint(transaction, form);
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
    try {
      check(transaction, form, outcome);
    } catch (EarlyVerdictException end) {
      throw end.isViolation() && mayHaveOtherSnapshot(transaction)
          ? EarlyVerdictException.undecided(
              outcome, "whether the DBMS took a snapshot with an earlier statement is unknown")
          : end;
    }
  }

  /** True if a table was changed since a snapshot that may not have been taken. */
  private boolean mayHaveOtherSnapshot(OpenTransaction transaction) {
    return transaction.uncertainSnapshots.entrySet().stream()
        .anyMatch(
            taken ->
                versions.rows(taken.getKey()).values().stream()
                    .flatMap(List::stream)
                    .map(ChangeHistory.Version::writer)
                    .anyMatch(
                        writer ->
                            writer != transaction.writer
                                && writer.isCommitted()
                                && !writer.isCommittedBefore(taken.getValue())));
  }

  private void check(OpenTransaction transaction, StatementForm form, StepOutcome outcome)
      throws SQLException, EarlyVerdictException {
    switch (form.kind()) {
      case READ -> expectation.read(outcome, form, transaction);
      case LOCKING_READ -> expectation.lockingRead(outcome, form, transaction);
      default -> expectation.write(outcome, form, transaction);
    }
  }

  private void savepoint(OpenTransaction transaction, StatementForm form) {
    switch (form.savepointAction()) {
      case SET -> transaction.savepoints.put(form.savepointName(), versions.savepoint());
      case ROLL_BACK ->
          versions.rollBack(
              transaction.writer, transaction.savepoints.getOrDefault(form.savepointName(), 0));
      case RELEASE -> {}
    }
  }

  @Override
  void rollBack(OpenTransaction transaction) {
    versions.rollBack(transaction.writer, 0);
  }

  @Override
  void compareFinalState() throws SQLException, EarlyVerdictException {
    expectation.compareFinalState(execution);
  }

  private void takeSnapshot(OpenTransaction transaction, StatementForm form, StepOutcome outcome) {
    SnapshotTimes before = transaction.snapshot;
    transaction.snapshot =
        before.after(transaction.semantics, form, outcome, timeline.begin(outcome), tableReads);
    SnapshotTimes after = transaction.snapshot;
    boolean isFirst = before.ofAll() == SnapshotTimes.NONE && after.ofAll() != SnapshotTimes.NONE;
    if (isFirst && !outcome.succeeded()) { // one that fails before it is executed takes none
      for (String table : versions.tables()) {
        transaction.uncertainSnapshots.put(table, after.ofAll());
      }
    }
    if (!outcome.succeeded() || tableReads.isUncertain(form)) {
      after
          .ofTables()
          .forEach(
              (table, moment) -> {
                if (before.of(table) == SnapshotTimes.NONE) {
                  transaction.uncertainSnapshots.put(table, moment);
                }
              });
    }
  }
}
