package io.txwatch.schedule;

import io.txwatch.changes.ChangedTransaction;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of executing a case while the log of the DBMS is read.
 *
 * @param execution the execution
 * @param times when its steps were executed
 * @param incomplete why the log does not have all changes of the case; empty if it has
 * @param gap why changes of the log were not read; empty if all were
 * @param before the tables by name when the case had been set up
 * @param transactions what the log has of the case, in its order
 * @param after the tables by name when the case was over
 */
public record LoggedExecution(
    CaseExecution execution,
    StepTimes times,
    Optional<String> incomplete,
    Optional<String> gap,
    Map<String, StoredRows> before,
    List<ChangedTransaction> transactions,
    Map<String, StoredRows> after) {

  /** Copies its arguments. */
  public LoggedExecution {
    before = Map.copyOf(before);
    transactions = List.copyOf(transactions);
    after = Map.copyOf(after);
  }

  /** An execution of whose changes the log has not all. */
  static LoggedExecution incomplete(CaseExecution execution, String reason) {
    return new LoggedExecution(
        execution,
        new StepTimes(),
        Optional.of(reason),
        Optional.empty(),
        Map.of(),
        List.of(),
        Map.of());
  }

  /** An execution of whose changes not all were read. */
  static LoggedExecution withGap(CaseExecution execution, String reason) {
    return new LoggedExecution(
        execution,
        new StepTimes(),
        Optional.empty(),
        Optional.of(reason),
        Map.of(),
        List.of(),
        Map.of());
  }
}
