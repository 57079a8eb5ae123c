package io.txwatch.schedule;

import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What came of a case.
 *
 * @param testCase the case
 * @param level the level of all its transactions
 * @param outcomes the outcome of each step, in the order of the case
 * @param order the ids of the steps that completed, in the order in which they did; steps that one
 *     commit set free at the same time are in an order that means nothing
 * @param completedBeforeEnd how many of these had completed when the case was over: then those that
 *     its steps left in a transaction were rolled back, and what waited for them went on
 * @param finalReads the results of the case's final reads, or, if it has none, of all its tables
 * @param undecided why the outcome cannot be told; empty if it can
 * @param race why another execution of the same case may end otherwise; empty if it cannot
 * @param events what watched connections told of its statements; empty if nobody watched
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

  /**
   * Why no oracle can be sure of what it would say. Where sessions raced, it hangs on who was first
   * whether the case came to rest afterwards: so the race is the reason.
   */
  public Optional<String> inconclusiveReason() {
    return race.isPresent() ? race : undecided;
  }

  /** The outcome of a step. */
  public StepOutcome outcome(Step step) {
    return outcome(step.id());
  }

  /** The outcome of the step with that number. */
  public StepOutcome outcome(int id) {
    return outcomes.stream().filter(outcome -> outcome.step().id() == id).findFirst().orElseThrow();
  }

  /** The final state: each final read's rows as a bag, one behind the other. */
  public List<List<String>> finalState() {
    return finalReads.stream().map(read -> Values.bag(read.rows())).toList();
  }

  /**
   * Its transactions in the order in which they ended: first commit or rollback first (WriteCheck,
   * section 3.3). One that was not ended by the case was rolled back when its session closed, and
   * comes last.
   */
  public List<ExecutedTransaction> transactions() {
    Map<Integer, StepOutcome> byId = new HashMap<>();
    outcomes.forEach(outcome -> byId.put(outcome.step().id(), outcome));
    Map<String, List<Step>> open = new LinkedHashMap<>();
    List<ExecutedTransaction> ended = new ArrayList<>();
    for (int id : order) {
      StepOutcome outcome = byId.get(id);
      if (outcome == null) {
        continue;
      }
      Step step = outcome.step();
      List<Step> steps = open.get(step.session());
      boolean ok = outcome.succeeded();
      if (step.role() == Step.Role.BEGIN) {
        if (ok) {
          if (steps != null) {
            ended.add(new ExecutedTransaction(step.session(), steps, true, true));
          }
          open.put(step.session(), new ArrayList<>(List.of(step)));
        }
      } else if (steps == null) {
        if (step.role() == Step.Role.WORK) {
          ended.add(new ExecutedTransaction(step.session(), List.of(step), false, ok));
        }
      } else {
        steps.add(step);
        boolean aborted = outcome.failure() != null && outcome.failure().endsTransaction();
        if (aborted || step.role() != Step.Role.WORK) {
          open.remove(step.session());
          ended.add(
              new ExecutedTransaction(
                  step.session(), List.copyOf(steps), true, step.role() == Step.Role.COMMIT && ok));
        }
      }
    }
    open.forEach(
        (session, steps) ->
            ended.add(new ExecutedTransaction(session, List.copyOf(steps), true, false)));
    return ended;
  }

  /** True if some step was blocked. */
  public boolean hadBlocking() {
    return outcomes.stream().anyMatch(StepOutcome::blocked);
  }

  /** For people: a line for each step, then the final state. */
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
