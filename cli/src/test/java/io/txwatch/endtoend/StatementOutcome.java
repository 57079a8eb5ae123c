package io.txwatch.endtoend;

import io.txwatch.endtoend.Scenario.Step;
import java.util.List;
import java.util.Optional;

/**
 * What the application saw of one statement.
 *
 * @param step the statement
 * @param status how it ended
 * @param blocked true if the DBMS said, while it ran, that it waited for another session
 * @param sqlState the SQLState of its error, else empty
 * @param vendorCode the vendor's code of its error, else 0
 * @param updateCount its update count, -1 if it returned rows or failed
 * @param columns the labels of the columns of its result
 * @param rows its rows, the values of each joined by commas; sorted unless the statement says ORDER
 *     BY, for without it their order means nothing
 */
record StatementOutcome(
    Step step,
    Status status,
    boolean blocked,
    String sqlState,
    int vendorCode,
    long updateCount,
    List<String> columns,
    List<String> rows) {

  /** How a statement ended. */
  enum Status {
    OK,
    ERROR,
    /** Not submitted, for an error before it had ended its transaction. */
    SKIPPED
  }

  static StatementOutcome skipped(Step step) {
    return new StatementOutcome(step, Status.SKIPPED, false, "", 0, -1, List.of(), List.of());
  }

  StatementOutcome whichWasBlocked() {
    return new StatementOutcome(
        step, status, true, sqlState, vendorCode, updateCount, columns, rows);
  }

  /** The same, whether it was seen blocked or not. */
  StatementOutcome whetherBlockedOrNot() {
    return new StatementOutcome(
        step, status, false, sqlState, vendorCode, updateCount, columns, rows);
  }

  boolean succeeded() {
    return status == Status.OK;
  }

  boolean failed() {
    return status == Status.ERROR;
  }

  /** The result as predicates see it: {@code 1,10;2,20}, or {@code #2} for an update count. */
  Optional<String> value() {
    if (!succeeded()) {
      return Optional.empty();
    }
    return Optional.of(columns.isEmpty() ? "#" + updateCount : String.join(";", rows));
  }

  @Override
  public String toString() {
    return step.session()
        + ": "
        + step.sql()
        + " -> "
        + value().orElse(failed() ? "error " + sqlState + "/" + vendorCode : "skipped")
        + (blocked ? " (blocked)" : "");
  }
}
