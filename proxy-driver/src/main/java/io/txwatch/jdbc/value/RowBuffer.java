package io.txwatch.jdbc.value;

import io.txwatch.history.RowValues;
import java.util.Arrays;
import java.util.List;

/** Rows of one table in the order in which they were read; grows by doubling. */
final class RowBuffer {

  private static final int FIRST_ROWS = 4;

  private final String table;
  private final List<String> columns;
  private long[] keys;
  private int[] values;
  private int rows;

  RowBuffer(String table, List<String> columns) {
    this.table = table;
    this.columns = columns;
    this.keys = new long[FIRST_ROWS];
    this.values = new int[FIRST_ROWS * columns.size()];
  }

  /** Begins a row, whose values {@link #value} sets. */
  void add(long key) {
    if (rows == keys.length) {
      keys = Arrays.copyOf(keys, 2 * rows);
      values = Arrays.copyOf(values, 2 * rows * columns.size());
    }
    keys[rows++] = key;
  }

  /** Sets a value of the row added last. */
  void value(int column, int hash) {
    values[(rows - 1) * columns.size() + column] = hash;
  }

  boolean isEmpty() {
    return rows == 0;
  }

  RowValues taken() {
    return new RowValues(
        table, columns, Arrays.copyOf(keys, rows), Arrays.copyOf(values, rows * columns.size()));
  }
}
