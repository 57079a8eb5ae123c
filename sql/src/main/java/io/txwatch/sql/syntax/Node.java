package io.txwatch.sql.syntax;

import java.util.List;
import java.util.function.Consumer;

/**
 * A part of a statement. Immutable. Its text is that of its {@link #span()}; the spans of its
 * children lie within it, in the order of the text, and do not overlap.
 */
public sealed interface Node
    permits Statement,
        Query,
        QueryBody,
        With,
        CommonTable,
        Item,
        Source,
        Expression,
        Assignment,
        OnConflict,
        MergeBranch,
        Statement.Returning,
        Clause {

  /** Where it stands: significant tokens. */
  Span span();

  /** Its parts, in the order of the text. */
  List<Node> children();

  /** Visits this node and everything below it, each before its children. */
  default void forEach(Consumer<? super Node> action) {
    action.accept(this);
    children().forEach(child -> child.forEach(action));
  }
}
