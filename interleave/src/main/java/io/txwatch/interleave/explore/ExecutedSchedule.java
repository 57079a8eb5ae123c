package io.txwatch.interleave.explore;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * An execution of a program.
 *
 * @param steps its calls, in the order in which they were made
 */
public record ExecutedSchedule(List<Step> steps) {

  /**
   * A call.
   *
   * @param operation the number of the operation that made it
   * @param enabled the operations that could have made a call instead, and this one, as bits
   * @param footprint what it reads and writes
   */
  public record Step(int operation, long enabled, CallFootprint footprint) {}

  public ExecutedSchedule {
    steps = List.copyOf(steps);
  }

  /** The operations in the order of their calls. */
  public List<Integer> schedule() {
    return steps.stream().map(Step::operation).toList();
  }

  /** How often an operation had to stop for another one although it could have gone on. */
  public int preemptions() {
    int count = 0;
    for (int i = 1; i < steps.size(); i++) {
      int before = steps.get(i - 1).operation();
      if (steps.get(i).operation() != before && (steps.get(i).enabled() >> before & 1) != 0) {
        count++;
      }
    }
    return count;
  }

  /** How many orders of these calls there are if none is ever blocked. */
  public double orders() {
    Map<Integer, Integer> made = new HashMap<>();
    double orders = 1;
    for (int i = 0; i < steps.size(); i++) {
      orders = orders * (i + 1) / made.merge(steps.get(i).operation(), 1, Integer::sum);
    }
    return orders;
  }
}
