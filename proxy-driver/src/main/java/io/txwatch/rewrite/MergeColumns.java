package io.txwatch.rewrite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.history.GapReason;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.Tables;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

/**
 * H2's {@code MERGE INTO t [KEY (…)] VALUES (…)}: without a column list it counts the invisible
 * columns too, unlike INSERT, so the application's are named. Nothing is carried.
 */
final class MergeColumns {

  private MergeColumns() {}

  /** The statement with the columns named; empty if the statement does not need it. */
  static Optional<Rewrite> name(Tokens tokens, DialectSql sql, Span range, Tables tables) {
    int at = range.from();
    if (!tokens.areWords(at, "MERGE", "INTO") || !tokens.isName(at + 2)) {
      return Optional.empty();
    }
    int first = at + 2;
    List<String> name = new ArrayList<>(List.of(tokens.text(first)));
    int next = first + 1;
    while (tokens.is(next, TokenKind.DOT) && tokens.isName(next + 1)) {
      name.add(tokens.text(next + 1));
      next += 2;
    }
    boolean unnamed =
        next < range.to() && tokens.isAnyWord(next, "KEY", "VALUES", "SELECT", "TABLE", "WITH");
    Source.Table target = Source.Table.named(new Span(first, next), name);
    if (!unnamed || !tables.hasAuxiliary(target)) {
      return Optional.empty();
    }
    StringJoiner columns = new StringJoiner(", ", " (", ")");
    for (String column : tables.find(target).orElseThrow().columns()) {
      columns.add(Auxiliary.quote(sql, column));
    }
    return Optional.of(
        Rewrite.of(Edits.after(tokens, next - 1, columns.toString()))
            .and(Rewrite.unseen(GapReason.SHAPE, "MERGE")));
  }
}
