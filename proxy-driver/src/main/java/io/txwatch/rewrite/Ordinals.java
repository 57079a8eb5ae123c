package io.txwatch.rewrite;

import io.txwatch.sql.syntax.Clause;
import io.txwatch.sql.syntax.Clause.Kind;
import io.txwatch.sql.syntax.Node;
import io.txwatch.sql.syntax.Query;
import io.txwatch.sql.syntax.QueryBody;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;

/**
 * Numbers in ORDER BY and GROUP BY that stand for columns of the select list. One beyond the list
 * is an error, unless a column of ours stands there.
 */
final class Ordinals {

  private final AnalyzedStatement statement;
  private final Tokens tokens;
  private boolean mayBeBeyond;

  private Ordinals(AnalyzedStatement statement) {
    this.statement = statement;
    this.tokens = statement.tokens();
  }

  /** True if some number of a statement may be beyond the list of its query. */
  static boolean mayBeBeyondList(AnalyzedStatement statement) {
    Ordinals ordinals = new Ordinals(statement);
    statement.tree().forEach(ordinals::visit);
    return ordinals.mayBeBeyond;
  }

  private void visit(Node node) {
    if (node instanceof Query query) {
      query.clause(Kind.ORDER_BY).ifPresent(order -> check(order, query.body()));
    } else if (node instanceof QueryBody.Select select) {
      select.clause(Kind.GROUP_BY).ifPresent(group -> check(group, select));
    }
  }

  private void check(Clause clause, QueryBody body) {
    long highest = highest(clause);
    mayBeBeyond |= highest > 0 && highest > width(body);
  }

  /** The highest number in a clause; 0 if there is none. */
  private long highest(Clause clause) {
    long highest = 0;
    int from = clause.span().from() + 2;
    int to = clause.span().to();
    for (int i = from; i < to; i++) {
      boolean first = i == from || tokens.is(i - 1, TokenKind.COMMA) || tokens.isOpen(i - 1);
      boolean last =
          i + 1 == to
              || tokens.is(i + 1, TokenKind.COMMA)
              || tokens.is(i + 1, TokenKind.CLOSE)
              || tokens.is(i + 1, TokenKind.WORD);
      if (first && last && tokens.is(i, TokenKind.NUMBER)) {
        highest = Math.max(highest, number(tokens.text(i)));
      }
    }
    for (int i = from; i < to; i = tokens.next(i)) {
      if (tokens.is(i, TokenKind.PARAMETER) && (i == from || tokens.is(i - 1, TokenKind.COMMA))) {
        return Long.MAX_VALUE; // a driver may put its value into the text
      }
    }
    return highest;
  }

  private static long number(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      return Long.MAX_VALUE;
    }
  }

  /** How many columns a query has at least, its first branch's. */
  private int width(QueryBody body) {
    if (body instanceof QueryBody.Nested nested) {
      return width(nested.query().body());
    }
    if (body instanceof QueryBody.SetOperation operation) {
      return width(operation.branches().get(0));
    }
    return body instanceof QueryBody.Select select
        ? statement.parts().blocks().stream()
            .filter(block -> block.list().equals(select.list()))
            .findFirst()
            .map(block -> StarColumns.width(statement, block).orElse(block.items().size()))
            .orElse(0)
        : 0;
  }
}
