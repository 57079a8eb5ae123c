package io.txwatch.schedule;

import io.txwatch.dbms.Failure;
import io.txwatch.testcase.Step;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of one step.
 *
 * @param step the step
 * @param status how it ended
 * @param blocked true if the DBMS said, while it ran, that it waited for another session
 * @param failure what its error means; null unless it failed
 * @param sqlState the SQLState of its error, empty if it has none
 * @param vendorCode the vendor's code of its error, else 0
 * @param message the error's message, else empty
 * @param updateCount its update count, -1 if it returned rows or did not succeed
 * @param columns the labels of its result's columns
 * @param rows its rows in the order in which they came; {@link Values} tells of what
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
    /** The DBMS refused it. */
    ERROR,
    /** Not sent, since its transaction had ended before: it would have been one of its own. */
    SKIPPED,
    /** It did not come back in time, or was never reached because another one did not. */
    UNDECIDED
  }

  /** A query that succeeded; its result is read to the end. */
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

  /** True if the DBMS executed it. */
  public boolean succeeded() {
    return status == Status.OK;
  }

  /** True if it returned rows, be it none. */
  public boolean isQuery() {
    return succeeded() && !columns.isEmpty();
  }

  /** In one line, for people: {@code T1: SELECT … -> 1,10;2,20}. */
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
