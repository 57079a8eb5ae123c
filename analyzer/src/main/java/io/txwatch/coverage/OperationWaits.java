package io.txwatch.coverage;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Who waited for whom for locks, by operation, and how many transactions were repeated.
 *
 * @param pairs the pairs of operations, the one that took most time first
 * @param repeated transactions that repeat one that failed by a conflict
 */
public record OperationWaits(List<Pair> pairs, long repeated) {

  public static final OperationWaits NONE = new OperationWaits(List.of(), 0);

  /** More pairs are counted together. */
  private static final int MAX_PAIRS = 100;

  private static final String OTHERS = "other operations";

  /**
   * Operations of which one waited for another.
   *
   * @param waiting the operation that waited
   * @param holding the operation that held the lock
   * @param count the number of waits
   * @param micros the time of all of them, in microseconds
   * @param longestMicros the time of the longest
   * @param longestAt the line of the longest; empty if unknown
   */
  public record Pair(
      String waiting,
      String holding,
      long count,
      long micros,
      long longestMicros,
      String longestAt) {

    Pair plus(Pair other) {
      boolean isLonger = other.longestMicros > longestMicros;
      return new Pair(
          waiting,
          holding,
          count + other.count,
          micros + other.micros,
          isLonger ? other.longestMicros : longestMicros,
          isLonger ? other.longestAt : longestAt);
    }

    private Pair amongOthers() {
      return new Pair(OTHERS, OTHERS, count, micros, longestMicros, longestAt);
    }
  }

  public OperationWaits {
    pairs = pairs.stream().sorted(Comparator.comparingLong(Pair::micros).reversed()).toList();
  }

  /** The sum of pairs, in which each two operations occur once. */
  public static List<Pair> sum(List<Pair> pairs) {
    Map<List<String>, Pair> sums = new LinkedHashMap<>();
    for (Pair pair : pairs) {
      List<String> key = List.of(pair.waiting, pair.holding);
      Pair counted = sums.size() < MAX_PAIRS || sums.containsKey(key) ? pair : pair.amongOthers();
      sums.merge(List.of(counted.waiting, counted.holding), counted, Pair::plus);
    }
    return List.copyOf(sums.values());
  }

  /** The number of waits. */
  public long count() {
    return pairs.stream().mapToLong(Pair::count).sum();
  }

  /** The time of all waits, in microseconds. */
  public long micros() {
    return pairs.stream().mapToLong(Pair::micros).sum();
  }

  OperationWaits plus(OperationWaits other) {
    List<Pair> all = new ArrayList<>(pairs);
    all.addAll(other.pairs);
    return new OperationWaits(sum(all), repeated + other.repeated);
  }
}
