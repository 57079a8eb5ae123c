package io.txwatch.sql;

import io.txwatch.history.GapReason;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;

/**
 * Keeps visible auxiliary columns (PostgreSQL, SQLite) out of what a statement means, and does
 * nothing else to it.
 *
 * <p>What the grammar knows has its stars and NATURAL joins written out ({@link StarGuard}),
 * everything else has CTEs put in front of it ({@link CatalogGuard}). A statement for which neither
 * can be done, and which may read the columns, is refused: to send it would be to risk the
 * application's data without a word.
 */
final class Protection {

  private final Tokens tokens;
  private final Dialect dialect;
  private final Tables tables;
  private final Draft.Extent extent;
  private Splices splices;

  /** What is sent where the DBMS refuses {@link #splices}; the same as those but for whole rows. */
  private Splices fallback;

  private boolean starShowsAuxiliary;
  private Optional<String> refused = Optional.empty();

  private Protection(Tokens tokens, Dialect dialect, Tables tables, Draft.Extent extent) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.tables = tables;
    this.extent = extent;
    this.splices = new Splices(tokens, dialect);
    this.fallback = splices;
  }

  /** True if a star shows the auxiliary columns in this dialect. */
  static boolean isNeeded(Dialect dialect) {
    return dialect == Dialect.POSTGRESQL || dialect == Dialect.SQLITE;
  }

  /** The protection of one statement. */
  static Protection of(
      Tokens tokens, Dialect dialect, Span range, Tables tables, Draft.Extent extent) {
    Protection protection = new Protection(tokens, dialect, tables, extent);
    if (isNeeded(dialect) && range.from() < range.to()) {
      protection.protect(range);
    }
    return protection;
  }

  /** What is put into the text. */
  Splices splices() {
    return splices;
  }

  /** What is put into the text where the DBMS refuses {@link #splices()}. */
  Splices fallback() {
    return fallback;
  }

  /** True if a star of the text may show the columns in a result, where they are to be hidden. */
  boolean starShowsAuxiliary() {
    return starShowsAuxiliary;
  }

  /** Why the statement must not be sent; empty if it may be. */
  Optional<String> refused() {
    return refused;
  }

  private void protect(Span range) {
    StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
    boolean trigger = isTrigger(range);
    if (!what.hasShape() && !what.holdsQuery()) {
      return;
    }
    starShowsAuxiliary = hasStar(tokens, range);
    try {
      if (trigger) {
        trigger(range);
      } else if (what.hasShape()) {
        splices.addAll(understood(range));
      } else {
        splices.addAll(embedded(range));
      }
      return;
    } catch (NotUnderstood | RuntimeException e) {
      if (trigger) {
        refuse(e);
        return;
      }
      splices = new Splices(tokens, dialect);
      fallback = splices;
    }
    try {
      CatalogGuard.protect(tokens, dialect, range, tables, splices);
    } catch (NotUnderstood e) {
      splices = new Splices(tokens, dialect);
      fallback = splices;
      refuse(e);
    }
  }

  private void refuse(Exception e) {
    refused = Optional.of(e instanceof NotUnderstood why ? why.detail() : e.toString());
  }

  /** A statement that the grammar knows. */
  private Splices understood(Span range) throws NotUnderstood {
    StatementShape shape = ShapeBuilder.of(tokens, dialect, range);
    Splices plain = plain(shape);
    if (wholeRow(shape)) {
      Splices hiding = new Splices(tokens, dialect);
      try {
        CatalogGuard.protect(tokens, dialect, range, tables, hiding);
        // A function that takes a row of the table's own type takes no row of a CTE.
        fallback = plain;
        return hiding;
      } catch (NotUnderstood e) {
        return plain;
      }
    }
    return plain;
  }

  private Splices plain(StatementShape shape) throws NotUnderstood {
    Draft draft = draft(shape);
    for (StatementShape write : shape.innerWrites) {
      draft.splices.addAll(plain(write));
    }
    StarGuard.protect(draft);
    StarGuard.expandReturned(draft);
    if (draft.exposed) {
      throw new NotUnderstood(GapReason.SHAPE, "a star that cannot be written out");
    }
    InsertRewriter.nameVisibleColumns(draft);
    return draft.splices;
  }

  private boolean wholeRow(StatementShape shape) {
    return WholeRows.find(draft(shape)).isPresent()
        || shape.innerWrites.stream().anyMatch(this::wholeRow);
  }

  private Draft draft(StatementShape shape) {
    return new Draft(tokens, dialect, shape, tables, false, extent);
  }

  /** A statement with a query in it. */
  private Splices embedded(Span range) throws NotUnderstood {
    StatementShape shape = EmbeddedQueries.scan(tokens, dialect, range.from(), range.to());
    return plain(shape);
  }

  private boolean isTrigger(Span range) {
    int end = Math.min(range.to(), range.from() + 4);
    for (int i = range.from() + 1; i < end && dialect == Dialect.SQLITE; i++) {
      if (tokens.isWord(i, "TRIGGER")) {
        return tokens.isWord(range.from(), "CREATE");
      }
    }
    return false;
  }

  /** SQLite: each statement of a trigger's body, in front of which no WITH may stand. */
  private void trigger(Span range) throws NotUnderstood {
    int begin = range.from();
    while (begin < range.to() && !tokens.isWord(begin, "BEGIN")) {
      begin = tokens.next(begin);
    }
    CatalogGuard.protectWithoutCte(
        tokens, dialect, new Span(range.from(), begin), tables, new Splices(tokens, dialect));
    int from = begin + 1;
    for (int i = from; i < range.to(); i++) {
      if (tokens.is(i, TokenKind.SEMICOLON)) {
        bodyStatement(new Span(from, i));
        from = i + 1;
      }
    }
  }

  private void bodyStatement(Span range) throws NotUnderstood {
    try {
      splices.addAll(plain(ShapeBuilder.of(tokens, dialect, range)));
    } catch (NotUnderstood | RuntimeException e) {
      CatalogGuard.protectWithoutCte(tokens, dialect, range, tables, splices);
    }
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
  static Unwatched unwatched(Tokens tokens, Dialect dialect, List<Protection> statements) {
    Splices all = new Splices(tokens, dialect);
    Optional<String> refused = Optional.empty();
    for (Protection statement : statements) {
      all.addAll(statement.fallback);
      refused = refused.or(statement::refused);
    }
    return all.isEmpty()
        ? new Unwatched(tokens.text(), Origins.SAME, refused)
        : new Unwatched(all.marked(), all.origins(), refused);
  }
}
