package io.txwatch.history;

/**
 * A share of all rows: all, a half, a quarter …, chosen by a hash of table and row, which is the
 * same in every session and process. Each share contains the next smaller one.
 *
 * @param halvings the share is one in 2 to the power of this
 */
public record RowShare(int halvings) {

  /** The smallest share is one in 2 to the power of this. */
  public static final int MAX_HALVINGS = 16;

  /** All rows. */
  public static final RowShare ALL = new RowShare(0);

  /** 2 to the power of 64 divided by the golden ratio: spreads neighboring numbers. */
  private static final long MIX = 0x9E3779B97F4A7C15L;

  /** Checks the number of halvings. */
  public RowShare {
    if (halvings < 0 || halvings > MAX_HALVINGS) {
      throw new IllegalArgumentException(halvings + " halvings");
    }
  }

  /** Whether it contains all rows. */
  public boolean isAll() {
    return halvings == 0;
  }

  /** Half of it; the same if it is the smallest. */
  public RowShare half() {
    return halvings == MAX_HALVINGS ? this : new RowShare(halvings + 1);
  }

  /** The share that this one is a half of; the same if it is all. */
  public RowShare twice() {
    return isAll() ? this : new RowShare(halvings - 1);
  }

  /** The smaller one of two shares, which is what both contain. */
  public RowShare and(RowShare other) {
    return halvings < other.halvings ? other : this;
  }

  /** Whether it contains a row. */
  public boolean contains(String table, long row) {
    if (isAll()) {
      return true;
    }
    long hash = (row * MIX ^ table.hashCode()) * MIX;
    return (hash ^ hash >>> 32) * MIX >>> Long.SIZE - halvings == 0;
  }

  /** The part of all rows that it contains: 0.25. */
  public double fraction() {
    return 1.0 / (1 << halvings);
  }

  /** For reports: {@code 1/4}. */
  @Override
  public String toString() {
    return isAll() ? "all" : "1/" + (1 << halvings);
  }
}
