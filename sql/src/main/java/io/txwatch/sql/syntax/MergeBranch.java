package io.txwatch.sql.syntax;

import java.util.ArrayList;
import java.util.List;

/**
 * WHEN … THEN of a MERGE.
 *
 * @param content where what follows THEN stands
 * @param expressions the condition, and the values of an INSERT
 */
public record MergeBranch(
    Span span, Action action, Span content, List<Expression> expressions, List<Assignment> updates)
    implements Node {

  /** What it does. */
  public enum Action {
    UPDATE,
    INSERT,
    DELETE,
    NOTHING
  }

  @Override
  public List<Node> children() {
    List<Node> all = new ArrayList<>(expressions);
    all.addAll(updates);
    return all;
  }
}
