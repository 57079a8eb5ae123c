package io.txwatch.schedule;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The result of executing a case.
 *
 * @param testCase the case
 * @param level the isolation level of its transactions, except those of sessions with a level of
 *     their own
 * @param outcomes the outcome of each step, in the order of the case
 * @param order the ids of the completed steps, in the order of completion; among steps that one
 *     commit unblocked, the order means nothing
 * @param completedBeforeEnd how many of these had completed when the case was over: at that point
 *     open transactions were rolled back, and the sessions that they blocked continued
 * @param finalReads the results of the case's final reads or, if it has none, of all its tables
 * @param undecided why the outcome is undecided; empty if it is decided
 * @param race why another execution of the same case may differ; empty if it cannot
 * @param events the events of watched connections; empty if the connections were not watched
 */
public record CaseExecution(
    TestCase testCase,
    IsolationLevel level,
    List<StepOutcome> outcomes,
    List<Integer> order,
    int completedBeforeEnd,
    List<StepOutcome> finalReads,
    Optional<String> undecided,
    Optional<String> race,
    List<Event> events) {

  /** An execution of which nothing but its end is known. */
  public static CaseExecution unknown(TestCase testCase, IsolationLevel level, String end) {
    return new CaseExecution(
        testCase,
        level,
        testCase.steps().stream()
            .map(step -> StepOutcome.without(step, StepOutcome.Status.UNDECIDED))
            .toList(),
        List.of(),
        0,
        List.of(),
        Optional.of(end),
        Optional.empty(),
        List.of());
  }

  /**
   * Why no oracle can give a reliable verdict. A race takes precedence: whether the case becomes
   * quiescent after a race depends on which session was first.
   */
  public Optional<String> inconclusiveReason() {
    return race.isPresent() ? race : undecided;
  }

  public StepOutcome outcome(Step step) {
    return outcome(step.id());
  }

  /** The outcome of the step with this id. */
  public StepOutcome outcome(int id) {
    return outcomes.stream().filter(outcome -> outcome.step().id() == id).findFirst().orElseThrow();
  }

  /** The final state: the rows of each final read, as a bag. */
  public List<List<String>> finalState() {
    return finalReads.stream().map(read -> Values.bag(read.rows())).toList();
  }

  /**
   * Its transactions in the order in which they ended: first commit or rollback first (WriteCheck,
   * section 3.3). Transactions that the case did not end come last; they were rolled back.
   */
  public List<ExecutedTransaction> transactions() {
    Map<Integer, StepOutcome> byId = new HashMap<>();
    outcomes.forEach(outcome -> byId.put(outcome.step().id(), outcome));
    TransactionCollector collector = new TransactionCollector();
    for (int id : order) {
      StepOutcome outcome = byId.get(id);
      if (outcome != null) {
        collector.add(outcome);
      }
    }
    return collector.transactions();
  }

  /** True if any step was blocked. */
  public boolean hadBlocking() {
    return outcomes.stream().anyMatch(StepOutcome::blocked);
  }

  /** One line for each step, then the final state. */
  @Override
  public String toString() {
    return outcomes.stream().map(StepOutcome::toString).collect(Collectors.joining("\n"))
        + "\nfinal: "
        + finalReads.stream()
            .map(read -> String.join(";", Values.bag(read.rows())))
            .collect(Collectors.joining(" | "))
        + undecided.map(why -> "\nundecided: " + why).orElse("");
  }
}
