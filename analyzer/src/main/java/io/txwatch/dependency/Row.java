package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/** A row of a table, with what is known of its versions. Rows are compared by identity. */
public final class Row {

  /** In the place of a row where there is none: an order of transactions runs through no row. */
  public static final Row NONE = new Row(new Table("", new Footprint()), 0);

  private final Table table;
  private final long id;

  /** The version before the first watched write. */
  final Version initial;

  /** The version that was looked up last: most look-ups ask for it again. */
  @Nullable Version latest;

  /**
   * True once its writers' lists contradicted each other: nothing is concluded from it any more.
   */
  boolean broken;

  /** How many versions of it are remembered, besides the initial one. */
  int versions;

  /** The reading by predicate that met it last, and the version that it met. */
  long lastSetRead;

  @Nullable Version versionInLastSet;

  Row(Table table, long id) {
    this.table = table;
    this.id = id;
    this.initial = new Version(this, null, 0);
  }

  /** The table with its other rows. */
  Table owner() {
    return table;
  }

  /** Its table. */
  public String table() {
    return table.name;
  }

  /** Its id, {@code txw_rid}. */
  public long id() {
    return id;
  }

  @Override
  public String toString() {
    return table.name + "#" + id;
  }
}
