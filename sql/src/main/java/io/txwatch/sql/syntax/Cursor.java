package io.txwatch.sql.syntax;

import io.txwatch.sql.dialect.Grammar;
import io.txwatch.sql.dialect.Syntax;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The position of a parser in a stretch of tokens, and the words of the grammar that more than one
 * of its parts uses.
 */
final class Cursor {

  /** Deeper nesting is not read: a statement must not exhaust the stack. */
  private static final int MAX_DEPTH = 60;

  final Tokens tokens;
  private final Grammar grammar;

  /** The next token. */
  int at;

  /** The token after the stretch. */
  int to;

  private int depth;

  /** The names of the common tables in scope, folded. */
  private final List<String> commonTables = new ArrayList<>();

  Cursor(Tokens tokens, Grammar grammar, int from, int to) {
    this.tokens = tokens;
    this.grammar = grammar;
    this.at = from;
    this.to = to;
  }

  /** A position to return to. */
  record Mark(int at, int to, int depth, int scope) {}

  Mark mark() {
    return new Mark(at, to, depth, commonTables.size());
  }

  void reset(Mark mark) {
    at = mark.at;
    to = mark.to;
    depth = mark.depth;
    endScope(mark.scope);
  }

  /** How many common tables are in scope. */
  int scope() {
    return commonTables.size();
  }

  /** Only so many common tables are in scope now. */
  void endScope(int scope) {
    commonTables.subList(scope, commonTables.size()).clear();
  }

  /** A common table is in scope. */
  void declare(String name) {
    commonTables.add(Identifiers.fold(name));
  }

  boolean isCommonTable(String name) {
    return !commonTables.isEmpty() && commonTables.contains(Identifiers.fold(name));
  }

  boolean has(Syntax one) {
    return grammar.has(one);
  }

  boolean atEnd() {
    return at >= to;
  }

  boolean is(TokenKind kind) {
    return at < to && tokens.is(at, kind);
  }

  boolean isOpen() {
    return at < to && tokens.isOpen(at);
  }

  boolean isOperator(char operator) {
    return at < to && tokens.isOperator(at, operator);
  }

  boolean isName() {
    return at < to && tokens.isName(at);
  }

  boolean isWord(String word) {
    return at < to && tokens.isWord(at, word);
  }

  boolean isAnyWord(String... words) {
    return at < to && tokens.isAnyWord(at, words);
  }

  boolean areWords(String... words) {
    return at + words.length <= to && tokens.areWords(at, words);
  }

  /** Moves past these words if all of them are there. */
  boolean take(String... words) {
    boolean there = areWords(words);
    if (there) {
      at += words.length;
    }
    return there;
  }

  /** Moves past one of these words. */
  boolean takeAny(String... words) {
    boolean there = isAnyWord(words);
    if (there) {
      at++;
    }
    return there;
  }

  boolean take(TokenKind kind) {
    boolean there = is(kind);
    if (there) {
      at++;
    }
    return there;
  }

  /** Moves past a word. */
  void expect(String word) {
    if (!take(word)) {
      throw SyntaxException.unknown(word + " expected");
    }
  }

  /** Moves past a name, and returns it as it stands. */
  String name(String what) {
    if (!isName()) {
      throw SyntaxException.unknown(what + " expected");
    }
    return tokens.text(at++);
  }

  /** Moves past a pair of brackets and all that stands between them. */
  void skipBrackets(String what) {
    if (!is(TokenKind.OPEN)) {
      throw SyntaxException.unknown(what + " expected");
    }
    at = tokens.partner(at) + 1;
  }

  /** The stretch from a token to where the cursor is. */
  Span since(int from) {
    return new Span(from, at);
  }

  /**
   * Parses what stands between the bracket at the cursor and its partner, and moves behind it.
   *
   * @throws SyntaxException if something is left before the closing bracket
   */
  <T> T within(Supplier<T> content) {
    int close = tokens.partner(at);
    int outer = to;
    at++;
    to = close;
    enter();
    try {
      T parsed = content.get();
      if (at < to) {
        throw SyntaxException.unknown("an unexpected token in parentheses");
      }
      at = close + 1;
      return parsed;
    } finally {
      depth--;
      to = outer;
    }
  }

  /** Counts one more level of nesting. */
  void enter() {
    if (++depth > MAX_DEPTH) {
      depth--;
      throw SyntaxException.unknown("nested too deeply").asFinal();
    }
  }

  void leave() {
    depth--;
  }

  /** True if a query begins at a token, maybe behind parentheses. */
  boolean startsQuery(int from, int end) {
    int i = from;
    while (i < end && tokens.isOpen(i)) {
      i++;
    }
    return i < end
        && (tokens.isAnyWord(i, "SELECT", "WITH")
            || (tokens.isWord(i, "TABLE") && tokens.isName(i + 1) && hasTableQuery()));
  }

  /** True if the DBMS has {@code TABLE t} as a query. */
  boolean hasTableQuery() {
    return has(Syntax.TABLE_QUERY);
  }

  /** True if a set operator stands at a token. */
  boolean isSetOperator(int i) {
    return i < to
        && tokens.isAnyWord(i, "UNION", "INTERSECT", "EXCEPT", "MINUS")
        && !(tokens.isOperator(i - 1, '*')
            && tokens.isWord(i, "EXCEPT")
            && tokens.isOpen(i + 1)
            && !startsQuery(i + 1, to));
  }

  /** True if the DBMS returns the rows of a write, and that clause begins at a token. */
  boolean isReturning(int i) {
    return i < to && tokens.isWord(i, "RETURNING") && has(Syntax.RETURNING);
  }

  /** True if ON begins what an INSERT does with rows that exist already. */
  boolean isOnConflict(int i) {
    return i < to
        && (tokens.areWords(i, "ON", "CONFLICT") || tokens.areWords(i, "ON", "DUPLICATE", "KEY"));
  }

  /** True if a clause of a SELECT begins at a token. */
  boolean isClause(int i) {
    if (i >= to || !tokens.is(i, TokenKind.WORD)) {
      return false;
    }
    if (tokens.isWord(i, "FROM")) {
      return !(tokens.isWord(i - 1, "DISTINCT")
          && (tokens.isWord(i - 2, "IS") || tokens.areWords(i - 3, "IS", "NOT")));
    }
    if (tokens.isAnyWord(i, "WHERE", "HAVING", "INTO", "LIMIT")) {
      return true;
    }
    if (tokens.isAnyWord(i, "GROUP", "ORDER")) {
      return tokens.isWord(i + 1, "BY");
    }
    if (tokens.isWord(i, "FOR")) {
      return tokens.isAnyWord(i + 1, "UPDATE", "SHARE", "NO", "KEY", "READ", "FETCH");
    }
    if (tokens.isWord(i, "LOCK")) {
      return tokens.areWords(i + 1, "IN", "SHARE", "MODE");
    }
    if (tokens.isWord(i, "OFFSET")) {
      return has(Syntax.OFFSET_CLAUSE) || isRowOffset(i);
    }
    if (tokens.isWord(i, "FETCH")) {
      return tokens.isAnyWord(i + 1, "FIRST", "NEXT");
    }
    if (tokens.isWord(i, "WINDOW")) {
      return tokens.isName(i + 1) && tokens.isWord(i + 2, "AS");
    }
    return has(Syntax.QUALIFY) && tokens.isWord(i, "QUALIFY");
  }

  /** MariaDB: {@code OFFSET 2 ROWS}. Without ROWS it is only a part of LIMIT there. */
  private boolean isRowOffset(int i) {
    return has(Syntax.OFFSET_ROWS_CLAUSE) && tokens.isAnyWord(i + 2, "ROW", "ROWS");
  }

  /** True if something ends here that a list of items or a condition is part of. */
  boolean isBoundary(int i) {
    return i >= to
        || (isWordOfText(i)
            && (isClause(i)
                || isSetOperator(i)
                || isReturning(i)
                || isOnConflict(i)
                || tokens.isAnyWord(i, "SET", "WHEN")
                || (tokens.isWord(i, "USING") && tokens.isOpen(i + 1))));
  }

  /** True for a word that is neither the last part of a name nor an alias behind AS. */
  private boolean isWordOfText(int i) {
    return tokens.is(i, TokenKind.WORD)
        && !tokens.is(i - 1, TokenKind.DOT)
        && !tokens.isWord(i - 1, "AS");
  }
}
