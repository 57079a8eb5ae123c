package io.txwatch.bench.nested;

import java.util.Locale;

/** The columns of the tables. The position of a value in a row is the constant's ordinal. */
enum Column {
  /** The primary key, which never changes. */
  ID,
  /** One of few values: what predicates, joins and groups use. */
  K,
  /** A number that each assignment makes unique. */
  N,
  /** The version: unique, and assigned by every UPDATE. */
  VER;

  /** The values of {@link #K} are less. */
  static final int VALUES_OF_K = 6;

  /** NULL as a value of {@link #K}. No row has it, but the judge imagines rows that do. */
  static final long NULL = Long.MIN_VALUE;

  /** Whether two values are equal, and neither is NULL. */
  static boolean equal(long one, long other) {
    return one == other && one != NULL;
  }

  /** Its name in SQL. */
  String sql() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Its value in a row. */
  long of(long[] row) {
    return row[ordinal()];
  }

  /** Its bit in a set of columns. */
  int bit() {
    return 1 << ordinal();
  }
}
