package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * ON CONFLICT or ON DUPLICATE KEY.
 *
 * @param target the columns or condition in front of DO
 * @param updates the assignments; empty for DO NOTHING
 */
public record OnConflict(
    Span span, List<Expression> target, List<Assignment> updates, Optional<Clause> where)
    implements Node {
  @Override
  public List<Node> children() {
    List<Node> all = new ArrayList<>(target);
    all.addAll(updates);
    where.ifPresent(all::add);
    return all;
  }
}
