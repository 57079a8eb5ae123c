package io.txwatch.sql.syntax;

import java.util.List;

/** WITH and its common tables. */
public record With(Span span, boolean recursive, List<CommonTable> tables) implements Node {
  @Override
  public List<Node> children() {
    return List.copyOf(tables);
  }
}
