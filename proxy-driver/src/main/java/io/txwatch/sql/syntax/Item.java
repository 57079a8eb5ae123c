package io.txwatch.sql.syntax;

import java.util.List;
import java.util.Optional;

/**
 * An item of a select list or of RETURNING.
 *
 * @param alias as it stands
 */
public record Item(Span span, Expression value, Optional<String> alias) implements Node {
  @Override
  public List<Node> children() {
    return List.of(value);
  }
}
