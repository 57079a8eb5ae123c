package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.ShapeBuilder;
import io.txwatch.sql.semantics.StatementShape;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;

/**
 * Statements that are not looked into but hold a query whose star must not show the auxiliary
 * columns: CREATE TABLE or VIEW … AS, DECLARE … CURSOR FOR, PREPARE … AS, COPY (…) TO, EXPLAIN,
 * MERGE (hazard 17).
 */
final class EmbeddedQueries {

  private EmbeddedQueries() {}

  /**
   * The shape of the query behind AS or FOR; of all that stands in parentheses if there is none.
   */
  static StatementShape scan(Tokens tokens, Dialect dialect, int from, int to)
      throws NotUnderstood {
    for (int i = from + 1; i < to; i = tokens.next(i)) {
      if (tokens.isAnyWord(i - 1, "AS", "FOR") && tokens.isAnyWord(i, "SELECT", "WITH")) {
        int end = queryEnd(tokens, i, to);
        return ShapeBuilder.ofQuery(tokens, dialect, new Span(i, end));
      }
    }
    if (tokens.isWord(from, "COPY") && tokens.isOpen(from + 1)) {
      int close = tokens.partner(from + 1);
      return ShapeBuilder.ofQuery(tokens, dialect, new Span(from + 2, close));
    }
    throw new NotUnderstood(GapReason.OPAQUE, "no query in it");
  }

  /** PostgreSQL's CREATE TABLE … AS … WITH NO DATA. */
  private static int queryEnd(Tokens tokens, int from, int to) {
    for (int i = from; i < to; i = tokens.next(i)) {
      if (i > from
          && tokens.isWord(i, "WITH")
          && (tokens.isWord(i + 1, "DATA") || tokens.areWords(i + 1, "NO", "DATA"))) {
        return i;
      }
    }
    return to;
  }
}
