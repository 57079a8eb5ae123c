package io.txwatch.sql;

import java.util.List;

/**
 * What identifies a row of a table whose versions are in the DBMS's system columns.
 *
 * @param columns the columns of its key, as stored: the primary key, or another unique one without
 *     nulls; empty if it has none, and each version is identified by its place in the table
 * @param isInteger true if it is one column of an integer type
 * @param returnsOld true if the DBMS's RETURNING can return the replaced row
 */
public record RowKey(List<String> columns, boolean isInteger, boolean returnsOld) {

  /** True if the rows have a key. */
  public boolean exists() {
    return !columns.isEmpty();
  }
}
