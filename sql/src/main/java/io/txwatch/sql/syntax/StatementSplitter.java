package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Syntax;
import java.util.ArrayList;
import java.util.List;

/** Several statements in one string (hazard 35): cut at the semicolons that are tokens. */
public final class StatementSplitter {

  private StatementSplitter() {}

  /**
   * The stretches of significant tokens that are statements, empty ones left out; the semicolons
   * belong to none. In compound statements (BEGIN … END of stored programs) semicolons do not
   * separate: a text that starts such a one is one statement to its end; on SQLite, to the
   * trigger's END. PostgreSQL's programs stand in strings, unless they are BEGIN ATOMIC … END.
   */
  public static List<Span> split(Tokens tokens, Dialect dialect) {
    List<Span> statements = new ArrayList<>();
    int from = 0;
    int count = tokens.count();
    for (int i = 0; i <= count; i++) {
      if (i == count || tokens.is(i, TokenKind.SEMICOLON)) {
        if (i > from) {
          if (isStoredProgram(tokens, dialect, from, i)) {
            i = programEnd(tokens, dialect, i);
          }
          statements.add(new Span(from, i));
        }
        from = i + 1;
      }
    }
    return statements;
  }

  private static int programEnd(Tokens tokens, Dialect dialect, int semicolon) {
    int end = semicolon;
    while (end < tokens.count()) {
      end++;
      if (dialect.grammar().has(Syntax.TRIGGERS_END_WITH_END)
          && tokens.isWord(end - 1, "END")
          && tokens.is(end - 2, TokenKind.SEMICOLON)
          && (end == tokens.count() || tokens.is(end, TokenKind.SEMICOLON))) {
        return end;
      }
    }
    return end;
  }

  private static boolean isStoredProgram(Tokens tokens, Dialect dialect, int from, int to) {
    if (!tokens.isAnyWord(from, "CREATE", "ALTER")) {
      return tokens.isWord(from, "DELIMITER");
    }
    if (dialect.grammar().has(Syntax.ATOMIC_BODIES)) {
      return hasAtomicBody(tokens, from, to);
    }
    for (int i = from + 1; i < Math.min(to, from + 8); i++) {
      if (tokens.isAnyWord(i, "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE")) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasAtomicBody(Tokens tokens, int from, int to) {
    for (int i = from; i < to; i++) {
      if (tokens.areWords(i, "BEGIN", "ATOMIC")) {
        return true;
      }
    }
    return false;
  }
}
