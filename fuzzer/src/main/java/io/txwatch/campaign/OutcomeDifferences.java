package io.txwatch.campaign;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The differences between the executions of one case on two DBMSs, in words.
 *
 * <p>What differs between DBMSs for other reasons than concurrency is not compared: the order of
 * rows, names of columns, texts and codes of errors, digits behind the third decimal place, and
 * whether a condition is a number or a Boolean.
 */
final class OutcomeDifferences {

  /** An average has four decimal places on some DBMSs and sixteen on others. */
  private static final int COMPARED_DECIMAL_PLACES = 3;

  /** A longer text is cut off; the case has all of it. */
  private static final int MAX_TEXT_LENGTH = 300;

  /** Data exceptions and violated constraints, which an accepted statement may cause. */
  private static final Set<String> SQLSTATE_CLASSES_OF_DATA = Set.of("22", "23");

  /** The statements whose update counts mean the same on each DBMS. */
  private static final Set<String> COUNTED = Set.of("INSERT", "UPDATE", "DELETE", "MERGE");

  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,30}(\\.[0-9]{1,30})?");

  private final TestCase testCase;
  private final CaseExecution here;
  private final CaseExecution there;

  /**
   * Creates the comparison.
   *
   * @param here the execution on the DBMS under test
   * @param there the execution on the other DBMS
   */
  OutcomeDifferences(TestCase testCase, CaseExecution here, CaseExecution there) {
    this.testCase = testCase;
    this.here = here;
    this.there = there;
  }

  /** Why the executions are not comparable; empty if they are. */
  Optional<String> obstacle() {
    for (Step step : testCase.steps()) {
      StepOutcome other = there.outcome(step.id());
      if (isRejected(other) && !isRejected(here.outcome(step.id()))) {
        return Optional.of(name(step) + " " + words(other));
      }
    }
    return there.inconclusiveReason();
  }

  /** The differences, in the order of the case; those of the final state come last. */
  List<String> all() {
    List<String> differences = new ArrayList<>();
    for (Step step : testCase.steps()) {
      StepOutcome mine = here.outcome(step.id());
      StepOutcome other = there.outcome(step.id());
      if (!compared(mine).equals(compared(other))) {
        differences.add(name(step) + " " + words(other) + "; here it " + words(mine));
      }
    }
    Map<String, StepOutcome> finals = finals(there);
    finals(here)
        .forEach(
            (read, mine) -> {
              StepOutcome other = finals.get(read);
              if (other == null) {
                differences.add(read + " is not there");
              } else if (!compared(mine).equals(compared(other))) {
                differences.add(read + ": " + content(other) + "; here " + content(mine));
              }
            });
    return differences;
  }

  /** The final reads by name. DBMSs spell the names of tables in different letters and quotes. */
  private Map<String, StepOutcome> finals(CaseExecution execution) {
    Map<String, StepOutcome> reads = new LinkedHashMap<>();
    for (int i = 0; i < execution.finalReads().size(); i++) {
      StepOutcome read = execution.finalReads().get(i);
      String sql = testCase.finals().isEmpty() ? read.step().sql() : testCase.finals().get(i);
      String name =
          testCase.finals().isEmpty()
              ? "final state of "
                  + sql.replaceFirst("^SELECT \\* FROM ", "")
                      .replaceAll("[\"`]", "")
                      .toLowerCase(Locale.ROOT)
              : "final read (" + cut(sql) + ")";
      reads.put(name, read);
    }
    return reads;
  }

  /** True if the DBMS does not execute such a statement, whatever the rows are. */
  private static boolean isRejected(StepOutcome outcome) {
    return outcome.status() == StepOutcome.Status.ERROR
        && outcome.failure() != null
        && outcome.failure().kind() == Failure.Kind.STATEMENT
        && SQLSTATE_CLASSES_OF_DATA.stream().noneMatch(outcome.sqlState()::startsWith);
  }

  /** What is compared of an outcome. */
  private static List<Object> compared(StepOutcome outcome) {
    Failure failure = outcome.failure();
    return List.of(
        outcome.status(),
        outcome.blocked(),
        failure == null ? "" : failure.kind(),
        isCounted(outcome) ? outcome.updateCount() : -1L,
        outcome.rows().stream().map(OutcomeDifferences::compared).sorted().toList());
  }

  private static String compared(List<@Nullable Object> row) {
    return String.join(",", row.stream().map(OutcomeDifferences::compared).toList());
  }

  private static String compared(@Nullable Object value) {
    if (value instanceof Boolean truth) {
      return truth ? "1" : "0";
    }
    String text = Values.text(value).stripTrailing();
    if (!NUMBER.matcher(text).matches()) {
      return text;
    }
    BigDecimal rounded =
        new BigDecimal(text).setScale(COMPARED_DECIMAL_PLACES, RoundingMode.HALF_UP);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }

  private static boolean isCounted(StepOutcome outcome) {
    return outcome.updateCount() >= 0
        && COUNTED.contains(SqlText.of(outcome.step().sql()).firstWord());
  }

  /** A statement by its place in the schedule, which the scripts of the sessions have, too. */
  private String name(Step step) {
    return "statement %d (%s: %s)"
        .formatted(testCase.steps().indexOf(step) + 1, step.session(), cut(step.sql()));
  }

  /** What came of a statement, as a predicate. */
  private static String words(StepOutcome outcome) {
    String result =
        switch (outcome.status()) {
          case OK ->
              outcome.isQuery()
                  ? "returns " + content(outcome)
                  : isCounted(outcome) ? "changes " + rows(outcome.updateCount()) : "succeeds";
          case ERROR -> "fails: " + cut(error(outcome));
          case SKIPPED -> "is not executed, because an error has ended its transaction";
          case UNDECIDED -> "does not return";
        };
    return outcome.blocked() ? "is blocked and then " + result : result;
  }

  private static String rows(long count) {
    return count == 1 ? "1 row" : count + " rows";
  }

  private static String error(StepOutcome outcome) {
    String first = outcome.message().strip().lines().findFirst().orElse("");
    return outcome.sqlState().isEmpty() ? first : outcome.sqlState() + " " + first;
  }

  /** The rows of a query. */
  private static String content(StepOutcome outcome) {
    if (!outcome.succeeded()) {
      return words(outcome);
    }
    return outcome.rows().isEmpty()
        ? "no rows"
        : cut(
            String.join(
                ", ",
                outcome.rows().stream()
                    .map(row -> String.join(", ", row.stream().map(Values::text).toList()))
                    .map(row -> "(" + row + ")")
                    .toList()));
  }

  private static String cut(String text) {
    String line = text.strip().replaceAll("\\s+", " ");
    return line.length() <= MAX_TEXT_LENGTH ? line : line.substring(0, MAX_TEXT_LENGTH) + "…";
  }
}
