package io.txwatch.rewrite;

import io.txwatch.plan.ValuePlan.Cast;
import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns that a WHERE pins: a conjunction with {@code column = value}, where the value is a
 * single token, or one in a cast.
 */
final class PinnedColumns {

  private final List<Pinned> pinned = new ArrayList<>(2);

  /** The text; null if casts are left out. */
  private final @Nullable Tokens tokens;

  private PinnedColumns(@Nullable Tokens tokens) {
    this.tokens = tokens;
  }

  /**
   * A column with the token that it is equal to in each row.
   *
   * @param column as it stands
   * @param cast what the token is cast to before it is compared
   */
  record Pinned(Expression.Name column, int token, Cast cast) {}

  /** Those of a condition that are compared with a value as it stands, in the order of the text. */
  static List<Pinned> of(Clause where) {
    return of(where, null);
  }

  /** Those of a condition, in the order of the text, with those that are compared with a cast. */
  static List<Pinned> of(Clause where, @Nullable Tokens tokens) {
    PinnedColumns columns = new PinnedColumns(tokens);
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
      comparison(chain.operands().get(0), chain.operands().get(1));
    }
  }

  /** {@code column = value}. */
  private void comparison(Expression left, Expression right) {
    if (left instanceof Expression.Name column) {
      Cast cast = tokens == null ? Cast.NONE : CastConstants.of(right, tokens);
      Span span = (cast == Cast.NONE ? right : CastConstants.inside(right)).span();
      if (span.to() == span.from() + 1) {
        pinned.add(new Pinned(column, span.from(), cast));
      }
    }
  }
}
