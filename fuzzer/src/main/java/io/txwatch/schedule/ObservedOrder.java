package io.txwatch.schedule;

import io.txwatch.testcase.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToLongFunction;

/**
 * Turns what was observed of freely threaded sessions into orders of submission. A step took effect
 * at some moment between its begin and its end; which one, is not known. Each order chooses a
 * moment for each step, so it keeps the order of each session and that of steps that did not
 * overlap.
 */
final class ObservedOrder {

  private ObservedOrder() {}

  /**
   * A step of a freely threaded session.
   *
   * @param begun when it was sent; a number that no other begin or end has
   * @param ended when it had returned, a greater number
   */
  record TimedStep(Step step, long begun, long ended) {

    /** True if another session's transaction ended while it was running. */
    private boolean mayHaveWaited(List<TimedStep> steps) {
      return steps.stream()
          .anyMatch(
              other ->
                  !other.step.session().equals(step.session())
                      && other.endsTransaction()
                      && begun < other.begun
                      && other.ended < ended);
    }

    private boolean endsTransaction() {
      Step.Role role = step.role();
      return role == Step.Role.COMMIT || role == Step.Role.ROLLBACK;
    }
  }

  /**
   * Orders of submission with which the DBMS may do the same again, the most likely one first:
   * steps that may have waited as they were sent, and others as they returned; all as they
   * returned; all as they were sent.
   */
  static List<List<Step>> orders(List<TimedStep> steps) {
    Set<List<Step>> orders = new LinkedHashSet<>();
    orders.add(by(timed -> timed.mayHaveWaited(steps) ? timed.begun() : timed.ended(), steps));
    orders.add(by(TimedStep::ended, steps));
    orders.add(by(TimedStep::begun, steps));
    return List.copyOf(orders);
  }

  private static List<Step> by(ToLongFunction<TimedStep> moment, List<TimedStep> steps) {
    List<TimedStep> sorted = new ArrayList<>(steps);
    sorted.sort(Comparator.comparingLong(moment));
    return sorted.stream().map(TimedStep::step).toList();
  }
}
