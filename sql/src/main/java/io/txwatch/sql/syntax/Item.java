package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An item of a select list or of RETURNING.
 *
 * @param alias as it stands
 */
public record Item(Span span, Expression value, Optional<String> alias) implements Node {
  /** The star that it is; empty if it is something else. */
  public Optional<Expression.Star> star() {
    return alias.isEmpty() && value instanceof Expression.Star star
        ? Optional.of(star)
        : Optional.empty();
  }

  /** The stars among some items. */
  public static List<Expression.Star> stars(List<Item> items) {
    List<Expression.Star> stars = new ArrayList<>();
    items.forEach(item -> item.star().ifPresent(stars::add));
    return stars;
  }

  @Override
  public List<Node> children() {
    return List.of(value);
  }
}
