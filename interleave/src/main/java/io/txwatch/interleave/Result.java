package io.txwatch.interleave;

import io.txwatch.interleave.run.GatedProgram.Outcome;
import io.txwatch.interleave.state.RowIdentities;
import io.txwatch.interleave.state.TouchedRows;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an execution has led to.
 *
 * @param outcomes how each operation has ended
 * @param rows the rows afterwards
 */
record Result(List<Outcome> outcomes, TouchedRows rows) {

  /** What the text of an outcome begins with that is an exception. */
  static final String THROWS = "throws ";

  /** The text of an outcome that differs from execution to execution. */
  static final String MASKED = "*";

  /** The texts of results that state that there is none, and differ from all that do not. */
  private static final Set<String> NOTHING =
      Set.of("null", "Optional.empty", "OptionalInt.empty", "OptionalLong.empty", "[]", "{}", "");

  private static final int MAX_CAUSES = 20;

  /** What two executions are compared by. */
  record Comparable(List<String> outcomes, Map<String, List<List<String>>> rows) {}

  /**
   * What is compared with other executions.
   *
   * @param volatileColumns the columns whose values differ from execution to execution, by table
   * @param volatileOutcomes the operations whose results do
   * @param identities which keys are known by now
   */
  Comparable comparable(
      Map<String, BitSet> volatileColumns, BitSet volatileOutcomes, RowIdentities identities) {
    List<String> shown = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      shown.add(volatileOutcomes.get(i) ? masked(outcome(i)) : outcome(i));
    }
    return new Comparable(shown, rows.comparable(volatileColumns, identities));
  }

  /** What an operation has returned or thrown, as text. */
  String outcome(int operation) {
    Outcome outcome = outcomes.get(operation);
    Throwable thrown = outcome.thrown();
    return thrown != null ? THROWS + name(thrown) : text(outcome.returned());
  }

  /** An array's elements, which its own text does not contain. */
  private static String text(@Nullable Object returned) {
    if (returned != null && returned.getClass().isArray()) {
      String all = Arrays.deepToString(new Object[] {returned});
      return all.substring(1, all.length() - 1);
    }
    return Objects.toString(returned);
  }

  /** What is compared of an outcome that differs from execution to execution. */
  static String masked(String outcome) {
    return outcome.startsWith(THROWS) || NOTHING.contains(outcome) ? outcome : MASKED;
  }

  /** The operations that have returned, as bits. */
  long returned() {
    long bits = 0;
    for (int i = 0; i < outcomes.size(); i++) {
      bits |= outcomes.get(i).thrown() == null ? 1L << i : 0;
    }
    return bits;
  }

  /** What operations have thrown, in words. */
  List<String> thrown(List<String> names) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < outcomes.size(); i++) {
      Throwable thrown = outcomes.get(i).thrown();
      if (thrown != null) {
        all.add(names.get(i) + " " + THROWS + name(thrown) + sqlState(thrown));
      }
    }
    return all;
  }

  private static String name(Throwable thrown) {
    return thrown instanceof FailedRequestException failed
        ? failed.status()
        : thrown.getClass().getName();
  }

  /** The SQLState of an exception or of its nearest cause that has one. */
  private static String sqlState(Throwable thrown) {
    Throwable cause = thrown;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++, cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        return " (SQLState " + sql.getSQLState() + ")";
      }
    }
    return "";
  }
}
