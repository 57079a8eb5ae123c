package io.txwatch.sql.semantics;

import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.List;
import java.util.Optional;

/**
 * What a CREATE INDEX defines. Names are folded.
 *
 * @param columns those of its key; of an expression, each name in it
 */
public record IndexDefinition(String table, boolean unique, List<String> columns) {

  /** Reads a statement; empty if it is another one. */
  public static Optional<IndexDefinition> of(Tokens tokens) {
    boolean unique = tokens.isWord(1, "UNIQUE");
    int at = unique ? 2 : 1;
    if (tokens.isBroken() || !tokens.isWord(0, "CREATE") || !tokens.isWord(at, "INDEX")) {
      return Optional.empty();
    }
    while (at < tokens.count() && !tokens.isWord(at, "ON")) {
      at++;
    }
    int end = tokens.nameEnd(at + 1);
    int open = end;
    while (open < tokens.count() && !tokens.is(open, TokenKind.OPEN)) {
      open++; // USING BTREE
    }
    return open < tokens.count() && end > at + 1
        ? Optional.of(
            new IndexDefinition(
                tokens.folded(end - 1), unique, TableDefinition.columns(tokens, open)))
        : Optional.empty();
  }
}
