package io.txwatch.schedule;

import io.txwatch.dbms.Failure;
import io.txwatch.testcase.Step;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a step.
 *
 * @param step the step
 * @param status how it ended
 * @param blocked true if the DBMS reported it as blocked by another session
 * @param failure the classification of its error; null unless it failed
 * @param sqlState the SQLSTATE of its error; empty if it has none
 * @param vendorCode the vendor's error code; 0 if it has none
 * @param message the error's message; empty if it has none
 * @param updateCount its update count; -1 if it returned rows or did not succeed
 * @param columns the labels of its result's columns
 * @param rows its rows in the order returned, with values as in {@link Values}
 */
public record StepOutcome(
    Step step,
    Status status,
    boolean blocked,
    @Nullable Failure failure,
    String sqlState,
    int vendorCode,
    String message,
    long updateCount,
    List<String> columns,
    List<List<@Nullable Object>> rows) {

  /** How a step ended. */
  public enum Status {
    /** The DBMS executed it. */
    OK,
    /** The DBMS rejected it. */
    ERROR,
    /** It was not sent, because an error had ended its transaction before. */
    SKIPPED,
    /** It did not return in time, or was not reached because another step did not return. */
    UNDECIDED
  }

  /** A query that succeeded; reads its result to the end. */
  static StepOutcome ofQuery(Step step, ResultSet result) throws SQLException {
    return new StepOutcome(
        step, Status.OK, false, null, "", 0, "", -1, Values.labels(result), Values.rows(result));
  }

  /** A step that succeeded and returned no rows. */
  static StepOutcome ofCount(Step step, long count) {
    return new StepOutcome(step, Status.OK, false, null, "", 0, "", count, List.of(), List.of());
  }

  /** A step that was not executed. */
  static StepOutcome without(Step step, Status status) {
    return new StepOutcome(step, status, false, null, "", 0, "", -1, List.of(), List.of());
  }

  StepOutcome asBlocked() {
    return new StepOutcome(
        step, status, true, failure, sqlState, vendorCode, message, updateCount, columns, rows);
  }

  public boolean succeeded() {
    return status == Status.OK;
  }

  /** True if another outcome has the same rows, in any order, or count, or error. */
  public boolean hasResultOf(StepOutcome other) {
    return status == other.status
        && updateCount == other.updateCount
        && vendorCode == other.vendorCode
        && Values.bag(rows).equals(Values.bag(other.rows));
  }

  /** True if it returned a result, even an empty one. */
  public boolean isQuery() {
    return succeeded() && !columns.isEmpty();
  }

  /** One line: {@code T1: SELECT … -> 1,10;2,20}. */
  @Override
  public String toString() {
    String result =
        switch (status) {
          case OK ->
              isQuery()
                  ? "[" + String.join(";", rows.stream().map(Values::line).toList()) + "]"
                  : step.role() == Step.Role.WORK ? "#" + updateCount : "ok";
          case ERROR -> "error " + sqlState + "/" + vendorCode + ": " + message;
          case SKIPPED -> "skipped";
          case UNDECIDED -> "undecided";
        };
    return step.session() + ": " + step.sql() + " -> " + (blocked ? "(blocked) " : "") + result;
  }
}
