package io.txwatch.rewrite;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.statement.AnalyzedStatement;
import io.txwatch.statement.Tables;
import java.util.Optional;

/**
 * A statement of a text, parsed once: to protect it, and to rewrite it.
 *
 * @param analyzed the statement; empty if its first words show another kind of statement
 * @param obstacle why it could not be analyzed
 */
record ParsedStatement(
    Tokens tokens,
    Dialect dialect,
    Span range,
    Tables tables,
    StatementClass what,
    Optional<AnalyzedStatement> analyzed,
    Optional<NotUnderstood> obstacle) {

  static ParsedStatement of(Tokens tokens, Dialect dialect, Span range, Tables tables) {
    StatementClass what = StatementClass.of(tokens, dialect, range.from(), range.to());
    Optional<AnalyzedStatement> analyzed = Optional.empty();
    Optional<NotUnderstood> obstacle = Optional.empty();
    try {
      if (what.hasShape()) {
        analyzed = Optional.of(AnalyzedStatement.of(tokens, dialect, range, tables));
      }
    } catch (NotUnderstood e) {
      obstacle = Optional.of(e);
    }
    return new ParsedStatement(tokens, dialect, range, tables, what, analyzed, obstacle);
  }

  /**
   * The statement.
   *
   * @throws NotUnderstood if it is none that the grammar knows
   */
  AnalyzedStatement statement() throws NotUnderstood {
    if (obstacle.isPresent()) {
      throw obstacle.get();
    }
    return analyzed.orElseThrow(() -> new NotUnderstood("an unknown statement"));
  }
}
