package io.txwatch.changes;

import java.util.List;

/**
 * One version of a table: after a change of its schema there is another instance.
 *
 * @param columns in the order of the record
 * @param keys the primary key first, if there is one, then unique keys of whole columns
 */
public record ChangedTable(String schema, String name, List<Column> columns, List<Key> keys) {

  /** A table of immutable lists. */
  public ChangedTable {
    columns = List.copyOf(columns);
    keys = List.copyOf(keys);
  }

  /**
   * A column.
   *
   * @param declared its type as the DBMS describes it: {@code decimal(10,2)}
   * @param isNullable true if it may be NULL
   */
  public record Column(String name, ColumnType type, String declared, boolean isNullable) {}

  /**
   * A key. Two rows with NULL in a column of a unique key may be different rows.
   *
   * @param columns indexes into {@link ChangedTable#columns()}
   */
  public record Key(String name, boolean isPrimary, List<Integer> columns) {

    /** A key of an immutable list. */
    public Key {
      columns = List.copyOf(columns);
    }
  }
}
