package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;

/** {@code a = 1}, or {@code (a, b) = (…)}, of SET. */
public record Assignment(Span span, List<Expression.Name> targets, Expression value)
    implements Node {
  @Override
  public List<Node> children() {
    List<Node> all = new ArrayList<>(targets);
    all.add(value);
    return all;
  }
}
