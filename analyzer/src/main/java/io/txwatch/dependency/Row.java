package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/** A row of a table, with its known versions. Rows are compared by identity. */
public final class Row {

  /** A placeholder for edges without a row: those of an order of transactions. */
  public static final Row NONE = new Row(new Table("", new Footprint(), Granularity.ROW), 0);

  private final Table table;
  private final long id;

  /** The version before the first watched write. */
  final Version initial;

  /** The version that was looked up last; most lookups repeat it. */
  @Nullable Version latest;

  /** True once its writers' lists contradicted each other: nothing more is concluded from it. */
  boolean broken;

  /** The number of its versions, besides the initial one. */
  int versions;

  /** The last version set that contained it, and its version in that set. */
  long lastSetRead;

  @Nullable Version versionInLastSet;

  Row(Table table, long id) {
    this.table = table;
    this.id = id;
    this.initial = new Version(this, null, 0, 0);
  }

  /** The table with its other rows. */
  Table owner() {
    return table;
  }

  public String table() {
    return table.name;
  }

  public long id() {
    return id;
  }

  /** The value of its primary key, for display; empty if it is not known. */
  String key() {
    return table.rowNames.of(id);
  }

  /**
   * The names of columns of its table, as in {@link Edge#columns}; empty if they are all, or if
   * they are not known.
   */
  public java.util.List<String> columnNames(long columns) {
    return table.columns.names(columns);
  }

  @Override
  public String toString() {
    return table.name + "#" + id;
  }
}
