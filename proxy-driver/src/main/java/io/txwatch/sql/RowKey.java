package io.txwatch.sql;

import java.util.List;

/**
 * What identifies a row of a table whose versions are in the DBMS's system columns.
 *
 * @param columns the columns of its key, as stored: the primary key, or another unique one without
 *     nulls
 * @param isInteger true if it is one column of an integer type
 * @param returnsOld true if the DBMS's RETURNING can return the replaced row
 */
public record RowKey(List<String> columns, boolean isInteger, boolean returnsOld) {}
