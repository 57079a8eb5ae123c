package io.txwatch.sql.rewrite;

import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Span;
import java.util.ArrayList;
import java.util.List;

/**
 * The columns that a WHERE pins: a conjunction with {@code column = value}, where the value is a
 * single token.
 */
final class PinnedColumns {

  private final List<Pinned> pinned = new ArrayList<>(2);

  private PinnedColumns() {}

  /**
   * A column with the token that it is equal to in each row.
   *
   * @param column as it stands
   */
  record Pinned(Expression.Name column, int token) {}

  /** Those of a condition, in the order of the text. */
  static List<Pinned> of(Clause where) {
    PinnedColumns columns = new PinnedColumns();
    where.expressions().forEach(columns::conjuncts);
    return columns.pinned;
  }

  /** Notes what a condition pins: the comparisons of a conjunction. */
  private void conjuncts(Expression condition) {
    if (!(condition.unwrapped() instanceof Expression.Chain chain)) {
      return;
    }
    if (chain.operators().stream().allMatch("AND"::equals)) {
      chain.operands().forEach(this::conjuncts);
    } else if (chain.operators().equals(List.of("="))) {
      comparison(chain.operands().get(0), chain.operands().get(1).span());
    }
  }

  /** {@code column = value}. */
  private void comparison(Expression left, Span right) {
    if (left instanceof Expression.Name column && right.to() == right.from() + 1) {
      pinned.add(new Pinned(column, right.from()));
    }
  }
}
