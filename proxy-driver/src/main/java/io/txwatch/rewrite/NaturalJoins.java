package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;

/**
 * NATURAL JOIN on H2, which compares invisible columns, too, so that of two prepared tables no rows
 * would be equal: such a statement is refused.
 */
final class NaturalJoins {

  /** Why it is refused. */
  static final String REASON = "NATURAL JOIN of prepared tables";

  private NaturalJoins() {}

  /** True if a text, of whatever kind, may join auxiliary columns. */
  static boolean joinAuxiliary(Tokens tokens, Dialect dialect, Tables tables) {
    return DialectSql.of(dialect).joinsInvisibleColumns()
        && isIn(tokens)
        && countPrepared(tokens, tables) > 1;
  }

  /** H2 rejects NATURAL LEFT JOIN and the like. */
  private static boolean isIn(Tokens tokens) {
    for (int i = 0; i < tokens.count(); i++) {
      if (tokens.areWords(i, "NATURAL", "JOIN") && !tokens.is(i - 1, TokenKind.DOT)) {
        return true;
      }
    }
    return false;
  }

  /** How many names may be those of tables with auxiliary columns. */
  private static int countPrepared(Tokens tokens, Tables tables) {
    int count = 0;
    for (int i = 0; i < tokens.count(); i++) {
      List<String> name = new ArrayList<>();
      int from = i;
      if (tokens.isName(i)) {
        name.add(tokens.text(i));
        while (tokens.is(i + 1, TokenKind.DOT) && tokens.isName(i + 2)) {
          i += 2;
          name.add(tokens.text(i));
        }
        count += tables.hasAuxiliary(Source.Table.named(new Span(from, i + 1), name)) ? 1 : 0;
      }
    }
    return count;
  }
}
