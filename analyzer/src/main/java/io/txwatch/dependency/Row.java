package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/** A row of a table, with what is known of its versions. Rows are compared by identity. */
public final class Row {

  private final String table;
  private final long id;

  /** The version before the first watched write. */
  final Version initial;

  /** The version that was looked up last: most look-ups ask for it again. */
  @Nullable Version latest;

  /**
   * True once its writers' lists contradicted each other: nothing is concluded from it any more.
   */
  boolean broken;

  Row(String table, long id) {
    this.table = table;
    this.id = id;
    this.initial = new Version(this, null, 0);
  }

  /** Its table. */
  public String table() {
    return table;
  }

  /** Its id, {@code txw_rid}. */
  public long id() {
    return id;
  }

  @Override
  public String toString() {
    return table + "#" + id;
  }
}
