package io.txwatch.endtoend;

import io.txwatch.dbms.Failure;
import io.txwatch.schedule.CaseExecution;
import io.txwatch.schedule.ExecutedTransaction;
import io.txwatch.schedule.StepOutcome;
import io.txwatch.schedule.Values;
import io.txwatch.testcase.Step;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the application saw of one run of a scenario.
 *
 * @param execution the run
 */
record ScenarioRun(CaseExecution execution) {

  /** The sessions whose transaction committed. */
  Set<String> committed() {
    return execution.transactions().stream()
        .filter(transaction -> transaction.explicit() && transaction.committed())
        .map(ExecutedTransaction::session)
        .collect(Collectors.toSet());
  }

  /** The result with that label, if its statement ran and succeeded; {@code final} is a label. */
  Optional<String> value(String name) {
    if (name.equals("final")) {
      return Optional.of(finalState());
    }
    return execution.outcomes().stream()
        .filter(outcome -> outcome.step().label().filter(name::equals).isPresent())
        .findFirst()
        .flatMap(ScenarioRun::value);
  }

  /** A result as predicates see it: {@code 1,10;2,20}, or {@code #2} for an update count. */
  private static Optional<String> value(StepOutcome outcome) {
    if (!outcome.succeeded()) {
      return Optional.empty();
    }
    return Optional.of(
        outcome.columns().isEmpty()
            ? "#" + outcome.updateCount()
            : String.join(";", rows(outcome)));
  }

  /**
   * The rows; sorted unless the statement has an ORDER BY, since their order is undefined without
   * it.
   */
  private static List<String> rows(StepOutcome outcome) {
    return outcome.step().sql().contains("ORDER BY")
        ? outcome.rows().stream().map(Values::line).toList()
        : Values.bag(outcome.rows());
  }

  /** The final state: the concatenated values of the final reads. */
  String finalState() {
    return execution.finalReads().stream()
        .map(read -> value(read).orElseThrow())
        .collect(Collectors.joining(" | "));
  }

  /**
   * The results and the final state of the committed sessions, which a serial order must explain.
   */
  Set<String> committedView() {
    Set<String> committed = committed();
    Set<String> view =
        execution.outcomes().stream()
            .filter(outcome -> outcome.step().role() == Step.Role.WORK)
            .filter(outcome -> committed.contains(outcome.step().session()))
            .map(
                outcome ->
                    outcome.step().session()
                        + " "
                        + outcome.step().sql()
                        + " -> "
                        + value(outcome).orElse("error"))
            .collect(Collectors.toSet());
    view.add("final -> " + finalState());
    return view;
  }

  /**
   * The results that the application saw, one line per statement.
   *
   * @param blocking whether to include which statements were blocked
   */
  String describe(boolean blocking) {
    return execution.outcomes().stream()
            .map(outcome -> describe(outcome, blocking))
            .collect(Collectors.joining("\n"))
        + "\nfinal: "
        + execution.finalReads().stream()
            .map(read -> describe(read, false))
            .collect(Collectors.joining(" | "))
        + "\ncommitted: "
        + committed();
  }

  private static String describe(StepOutcome outcome, boolean blocking) {
    String result =
        switch (outcome.status()) {
          case OK -> outcome.columns() + " " + value(outcome).orElseThrow();
          case ERROR -> "error " + outcome.sqlState() + "/" + outcome.vendorCode();
          case SKIPPED, UNDECIDED -> outcome.status().toString();
        };
    return outcome.step().session()
        + ": "
        + outcome.step().sql()
        + " -> "
        + result
        + (blocking && outcome.blocked() ? " (blocked)" : "");
  }

  /**
   * Whether the DBMS broke a deadlock: the session that closed the cycle is blocked so briefly that
   * this may or may not be observed.
   */
  boolean brokeDeadlock() {
    return execution.outcomes().stream()
        .map(StepOutcome::failure)
        .anyMatch(failure -> failure != null && failure.kind() == Failure.Kind.DEADLOCK);
  }

  @Override
  public String toString() {
    return describe(true);
  }
}
