package io.txwatch.plan;

import io.txwatch.dialect.PathChange;
import io.txwatch.history.AccessedColumns;
import io.txwatch.sql.syntax.TextShape;
import io.txwatch.sql.syntax.Tokens;
import java.util.Optional;

/**
 * Makes the plan for a SQL text: a pure function of the text, the dialect, the catalog and the
 * request. A text is tokenized once, by {@link #tokens}.
 */
public interface Planner {

  /** The tokens of a text. */
  Tokens tokens(String sql);

  /**
   * What is known of a text. Never throws: what is not understood is passed through with its
   * reason.
   */
  Planned planned(Tokens tokens, Catalog catalog, PlanRequest request);

  /**
   * What is known of a text.
   *
   * @param columns the columns that it reads and writes, whatever is added to it; {@link
   *     AccessedColumns#UNKNOWN} if they are not known
   * @param key the values of a key's columns in the rows that it chooses or inserts, whatever is
   *     added to it; {@link ComparedKey#NONE} if they are not known, or not needed
   * @param levelChange what its execution may do to isolation levels that it does not show
   * @param pathChange what it does to the schemas in which names are looked up
   */
  record Planned(
      RewritePlan plan,
      AccessedColumns columns,
      ComparedKey key,
      LevelChange levelChange,
      PathChange pathChange) {

    /**
     * What is known of a text, by what is known of its shape. What it does to schemas may depend on
     * a literal, and is that of the shape.
     */
    public Planned in(Tokens tokens) {
      return with(plan.in(tokens));
    }

    /** The same with another plan. */
    public Planned with(RewritePlan other) {
      return new Planned(other, columns, key, levelChange, pathChange);
    }
  }

  /** The plan. */
  default RewritePlan plan(String sql, Catalog catalog, PlanRequest request) {
    return planned(tokens(sql), catalog, request).plan();
  }

  /** The plan for the usual case, in which everything is allowed. */
  default RewritePlan plan(String sql, Catalog catalog) {
    return plan(sql, catalog, PlanRequest.ANY);
  }

  /** The shape of a text; empty if each text is planned by itself. */
  default Optional<TextShape> shape(Tokens tokens) {
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
}
