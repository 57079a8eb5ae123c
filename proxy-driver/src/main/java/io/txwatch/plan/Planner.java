package io.txwatch.plan;

import io.txwatch.history.AccessedColumns;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokens;
import java.util.Optional;

/**
 * Makes the plan for a SQL text: a pure function of the text, the dialect, the catalog and the
 * request.
 */
public interface Planner {

  /** The plan. Never throws: what is not understood is passed through with its reason. */
  RewritePlan plan(String sql, Catalog catalog, PlanRequest request);

  /** The plan for the usual case, in which everything is allowed. */
  default RewritePlan plan(String sql, Catalog catalog) {
    return plan(sql, catalog, PlanRequest.ANY);
  }

  /**
   * What is known of a text.
   *
   * @param columns as {@link #columns} gives them
   * @param key as {@link #comparedKey} gives it
   */
  record Planned(RewritePlan plan, AccessedColumns columns, ComparedKey key) {

    /** What is known of a text, by what is known of its shape. */
    public Planned in(Tokens tokens) {
      return new Planned(plan.in(tokens), columns, key);
    }
  }

  /** The plan with the columns and the key of its text. */
  default Planned planned(String sql, Catalog catalog, PlanRequest request) {
    RewritePlan plan = plan(sql, catalog, request);
    AccessedColumns columns;
    try {
      columns = columns(sql, catalog);
    } catch (RuntimeException | StackOverflowError e) {
      columns = AccessedColumns.UNKNOWN;
    }
    ComparedKey key;
    try {
      key = comparedKey(sql, catalog);
    } catch (RuntimeException | StackOverflowError e) {
      key = ComparedKey.NONE;
    }
    return new Planned(plan, columns, key);
  }

  /** The shape of a text; empty if each text is planned by itself. */
  default Optional<TextShape> shape(String sql) {
    return Optional.empty();
  }

  /**
   * What is known of all texts of a shape; {@link Planned#in} makes of it what is known of one.
   *
   * @return empty if each of these texts is planned by itself
   */
  default Optional<Planned> planned(TextShape shape, Catalog catalog) {
    return Optional.empty();
  }

  /**
   * The columns that a text reads and writes, whatever is added to it.
   *
   * @return {@link AccessedColumns#UNKNOWN} if they are not known
   */
  default AccessedColumns columns(String sql, Catalog catalog) {
    return AccessedColumns.UNKNOWN;
  }

  /**
   * The values of a key's columns in the rows that a text chooses or inserts, whatever is added to
   * it.
   *
   * @return {@link ComparedKey#NONE} if they are not known, or not needed
   */
  default ComparedKey comparedKey(String sql, Catalog catalog) {
    return ComparedKey.NONE;
  }
}
