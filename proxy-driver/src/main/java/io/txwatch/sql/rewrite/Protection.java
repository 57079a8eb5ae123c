package io.txwatch.sql.rewrite;

import io.txwatch.history.GapReason;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.Unwatched;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import io.txwatch.sql.rewrite.Rewrite.Flag;
import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.semantics.Tables;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;

/**
 * Keeps auxiliary columns out of what a statement means, and does nothing else to it: visible ones
 * (SQLite), and on H2 invisible ones, on which NATURAL JOIN joins.
 *
 * <p>What the grammar knows has its stars and NATURAL joins written out ({@link StarGuard}),
 * everything else has CTEs put in front of it ({@link CatalogGuard}). A statement for which neither
 * can be done, and which may read the columns, is refused: to send it would be to risk the
 * application's data without a word.
 *
 * @param edits what is put into the text
 * @param starShowsAuxiliary true if a star of the text may show the columns in a result, where they
 *     are to be hidden
 * @param refused why the statement must not be sent; empty if it may be
 */
record Protection(Edits edits, boolean starShowsAuxiliary, Optional<String> refused) {

  private static final Protection NOT_NEEDED = new Protection(Edits.NONE, false, Optional.empty());

  /** True if a star shows the auxiliary columns in this dialect. */
  static boolean isNeeded(Dialect dialect) {
    return !dialect.sql().hasInvisibleColumns();
  }

  /** The protection of one statement. */
  static Protection of(ParsedStatement parsed) {
    if (parsed.range().isEmpty()) {
      return NOT_NEEDED;
    }
    Builder builder =
        new Builder(parsed, parsed.tokens(), parsed.dialect(), parsed.range(), parsed.tables());
    if (isNeeded(parsed.dialect())) {
      return builder.protection();
    }
    return parsed.dialect().sql().joinsInvisibleColumns() ? builder.naturalJoins() : NOT_NEEDED;
  }

  /** True if there is a star between two tokens, whatever it means. */
  static boolean hasStar(Tokens tokens, Span range) {
    for (int i = range.from(); i < range.to(); i++) {
      if (tokens.isOperator(i, '*')) {
        return true;
      }
    }
    return false;
  }

  /** The text that several statements' protections make of the one that they stand in. */
  static Unwatched unwatched(Tokens tokens, List<Protection> statements) {
    Edits all = Edits.joined(statements.stream().map(Protection::edits).toList());
    Optional<String> refused =
        statements.stream().map(Protection::refused).flatMap(Optional::stream).findFirst();
    EditedText text = new EditedText(tokens, all);
    return new Unwatched(all.isEmpty() ? tokens.text() : text.marked(), text.origins(), refused);
  }

  private record Builder(
      ParsedStatement parsed, Tokens tokens, Dialect dialect, Span range, Tables tables) {

    Protection protection() {
      StatementClass what = parsed.what();
      if (!what.hasShape() && !what.holdsQuery()) {
        return NOT_NEEDED;
      }
      if (isTrigger()) {
        try {
          return with(trigger());
        } catch (NotUnderstood | RuntimeException e) {
          return refused(e);
        }
      }
      try {
        return with(plain(what.hasShape() ? parsed.statement() : embedded()));
      } catch (NotUnderstood | RuntimeException e) {
        return byCatalog();
      }
    }

    /** Where the columns are invisible, but NATURAL JOIN joins on them (H2). */
    Protection naturalJoins() {
      StatementClass what = parsed.what();
      if (!hasNaturalJoin() || !what.hasShape() && what.kind() != StatementKind.DDL) {
        return NOT_NEEDED;
      }
      try {
        AnalyzedStatement statement = what.hasShape() ? parsed.statement() : embedded();
        Rewrite guarded = StarGuard.protect(statement);
        if (guarded.is(Flag.EXPOSED)) {
          throw new NotUnderstood(GapReason.SHAPE, "a NATURAL JOIN that cannot be put right");
        }
        return new Protection(guarded.edits(), false, Optional.empty());
      } catch (NotUnderstood | RuntimeException e) {
        return namesPreparedTable() ? refused(e) : NOT_NEEDED;
      }
    }

    /** A NATURAL LEFT JOIN is an error of the DBMS where the grammar has none. */
    private boolean hasNaturalJoin() {
      boolean anyKind = dialect.grammar().has(Syntax.NATURAL_OF_ANY_KIND);
      for (int i = range.from(); i < range.to(); i++) {
        if (tokens.isWord(i, "NATURAL")
            && !tokens.is(i - 1, TokenKind.DOT)
            && (anyKind || tokens.isWord(i + 1, "JOIN"))) {
          return true;
        }
      }
      return false;
    }

    /** True if any name in it may be that of a table with auxiliary columns. */
    private boolean namesPreparedTable() {
      for (int i = range.from(); i < range.to(); i++) {
        if (tokens.isName(i)) {
          Span name = new Span(i, i + 1);
          if (tables.hasAuxiliary(Source.Table.named(name, List.of(tokens.text(i))))) {
            return true;
          }
        }
      }
      return false;
    }

    private Protection with(Edits edits) {
      return new Protection(edits, hasStar(tokens, range), Optional.empty());
    }

    private Protection refused(Exception e) {
      String why = e instanceof NotUnderstood known ? known.detail() : e.getClass().getName();
      return new Protection(Edits.NONE, hasStar(tokens, range), Optional.of(why));
    }

    private Protection byCatalog() {
      try {
        return with(CatalogGuard.protect(tokens, dialect, range, tables));
      } catch (NotUnderstood e) {
        return refused(e);
      }
    }

    private Edits plain(AnalyzedStatement statement) throws NotUnderstood {
      Edits inner = Edits.NONE;
      for (StatementParts write : statement.parts().innerWrites()) {
        inner = inner.and(plain(statement.inner(write)));
      }
      Rewrite guarded = StarGuard.expandReturned(statement, StarGuard.protect(statement));
      if (guarded.is(Flag.EXPOSED)) {
        throw new NotUnderstood(GapReason.SHAPE, "a star that cannot be written out");
      }
      return inner.and(guarded.edits()).and(InsertedColumns.name(statement));
    }

    /** A statement with a query in it. */
    private AnalyzedStatement embedded() throws NotUnderstood {
      return EmbeddedQueries.find(tokens, dialect, range, tables);
    }

    private boolean isTrigger() {
      int end = Math.min(range.to(), range.from() + 4);
      for (int i = range.from() + 1;
          i < end && dialect.grammar().has(Syntax.TRIGGERS_END_WITH_END);
          i++) {
        if (tokens.isWord(i, "TRIGGER")) {
          return tokens.isWord(range.from(), "CREATE");
        }
      }
      return false;
    }

    /** SQLite: each statement of a trigger's body, in front of which no WITH may stand. */
    private Edits trigger() throws NotUnderstood {
      int begin = range.from();
      while (begin < range.to() && !tokens.isWord(begin, "BEGIN")) {
        begin = tokens.next(begin);
      }
      CatalogGuard.protectWithoutCte(tokens, dialect, new Span(range.from(), begin), tables);
      Edits body = Edits.NONE;
      int from = begin + 1;
      for (int i = from; i < range.to(); i++) {
        if (tokens.is(i, TokenKind.SEMICOLON)) {
          body = body.and(bodyStatement(new Span(from, i)));
          from = i + 1;
        }
      }
      return body;
    }

    private Edits bodyStatement(Span statement) throws NotUnderstood {
      try {
        return plain(AnalyzedStatement.of(tokens, dialect, statement, tables));
      } catch (NotUnderstood | RuntimeException e) {
        return CatalogGuard.protectWithoutCte(tokens, dialect, statement, tables);
      }
    }
  }
}
