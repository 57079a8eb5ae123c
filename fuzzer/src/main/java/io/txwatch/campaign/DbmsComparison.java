package io.txwatch.campaign;

import io.txwatch.history.IsolationLevel;
import java.util.List;

/**
 * What another DBMS does with the case of a finding. It is a fact beside the finding: which of the
 * two is right does not follow from it.
 *
 * @param dbms the other DBMS and its version
 * @param level the level, by name that of the finding
 * @param result how the execution there compares
 * @param details the differences if there are some; one sentence, why there are none, if the
 *     executions are not comparable; empty if they are the same
 */
public record DbmsComparison(
    String dbms, IsolationLevel level, Result result, List<String> details) {

  /** How two executions compare. */
  public enum Result {
    /** Every statement has the same result, and so has the final state. */
    SAME,
    /** At least one statement, or the final state, differs. */
    DIFFERENT,
    /** The other DBMS does not have the level, rejects a statement, or did not respond. */
    NOT_COMPARABLE
  }

  /** Copies its arguments. */
  public DbmsComparison {
    details = List.copyOf(details);
  }

  /** One line for each difference, or one line if there is none. */
  public List<String> sentences() {
    String where = "On " + dbms + " at " + level.name().replace('_', ' ') + ": ";
    return switch (result) {
      case SAME -> List.of(where + "the same results and final state");
      case DIFFERENT -> details.stream().map(detail -> where + detail).toList();
      case NOT_COMPARABLE -> List.of(where + "not comparable, " + String.join("; ", details));
    };
  }
}
