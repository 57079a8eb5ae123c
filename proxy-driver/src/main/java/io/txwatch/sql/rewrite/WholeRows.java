package io.txwatch.sql.rewrite;

import io.txwatch.sql.semantics.AnalyzedStatement;
import io.txwatch.sql.syntax.Identifiers;
import io.txwatch.sql.syntax.Item;
import io.txwatch.sql.syntax.Source;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Whole-row references on PostgreSQL (hazard 62): a table's name where an expression stands ({@code
 * SELECT t}, {@code row_to_json(t)}), and {@code t.*} within one. Their value has the auxiliary
 * columns in it, which no hidden column of a result can undo.
 */
final class WholeRows {

  private WholeRows() {}

  /** The name of a table that is referred to as a whole row, if there is one. */
  static Optional<String> find(AnalyzedStatement statement) {
    if (!statement.dialect().sql().hasWholeRows()) {
      return Optional.empty();
    }
    Set<String> names = new HashSet<>();
    Set<String> columns = new HashSet<>();
    for (Source.Table table : statement.parts().references()) {
      if (statement.tables().showsAuxiliary(table)) {
        names.add(Identifiers.fold(table.exposedName()));
      }
      statement
          .tables()
          .find(table)
          .ifPresent(
              t -> t.starColumns().forEach(c -> columns.add(Identifiers.fold('"' + c + '"'))));
    }
    names.removeAll(columns);
    Tokens tokens = statement.tokens();
    for (int i = statement.parts().from(); i < statement.parts().to(); i++) {
      if (tokens.isName(i)
          && names.contains(tokens.folded(i))
          && !isDeclared(statement, i)
          && !isInnerWrite(statement, i)
          && (isAlone(tokens, i) || isStarInExpression(statement, i))) {
        return Optional.of(tokens.text(i));
      }
    }
    return Optional.empty();
  }

  /**
   * True if a source of that name is referred to as a whole row, somewhere: what it exposes would
   * show in it.
   */
  static boolean isReferenced(AnalyzedStatement statement, String name) {
    Tokens tokens = statement.tokens();
    String folded = Identifiers.fold(name);
    if (!statement.dialect().sql().hasWholeRows()) {
      return false;
    }
    for (int i = statement.parts().from(); i < statement.parts().to(); i++) {
      if (tokens.isName(i)
          && tokens.folded(i).equals(folded)
          && !isDeclared(statement, i)
          && !(tokens.isWord(i + 1, "AS") && tokens.isOpen(i + 2))
          && (isAlone(tokens, i) || isStarInExpression(statement, i))) {
        return true;
      }
    }
    return false;
  }

  /** True if a token is that of a write inside WITH, which has a statement of its own. */
  private static boolean isInnerWrite(AnalyzedStatement statement, int token) {
    return statement.parts().innerWrites().stream()
        .anyMatch(write -> write.tree().span().contains(token));
  }

  private static boolean isDeclared(AnalyzedStatement statement, int token) {
    return statement.parts().references().stream()
        .anyMatch(t -> token >= t.from() && token < t.to());
  }

  /** A name in the place of an operand, neither qualified nor qualifying, nor an alias. */
  private static boolean isAlone(Tokens tokens, int i) {
    if (tokens.is(i + 1, TokenKind.DOT)
        || tokens.isOpen(i + 1)
        || tokens.is(i - 1, TokenKind.DOT)) {
      return false;
    }
    if (tokens.is(i - 1, TokenKind.OPERATOR)) {
      return !tokens.text(i - 1).equals("::");
    }
    return tokens.is(i - 1, TokenKind.OPEN)
        || (tokens.is(i - 1, TokenKind.COMMA) && !isLocked(tokens, i))
        || tokens.isAnyWord(
            i - 1,
            "SELECT",
            "DISTINCT",
            "ALL",
            "WHERE",
            "AND",
            "OR",
            "NOT",
            "ON",
            "WHEN",
            "THEN",
            "ELSE",
            "CASE",
            "BY",
            "HAVING",
            "RETURNING",
            "IN",
            "FROM",
            "BETWEEN",
            "ARRAY");
  }

  /** A further name behind FOR UPDATE OF. */
  private static boolean isLocked(Tokens tokens, int i) {
    int at = i;
    while (tokens.isName(at) && tokens.is(at - 1, TokenKind.COMMA)) {
      at -= 2;
    }
    return tokens.isWord(at - 1, "OF");
  }

  /** {@code t.*} that is no item of a select list of its own. */
  private static boolean isStarInExpression(AnalyzedStatement statement, int i) {
    Tokens tokens = statement.tokens();
    if (!tokens.is(i + 1, TokenKind.DOT) || !tokens.isOperator(i + 2, '*')) {
      return false;
    }
    boolean item =
        statement.parts().blocks().stream()
            .flatMap(b -> b.stars().stream())
            .anyMatch(star -> star.span().to() == i + 3);
    boolean counted = tokens.isWord(i - 2, "COUNT") && tokens.isOpen(i - 1);
    boolean returned =
        statement
            .tree()
            .returning()
            .filter(r -> Item.stars(r.items()).stream().anyMatch(s -> s.span().to() == i + 3))
            .isPresent();
    return !item && !counted && !returned;
  }
}
