package io.txwatch.history;

/**
 * A share of all rows: 1, 7/8, 3/4, 5/8, 1/2, 7/16 …, four steps to a half, chosen by a hash of
 * table and row, which is the same in every session and process. Each share contains the next
 * smaller one.
 *
 * @param steps the steps from all rows to this share
 */
public record RowShare(int steps) {

  /** The steps from a share to its half. */
  public static final int STEPS_TO_HALF = 4;

  /** The steps to the smallest share, one in 65,536. */
  public static final int MAX_STEPS = 16 * STEPS_TO_HALF;

  /** All rows. */
  public static final RowShare ALL = new RowShare(0);

  /** 2 to the power of 64 divided by the golden ratio: spreads neighboring numbers. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  /** Checks the number of steps. */
  public RowShare {
    if (steps < 0 || steps > MAX_STEPS) {
      throw new IllegalArgumentException(steps + " steps");
    }
  }

  /** Whether it contains all rows. */
  public boolean isAll() {
    return steps == 0;
  }

  /** The share so many steps smaller, or the smallest. */
  public RowShare smaller(int by) {
    return new RowShare(Math.min(MAX_STEPS, steps + by));
  }

  /** The share one step larger; the same if it is all. */
  public RowShare larger() {
    return isAll() ? this : new RowShare(steps - 1);
  }

  /** The smaller one of two shares, which is what both contain. */
  public RowShare and(RowShare other) {
    return steps < other.steps ? other : this;
  }

  /** Whether it contains a row. */
  public boolean contains(String table, long row) {
    if (isAll()) {
      return true;
    }
    long hash = (row * MIX ^ table.hashCode()) * MIX;
    long top = (hash ^ hash >>> 32) * MIX >>> 32;
    return top < (long) numerator() << 29 - steps / STEPS_TO_HALF;
  }

  /** The part of all rows that it contains: 0.25. */
  public double fraction() {
    return numerator() / (double) denominator();
  }

  private int numerator() {
    return 2 * STEPS_TO_HALF - steps % STEPS_TO_HALF;
  }

  private int denominator() {
    return 2 * STEPS_TO_HALF << steps / STEPS_TO_HALF;
  }

  /** For reports: {@code 3/4}. */
  @Override
  public String toString() {
    int divisor = Integer.lowestOneBit(numerator());
    return isAll() ? "all" : numerator() / divisor + "/" + denominator() / divisor;
  }
}
