package io.txwatch.sql;

import io.txwatch.history.AccessedColumns;

/** Makes the plan for a SQL text: a pure function of the text, the dialect and the catalog. */
public interface Planner {

  /**
   * The plan. Never throws: what is not understood is passed through with its reason.
   *
   * @param mayReturnRows false if the statement's result must stay what it is, because it will be
   *     an item of a batch, or asks for generated keys, or is cut by {@code setMaxRows}: the writer
   *     is appended to what it writes, but nothing to a result, so {@link RewritePlan#returns()} is
   *     NOTHING
   */
  RewritePlan plan(String sql, Catalog catalog, boolean mayReturnRows);

  /** The plan for the usual case, in which the statement may be made to return rows. */
  default RewritePlan plan(String sql, Catalog catalog) {
    return plan(sql, catalog, true);
  }

  /**
   * The columns that a text reads and writes, whatever is added to it.
   *
   * @return {@link AccessedColumns#UNKNOWN} if they are not known
   */
  default AccessedColumns columns(String sql, Catalog catalog) {
    return AccessedColumns.UNKNOWN;
  }
}
