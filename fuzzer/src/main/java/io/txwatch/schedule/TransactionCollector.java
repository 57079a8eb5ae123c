package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Groups the completed steps of an execution into transactions, in the order of their ends. */
final class TransactionCollector {

  /** The steps of each session's open transaction. */
  private final Map<String, List<Step>> open = new LinkedHashMap<>();

  private final List<ExecutedTransaction> ended = new ArrayList<>();

  /** Adds the next step in the order of completion. */
  void add(StepOutcome outcome) {
    Step step = outcome.step();
    List<Step> steps = open.get(step.session());
    if (step.role() == Step.Role.BEGIN) {
      if (outcome.succeeded()) {
        begin(step, steps);
      }
    } else if (steps != null) {
      addToTransaction(outcome, steps);
    } else if (step.role() == Step.Role.WORK) {
      ended.add(new ExecutedTransaction(step.session(), List.of(step), false, outcome.succeeded()));
    }
  }

  /** Begins a transaction, which commits the previous one if it is still open. */
  private void begin(Step step, @Nullable List<Step> previous) {
    if (previous != null) {
      ended.add(new ExecutedTransaction(step.session(), previous, true, true));
    }
    open.put(step.session(), new ArrayList<>(List.of(step)));
  }

  private void addToTransaction(StepOutcome outcome, List<Step> steps) {
    Step step = outcome.step();
    steps.add(step);
    boolean aborted = outcome.failure() != null && outcome.failure().endsTransaction();
    if (aborted || step.role() != Step.Role.WORK) {
      boolean committed = step.role() == Step.Role.COMMIT && outcome.succeeded();
      open.remove(step.session());
      ended.add(new ExecutedTransaction(step.session(), List.copyOf(steps), true, committed));
    }
  }

  /** All transactions; those that are still open come last, as rolled back. */
  List<ExecutedTransaction> transactions() {
    List<ExecutedTransaction> all = new ArrayList<>(ended);
    open.forEach(
        (session, steps) ->
            all.add(new ExecutedTransaction(session, List.copyOf(steps), true, false)));
    return all;
  }
}
