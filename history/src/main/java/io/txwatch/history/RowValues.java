package io.txwatch.history;

import java.util.Arrays;
import java.util.List;

/**
 * Rows of one table by their keys and hashed values, as a statement read or stated them.
 *
 * @param table the table's name, as in {@link RowAccess}
 * @param columns the names of the columns whose values are given, as the DBMS stores them
 * @param keys the hash of each row's primary key ({@link ValueHash#ofKey}); 0 if it is not known
 * @param values the rows' values, row after row, each in the order of {@code columns}: {@link
 *     ValueHash#of}, {@link ValueHash#UNKNOWN} where a value is not known
 */
public record RowValues(String table, List<String> columns, long[] keys, int[] values) {

  /** Validates that there is a value for each row and column. */
  public RowValues {
    columns = List.copyOf(columns);
    if (values.length != keys.length * columns.size()) {
      throw new IllegalArgumentException(
          keys.length + " rows, " + columns.size() + " columns and " + values.length + " values");
    }
  }

  /** The number of rows. */
  public int size() {
    return keys.length;
  }

  /** The hash of a row's value in a column, both counted from 0. */
  public int value(int row, int column) {
    return values[row * columns.size() + column];
  }

  @Override
  public boolean equals(@org.jspecify.annotations.Nullable Object other) {
    return other instanceof RowValues rows
        && table.equals(rows.table)
        && columns.equals(rows.columns)
        && Arrays.equals(keys, rows.keys)
        && Arrays.equals(values, rows.values);
  }

  @Override
  public int hashCode() {
    return 31 * (31 * table.hashCode() + columns.hashCode()) + Arrays.hashCode(keys);
  }

  @Override
  public String toString() {
    return "RowValues[" + table + columns + ", " + keys.length + " rows]";
  }
}
