package io.txwatch.register;

import java.util.HashMap;
import java.util.Map;

/**
 * A plausible order of the transactions: that of the file, or, if the file lists one session after
 * another, by their place in their session.
 */
final class Ranks {

  private Ranks() {}

  /** For each transaction, a number that grows along that order. */
  static int[] of(RegisterHistory history) {
    int n = history.transactions();
    Map<Long, Integer> lengths = new HashMap<>();
    int[] places = new int[n];
    for (int t = 0; t < n; t++) {
      places[t] = lengths.merge(history.session(t), 1, Integer::sum);
    }
    boolean grouped = true;
    for (int t = 1; t < n; t++) {
      grouped &= places[t] == 1 || history.session(t) == history.session(t - 1);
    }
    int[] ranks = new int[n];
    for (int t = 0; t < n; t++) {
      int length = lengths.getOrDefault(history.session(t), 1);
      ranks[t] = grouped ? (int) ((long) places[t] * n / length) : t;
    }
    return ranks;
  }
}
