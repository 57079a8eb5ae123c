package io.txwatch.interleave;

import io.txwatch.interleave.explore.Program;

/**
 * An order in which one operation stops once, while all others run one after the other.
 *
 * @param operation the one that stops, by its number
 * @param calls how many calls it makes before
 */
public record Interruption(int operation, int calls) {

  /**
   * Chooses operations in this order, for one execution. Where the others wait for the one that has
   * stopped, it goes on.
   *
   * @param operations how many there are
   */
  Program.Scheduler scheduler(int operations) {
    boolean[] goesOn = new boolean[1];
    return (step, enabled, last) -> {
      if (step >= calls && !goesOn[0]) {
        for (int i = 1; i < operations; i++) {
          int other = (operation + i) % operations;
          if ((enabled >> other & 1) != 0) {
            return other;
          }
        }
      }
      goesOn[0] |= step >= calls;
      return (enabled >> operation & 1) != 0 ? operation : Long.numberOfTrailingZeros(enabled);
    };
  }
}
