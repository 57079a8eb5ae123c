package io.txwatch.statement;

import io.txwatch.dialect.DialectSql;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.semantics.NotUnderstood;
import io.txwatch.sql.semantics.StatementParts;
import io.txwatch.sql.syntax.Span;
import io.txwatch.sql.syntax.Statement;
import io.txwatch.sql.syntax.StatementParser;
import io.txwatch.sql.syntax.Tokens;

/**
 * A statement with what is known of it: its text, its syntax tree, and its tables. Immutable but
 * for the catalog's answers, which {@link Tables} keeps.
 */
public record AnalyzedStatement(
    Tokens tokens, DialectSql sql, StatementParts parts, Tables tables) {

  /**
   * Parses a statement.
   *
   * @throws NotUnderstood if it is something else, or not plain enough to vouch for
   */
  public static AnalyzedStatement of(Tokens tokens, DialectSql sql, Span span, Tables tables)
      throws NotUnderstood {
    return of(StatementParser.parse(tokens, sql.dialect(), span), tokens, sql, tables);
  }

  /**
   * The same of a statement that was parsed.
   *
   * @throws NotUnderstood as for its text
   */
  public static AnalyzedStatement of(Statement tree, Tokens tokens, DialectSql sql, Tables tables)
      throws NotUnderstood {
    return new AnalyzedStatement(tokens, sql, StatementParts.of(tree), tables);
  }

  /** The grammar of its text. */
  public Dialect dialect() {
    return sql.dialect();
  }

  /** The syntax tree. */
  public Statement tree() {
    return parts.tree();
  }

  /** True if locks of others decide, too, which rows it chooses. */
  public boolean skipsLockedRows() {
    for (int i = parts.from(); i < parts.to(); i++) {
      if (tokens.areWords(i, "SKIP", "LOCKED")) {
        return true;
      }
    }
    return false;
  }

  /** Another statement of the same text: a write inside WITH. */
  public AnalyzedStatement inner(StatementParts write) {
    return new AnalyzedStatement(tokens, sql, write, tables);
  }
}
