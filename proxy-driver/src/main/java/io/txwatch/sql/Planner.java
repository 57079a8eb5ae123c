package io.txwatch.sql;

/** Makes the plan for a SQL text: a pure function of the text, the dialect and the catalog. */
public interface Planner {

  /** The plan. Never throws: what is not understood is passed through with its reason. */
  RewritePlan plan(String sql, Catalog catalog);
}
