package io.txwatch.sql.semantics;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;

/**
 * A statement with what is known of it: its text, what it is made of, and its tables. Immutable but
 * for the catalog's answers, which {@link Tables} keeps.
 */
public record AnalyzedStatement(
    Tokens tokens, Dialect dialect, StatementShape shape, Tables tables) {

  /** Another statement of the same text: a write inside WITH. */
  public AnalyzedStatement inner(StatementShape write) {
    return new AnalyzedStatement(tokens, dialect, write, tables);
  }
}
