package io.txwatch.history;

/**
 * One row that a statement read or wrote, with the version concerned.
 *
 * @param access what was done
 * @param table the table's name as the DBMS stores it, with its schema where that is not the
 *     connection's default
 * @param row the row's id ({@code txw_rid}), unique within the table and over time
 * @param writers the writers of the version that {@code access} speaks of
 */
public record RowAccess(Access access, String table, long row, WriterList writers) {}
