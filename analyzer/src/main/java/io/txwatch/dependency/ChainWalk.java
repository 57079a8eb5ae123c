package io.txwatch.dependency;

import io.txwatch.dependency.Version.Fate;
import java.util.ArrayDeque;

/**
 * Walks up the versions of a row whose fates are known. Where columns are the items, a version that
 * did not write a column leaves the value of an earlier one, so the walk goes on beyond survivors
 * until all columns in question are covered. A version whose fate is open ends it: what it wrote
 * may not count, and the walk is continued when its fate is known.
 */
final class ChainWalk {

  /** The survivors that one walk visits at most; what lies beyond is missed. */
  static final int MAX_STEPS = 1 << 12;

  private ChainWalk() {}

  /** Receives a version above another one. */
  interface Above {
    /**
     * Receives a version.
     *
     * @param version a version that survived or vanished
     * @param covered the columns that survivors between the two wrote
     */
    void visit(Version version, long covered);
  }

  private record Pending(Version version, long covered) {}

  /**
   * Visits the versions above {@code from}, each before those above it. Iterative, since a
   * transaction may have written one row a hundred thousand times.
   *
   * @param columns the columns in question: versions above survivors that wrote them all are not
   *     visited
   */
  static void above(Version from, long columns, Above action) {
    ArrayDeque<Pending> pending = null;
    Version at = from;
    long covered = 0;
    int left = MAX_STEPS;
    while (at != null && left > 0) {
      Version onward = null;
      long onwardCovered = 0;
      for (Version next = at.firstNext; next != null; next = next.sibling) {
        if (next.fate == Fate.OPEN) {
          continue;
        }
        action.visit(next, covered);
        boolean survived = next.fate == Fate.SURVIVED;
        long beyond = survived ? covered | next.written() : covered;
        left -= survived ? 1 : 0;
        if (next.firstNext == null || (columns & ~beyond) == 0) {
          continue;
        }
        if (onward == null) {
          onward = next;
          onwardCovered = beyond;
        } else {
          pending = pending == null ? new ArrayDeque<>() : pending;
          pending.add(new Pending(next, beyond));
        }
      }
      Pending other = onward == null && pending != null ? pending.poll() : null;
      at = other == null ? onward : other.version();
      covered = other == null ? onwardCovered : other.covered();
    }
  }
}
