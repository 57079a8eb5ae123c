package io.txwatch.listappend;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * An order of the snapshots and commits of a few transactions.
 *
 * <p>A ww, wr or order edge puts the commit of its source before the snapshot of its target, an rw
 * edge the snapshot of its source before the commit of its target. Some order of these points
 * agrees with all edges if they form no cycle (Cerone and Gotsman 2016, section 4).
 */
final class SnapshotOrder {

  /** The most transactions: beyond it the pairs of points take too much memory. */
  private static final int MAX_TRANSACTIONS = 1 << 12;

  private final int points;
  private final List<int[]> edges = new ArrayList<>();

  SnapshotOrder(int transactions) {
    points = 2 * transactions;
    for (int t = 0; t < transactions; t++) {
      edges.add(new int[] {snapshot(t), commit(t)});
    }
  }

  private static int snapshot(int transaction) {
    return 2 * transaction;
  }

  private static int commit(int transaction) {
    return 2 * transaction + 1;
  }

  /**
   * Adds an edge.
   *
   * @param fromPoint whether the source is a single point in time instead of a transaction
   * @param toPoint whether the target is
   */
  void add(int from, boolean fromPoint, int to, boolean toPoint, boolean rw) {
    edges.add(
        new int[] {
          rw || fromPoint ? snapshot(from) : commit(from),
          rw && !toPoint ? commit(to) : snapshot(to)
        });
  }

  /**
   * Whether some order exists in which, of each of these pairs of transactions, one commits before
   * the snapshot of the other; empty if the time did not suffice.
   */
  Optional<Boolean> search(List<int[]> pairs, BooleanSupplier isInTime) {
    if (points > 2 * MAX_TRANSACTIONS) {
      return Optional.empty();
    }
    return search(new Reachability(points, edges), pairs, isInTime);
  }

  private Optional<Boolean> search(
      Reachability reach, List<int[]> pairs, BooleanSupplier isInTime) {
    List<int[]> undecided = new ArrayList<>(pairs);
    int before;
    do {
      before = undecided.size();
      for (int i = undecided.size() - 1; i >= 0; i--) {
        int one = undecided.get(i)[0];
        int other = undecided.get(i)[1];
        boolean first = reach.has(snapshot(one), commit(other));
        boolean second = reach.has(snapshot(other), commit(one));
        if (first && second) {
          return Optional.of(false);
        } else if (first || second) {
          reach.add(commit(first ? one : other), snapshot(first ? other : one));
          undecided.remove(i);
        }
      }
    } while (undecided.size() < before);
    if (undecided.isEmpty()) {
      return Optional.of(true);
    }
    int[] pair = undecided.remove(undecided.size() - 1);
    Optional<Boolean> result = Optional.of(false);
    for (int i = 0; i < 2; i++) {
      if (!isInTime.getAsBoolean()) {
        return Optional.empty();
      }
      Reachability attempt = new Reachability(reach);
      attempt.add(commit(pair[i]), snapshot(pair[1 - i]));
      Optional<Boolean> one = search(attempt, undecided, isInTime);
      if (one.equals(Optional.of(true))) {
        return one;
      } else if (one.isEmpty()) {
        result = one;
      }
    }
    return result;
  }

  /** Which points precede which. */
  private static final class Reachability {
    private final BitSet[] after;

    Reachability(int points, List<int[]> edges) {
      after = new BitSet[points];
      for (int point = 0; point < points; point++) {
        after[point] = new BitSet(points);
      }
      for (int[] edge : edges) {
        add(edge[0], edge[1]);
      }
    }

    Reachability(Reachability from) {
      after = new BitSet[from.after.length];
      for (int point = 0; point < after.length; point++) {
        after[point] = (BitSet) from.after[point].clone();
      }
    }

    boolean has(int from, int to) {
      return after[from].get(to);
    }

    void add(int from, int to) {
      if (has(from, to)) {
        return;
      }
      for (int point = 0; point < after.length; point++) {
        if (point == from || has(point, from)) {
          after[point].set(to);
          after[point].or(after[to]);
        }
      }
    }
  }
}
