package io.txwatch.sql;

import java.util.ArrayList;
import java.util.List;

/** Several statements in one string (hazard 35): cut at the semicolons that are tokens. */
final class StatementSplitter {

  private StatementSplitter() {}

  /**
   * The stretches of significant tokens that are statements, empty ones left out; the semicolons
   * belong to none. In SQLite's CREATE TRIGGER and in compound statements (BEGIN … END of stored
   * programs) semicolons do not separate: a text that starts such a one is one statement.
   */
  static List<Range> split(Tokens tokens) {
    List<Range> statements = new ArrayList<>();
    int from = 0;
    int count = tokens.count();
    for (int i = 0; i <= count; i++) {
      if (i == count || tokens.is(i, TokenKind.SEMICOLON)) {
        if (i > from) {
          if (isStoredProgram(tokens, from, i)) {
            statements.add(new Range(from, count));
            return statements;
          }
          statements.add(new Range(from, i));
        }
        from = i + 1;
      }
    }
    return statements;
  }

  private static boolean isStoredProgram(Tokens tokens, int from, int to) {
    if (!tokens.isAnyWord(from, "CREATE", "ALTER")) {
      return tokens.isWord(from, "DELIMITER");
    }
    for (int i = from + 1; i < Math.min(to, from + 8); i++) {
      if (tokens.isAnyWord(i, "TRIGGER", "PROCEDURE", "FUNCTION", "EVENT", "PACKAGE")) {
        return true;
      }
    }
    return false;
  }

  /**
   * A stretch of significant tokens.
   *
   * @param from the first
   * @param to the one after the last
   */
  record Range(int from, int to) {}
}
