package io.txwatch.oracle.txcheck;

import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Compares the results of statements and the final state of two executions (TxCheck, algorithm 1,
 * lines 5 to 15). The generated primary keys differ and are left out.
 *
 * @param isCaseInsensitive true if the DBMS treats 'a' and 'A' as equal: which of them a group
 *     shows is undefined
 */
record ResultComparison(boolean isCaseInsensitive) {

  /**
   * A difference.
   *
   * @param statement the id of the statement; empty for the final state
   * @param concurrent what the execution with transactions gave
   * @param sequential what the one without transactions gave
   */
  record Difference(Optional<Integer> statement, String concurrent, String sequential) {}

  /** The first difference of a statement in {@code sequence}, or of the final state. */
  Optional<Difference> between(
      CaseExecution concurrent, CaseExecution sequential, List<Integer> sequence) {
    for (int id : sequence) {
      StepOutcome expected = sequential.outcome(id);
      StepOutcome actual = concurrent.outcome(id);
      if (!result(actual).equals(result(expected))) {
        return Optional.of(new Difference(Optional.of(id), result(actual), result(expected)));
      }
    }
    String actual = finalState(concurrent);
    String expected = finalState(sequential);
    return actual.equals(expected)
        ? Optional.empty()
        : Optional.of(new Difference(Optional.empty(), actual, expected));
  }

  private String result(StepOutcome outcome) {
    if (!outcome.succeeded()) {
      return "an error";
    }
    return outcome.isQuery() ? rows(outcome) : "#" + outcome.updateCount();
  }

  private String finalState(CaseExecution execution) {
    return execution.finalReads().stream().map(this::rows).toList().toString();
  }

  private String rows(StepOutcome outcome) {
    List<List<@Nullable Object>> rows = new ArrayList<>();
    for (List<@Nullable Object> row : outcome.rows()) {
      List<@Nullable Object> kept = new ArrayList<>();
      for (int i = 0; i < row.size(); i++) {
        if (!outcome.columns().get(i).equalsIgnoreCase(Instrumentation.PRIMARY_KEY)) {
          kept.add(row.get(i));
        }
      }
      rows.add(kept);
    }
    String text = String.valueOf(Values.bag(rows));
    return isCaseInsensitive ? sortedIgnoringCase(rows) : text;
  }

  private static String sortedIgnoringCase(List<List<@Nullable Object>> rows) {
    return rows.stream()
        .map(row -> Values.line(row).toLowerCase(Locale.ROOT))
        .sorted()
        .toList()
        .toString();
  }
}
