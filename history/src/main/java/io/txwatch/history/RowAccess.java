package io.txwatch.history;

/**
 * One row that a statement read or wrote, with the version it accessed.
 *
 * @param access the kind of access
 * @param table the table's name as the DBMS stores it, with its schema where that is not the
 *     connection's default
 * @param row the row's id ({@code txw_rid}), unique within the table and over time
 * @param writers the writers of the version that {@code access} defines
 * @param certain true if the statement itself returned the row, or a side read that is guaranteed
 *     to use the same snapshot; false if a side read returned it that may have seen another version
 *     or another set of rows, as at READ COMMITTED. A dependency inferred from an uncertain access
 *     is possible, never proven
 */
public record RowAccess(
    Access access, String table, long row, WriterList writers, boolean certain) {

  /** An access that the statement itself returned; certain. */
  public RowAccess(Access access, String table, long row, WriterList writers) {
    this(access, table, row, writers, true);
  }
}
