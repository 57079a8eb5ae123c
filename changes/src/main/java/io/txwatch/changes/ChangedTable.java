package io.txwatch.changes;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One version of a table: after a change of its schema there is another instance. */
public final class ChangedTable {

  private final String schema;
  private final String name;
  private final List<Column> columns;
  private final List<String> columnNames;
  private final List<Key> keys;
  private final @Nullable Key rowKey;

  /**
   * A table.
   *
   * @param columns in the order of the record
   * @param keys the primary key first, if there is one, then unique keys of whole columns
   */
  public ChangedTable(String schema, String name, List<Column> columns, List<Key> keys) {
    this.schema = schema;
    this.name = name;
    this.columns = List.copyOf(columns);
    this.columnNames = List.copyOf(columns.stream().map(Column::name).toList());
    this.keys = List.copyOf(keys);
    this.rowKey = keys.stream().filter(this::isWithoutNulls).findFirst().orElse(null);
  }

  private boolean isWithoutNulls(Key key) {
    return key.columns().stream().noneMatch(column -> columns.get(column).isNullable());
  }

  /** The schema's name; on MySQL the database's. */
  public String schema() {
    return schema;
  }

  /** The table's name without its schema. */
  public String name() {
    return name;
  }

  /** The columns in the order of the record. */
  public List<Column> columns() {
    return columns;
  }

  /** The names of the columns: one list for all rows, so that it is compared quickly. */
  public List<String> columnNames() {
    return columnNames;
  }

  /** The primary key first, if there is one, then unique keys of whole columns. */
  public List<Key> keys() {
    return keys;
  }

  /** The first key without a column that may be NULL, which identifies a row; null if none. */
  public @Nullable Key rowKey() {
    return rowKey;
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
