package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;

/**
 * Statements that are not rewritten but contain a query whose star must not show the auxiliary
 * columns: CREATE TABLE or VIEW … AS, DECLARE … CURSOR FOR, PREPARE … AS, COPY (…) TO, EXPLAIN,
 * MERGE (hazard 17).
 */
final class EmbeddedQueries {

  private EmbeddedQueries() {}

  /** The query behind AS or FOR; all that stands in parentheses if there is none. */
  static AnalyzedStatement find(Tokens tokens, Dialect dialect, Span range, Tables tables)
      throws NotUnderstood {
    int from = range.from();
    int to = range.to();
    for (int i = from + 1; i < to; i = tokens.next(i)) {
      boolean follows = tokens.isAnyWord(i - 1, "AS", "FOR");
      if (follows && tokens.isOpen(i) && tokens.isAnyWord(i + 1, "SELECT", "WITH")) {
        int close = tokens.partner(i);
        if (close == to - 1) {
          return AnalyzedStatement.ofQuery(tokens, dialect, new Span(i + 1, close), tables);
        }
      }
      if (follows && tokens.isAnyWord(i, "SELECT", "WITH")) {
        int end = queryEnd(tokens, i, to);
        return AnalyzedStatement.ofQuery(tokens, dialect, new Span(i, end), tables);
      }
    }
    if (tokens.isWord(from, "COPY") && tokens.isOpen(from + 1)) {
      int close = tokens.partner(from + 1);
      return AnalyzedStatement.ofQuery(tokens, dialect, new Span(from + 2, close), tables);
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
