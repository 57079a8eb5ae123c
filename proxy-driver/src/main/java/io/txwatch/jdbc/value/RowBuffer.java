package io.txwatch.jdbc.value;

import io.txwatch.history.RowValues;
import io.txwatch.plan.ValuePlan;
import java.util.Arrays;
import java.util.List;

/** Rows of one table in the order in which they were read; grows by doubling. */
final class RowBuffer {

  private static final int FIRST_ROWS = 4;

  private final String table;
  private final List<String> columns;
  private final int width;
  private long[] keys;
  private int[] values;
  private int rows;

  RowBuffer(ValuePlan.Read read) {
    int rows = read.pinned() ? 1 : FIRST_ROWS;
    table = read.table();
    columns = read.columns();
    width = columns.size();
    keys = new long[rows];
    values = new int[rows * width];
  }

  /** Begins a row, whose values {@link #value} sets. */
  void add(long key) {
    if (rows == keys.length) {
      keys = Arrays.copyOf(keys, 2 * rows);
      values = Arrays.copyOf(values, 2 * rows * width);
    }
    keys[rows++] = key;
  }

  /** Sets a value of the row added last. */
  void value(int column, int hash) {
    values[(rows - 1) * width + column] = hash;
  }

  boolean isEmpty() {
    return rows == 0;
  }

  /** The rows; nothing may be added afterwards. */
  RowValues taken() {
    return rows == keys.length
        ? new RowValues(table, columns, keys, values)
        : new RowValues(
            table, columns, Arrays.copyOf(keys, rows), Arrays.copyOf(values, rows * width));
  }
}
