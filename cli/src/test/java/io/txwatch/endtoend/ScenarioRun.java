package io.txwatch.endtoend;

import io.txwatch.endtoend.Scenario.Step;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the application saw of one run of a scenario.
 *
 * @param statements every statement's outcome, in the order of the file
 * @param committed the sessions whose transaction committed
 * @param finals the results of the reads of the final state
 */
record ScenarioRun(
    List<StatementOutcome> statements, Set<String> committed, List<StatementOutcome> finals) {

  /** The result with that label, if its statement ran and succeeded; {@code final} is a label. */
  Optional<String> value(String name) {
    if (name.equals("final")) {
      return Optional.of(finalState());
    }
    return statements.stream()
        .filter(statement -> statement.step().label().filter(name::equals).isPresent())
        .findFirst()
        .flatMap(StatementOutcome::value);
  }

  /** The final state: the values of the final reads, one behind the other. */
  String finalState() {
    return finals.stream()
        .map(read -> read.value().orElse("error " + read.sqlState()))
        .collect(Collectors.joining(" | "));
  }

  /** What the committed sessions saw and left behind: what a serial order must explain. */
  Set<String> committedView() {
    Set<String> view =
        statements.stream()
            .filter(statement -> committed.contains(statement.step().session()))
            .filter(statement -> !endsOrBegins(statement.step()))
            .map(
                statement ->
                    statement.step().session()
                        + " "
                        + statement.step().sql()
                        + " -> "
                        + statement.value().orElse("error"))
            .collect(Collectors.toSet());
    view.add("final -> " + finalState());
    return view;
  }

  private static boolean endsOrBegins(Step step) {
    return step.begins() || step.commits() || step.rollsBack();
  }

  @Override
  public String toString() {
    return statements.stream().map(StatementOutcome::toString).collect(Collectors.joining("\n"))
        + "\nfinal: "
        + finalState()
        + "\ncommitted: "
        + committed;
  }
}
