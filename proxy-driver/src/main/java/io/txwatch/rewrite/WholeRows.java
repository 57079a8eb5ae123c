package io.txwatch.rewrite;

import io.txwatch.sql.syntax.Assignment;
import io.txwatch.sql.syntax.Expression;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import java.util.List;
import java.util.stream.Stream;

/**
 * Whole-row references on PostgreSQL: the name of a source where an expression stands ({@code
 * SELECT q}, {@code row_to_json(q)}), and {@code q.*} within one. A column that is added to a
 * subquery would be in their value, which no hidden column of a result can undo.
 */
final class WholeRows {

  private final Tokens tokens;

  /** Folded. */
  private final String name;

  private WholeRows(Tokens tokens, String name) {
    this.tokens = tokens;
    this.name = name;
  }

  /** True if a source of that name is referred to as a whole row, somewhere. */
  static boolean isReferenced(AnalyzedStatement statement, String name) {
    return statement.sql().hasWholeRows()
        && new WholeRows(statement.tokens(), Identifiers.fold(name)).isIn(statement.tree());
  }

  private boolean isIn(Node node) {
    if (node instanceof Expression.Name written) {
      return written.parts().size() == 1 && isNamed(written.last());
    }
    if (node instanceof Expression.Star star) {
      List<String> qualifier = star.qualifier();
      return !qualifier.isEmpty() && isNamed(qualifier.get(qualifier.size() - 1));
    }
    return (node instanceof Expression.Opaque opaque && isInUnknown(opaque))
        || values(node).anyMatch(this::isIn);
  }

  private boolean isNamed(String written) {
    return Identifiers.fold(written).equals(name);
  }

  /** The parts of a node that can be whole rows. */
  private static Stream<? extends Node> values(Node node) {
    if (node instanceof Item item && item.star().isPresent()) {
      return Stream.of();
    }
    if (node instanceof Assignment assignment) {
      return Stream.of(assignment.value());
    }
    boolean counts =
        node instanceof Expression.Call call
            && !call.distinct()
            && call.name().get(call.name().size() - 1).equalsIgnoreCase("count");
    return node.children().stream().filter(part -> !(counts && part instanceof Expression.Star));
  }

  /** What may be the name in a stretch that the grammar does not know, outside of its queries. */
  private boolean isInUnknown(Expression.Opaque opaque) {
    Span span = opaque.span();
    for (int i = span.from(); i < span.to(); i++) {
      boolean qualifies = tokens.is(i + 1, TokenKind.DOT) && !tokens.isOperator(i + 2, '*');
      int token = i;
      if (tokens.isName(i)
          && opaque.queries().stream().noneMatch(query -> query.span().contains(token))
          && name.equals(tokens.folded(i))
          && !qualifies
          && !tokens.is(i - 1, TokenKind.DOT)) {
        return true;
      }
    }
    return false;
  }
}
