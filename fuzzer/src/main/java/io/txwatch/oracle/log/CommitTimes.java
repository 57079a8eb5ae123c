package io.txwatch.oracle.log;

import io.txwatch.schedule.StepTimes.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * When each transaction of a log was committed, as far as the times at which the sessions committed
 * determine it. The log need not state which session wrote a transaction: its order is that of the
 * commits, so position and number restrict which commit it was.
 */
final class CommitTimes {

  private final List<Interval> intervals;

  /** The transactions of the case whose place in the log is certain. */
  private final Map<CaseTransaction, Integer> indexes;

  private CommitTimes(List<Interval> intervals, Map<CaseTransaction, Integer> indexes) {
    this.intervals = intervals;
    this.indexes = indexes;
  }

  /**
   * Assigns a log to the transactions of a case.
   *
   * @param size how many transactions the log has
   * @param tables whose changes are in the log
   * @return empty if they cannot be those of the log
   */
  static Optional<CommitTimes> of(int size, List<CaseTransaction> committed, Set<String> tables) {
    List<CaseTransaction> writers =
        committed.stream()
            .filter(each -> each.mayWriteBefore(null))
            .sorted(Comparator.comparingLong(each -> each.commit().start()))
            .toList();
    if (writers.size() < size) {
      return Optional.empty();
    }
    boolean isOrdered = true;
    for (int i = 1; i < writers.size(); i++) {
      isOrdered &= writers.get(i - 1).commit().end() <= writers.get(i).commit().start();
    }
    return isOrdered ? ordered(size, writers, tables) : Optional.of(overlapping(size, writers));
  }

  /** The commits are in the order of the writers. */
  private static Optional<CommitTimes> ordered(
      int size, List<CaseTransaction> writers, Set<String> tables) {
    int[] certainBefore = new int[writers.size() + 1];
    for (int i = 0; i < writers.size(); i++) {
      certainBefore[i + 1] = certainBefore[i] + (writers.get(i).isCertainlyLogged(tables) ? 1 : 0);
    }
    int certain = certainBefore[writers.size()];
    List<Interval> intervals = new ArrayList<>();
    Map<CaseTransaction, Integer> indexes = new HashMap<>();
    for (int k = 0; k < size; k++) {
      List<CaseTransaction> possible = new ArrayList<>();
      for (int c = k; c <= writers.size() - size + k; c++) {
        if (certainBefore[c] <= k && certain - certainBefore[c + 1] <= size - 1 - k) {
          possible.add(writers.get(c));
        }
      }
      if (possible.isEmpty()) {
        return Optional.empty();
      }
      intervals.add(
          new Interval(
              possible.get(0).commit().start(), possible.get(possible.size() - 1).commit().end()));
      if (possible.size() == 1) {
        indexes.put(possible.get(0), k);
      }
    }
    return Optional.of(new CommitTimes(intervals, indexes));
  }

  /** Some commits may have been in either order, because one unblocked the other statement. */
  private static CommitTimes overlapping(int size, List<CaseTransaction> writers) {
    List<Long> ends = writers.stream().map(each -> each.commit().end()).sorted().toList();
    List<Interval> intervals = new ArrayList<>();
    for (int k = 0; k < size; k++) {
      intervals.add(
          new Interval(writers.get(k).commit().start(), ends.get(writers.size() - size + k)));
    }
    return new CommitTimes(intervals, Map.of());
  }

  /** When a transaction of the log committed; always, for those that were there before. */
  Interval of(int index) {
    return index == LoggedVersion.NONE ? Interval.ALWAYS : intervals.get(index);
  }

  /** Where the log has a transaction; empty if that is not certain. */
  Optional<Integer> index(CaseTransaction transaction) {
    return Optional.ofNullable(indexes.get(transaction));
  }
}
