package io.txwatch.history;

/**
 * One row that a statement read or wrote, with the version concerned.
 *
 * @param access what was done
 * @param table the table's name as the DBMS stores it, with its schema where that is not the
 *     connection's default
 * @param row the row's id ({@code txw_rid}), unique within the table and over time
 * @param writers the writers of the version that {@code access} speaks of
 * @param certain true if the statement itself told of the row, or a read beside it that is bound to
 *     see the same snapshot; false if a read beside it told (a side read, a before-write read) that
 *     may have seen another version, or another set of rows, as at READ COMMITTED. What rests on an
 *     uncertain access is possible, never proven
 */
public record RowAccess(
    Access access, String table, long row, WriterList writers, boolean certain) {

  /** An access that the statement itself told of. */
  public RowAccess(Access access, String table, long row, WriterList writers) {
    this(access, table, row, writers, true);
  }
}
