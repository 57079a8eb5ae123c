package io.txwatch.sql.syntax;

import static io.txwatch.sql.syntax.TokenKind.BROKEN;
import static io.txwatch.sql.syntax.TokenKind.COMMENT;
import static io.txwatch.sql.syntax.TokenKind.EXECUTABLE_COMMENT;
import static io.txwatch.sql.syntax.TokenKind.NAMED_PARAMETER;
import static io.txwatch.sql.syntax.TokenKind.NUMBERED_PARAMETER;
import static io.txwatch.sql.syntax.TokenKind.OPERATOR;
import static io.txwatch.sql.syntax.TokenKind.PARAMETER;
import static io.txwatch.sql.syntax.TokenKind.QUOTED;
import static io.txwatch.sql.syntax.TokenKind.STRING;
import static io.txwatch.sql.syntax.TokenKind.VARIABLE;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.dialect.Grammar;
import io.txwatch.sql.dialect.Syntax;

/**
 * Cuts SQL into tokens, without loss and without ever failing: what makes no sense is a token of
 * kind {@link TokenKind#BROKEN}. One pass, linear, no allocation but the arrays of {@link Tokens}.
 *
 * <p>What a character means follows the DBMS's own lexer (PostgreSQL's {@code scan.l}, MySQL's
 * {@code sql_lex.cc}, H2's {@code Tokenizer}, SQLite's {@code tokenize.c}); what is a parameter
 * follows its JDBC driver ({@code ??} is an operator for pgjdbc alone).
 */
public final class Tokenizer {

  private final Grammar grammar;
  private final boolean backslashInStrings;
  private final String text;
  private final int length;
  private final Tokens out;

  private Tokenizer(String text, Grammar grammar, boolean backslashInStrings, Tokens out) {
    this.text = text;
    this.length = text.length();
    this.grammar = grammar;
    this.backslashInStrings = backslashInStrings;
    this.out = out;
  }

  /** The tokens of a text, under the DBMS's default settings. */
  public static Tokens tokenize(String text, Dialect dialect) {
    Tokens out = new Tokens();
    tokenize(text, dialect, out);
    return out;
  }

  /** The same into arrays that are used again. */
  public static void tokenize(String text, Dialect dialect, Tokens out) {
    tokenize(text, dialect.grammar(), out);
  }

  /** The tokens of a text by a grammar. */
  public static Tokens tokenize(String text, Grammar grammar) {
    Tokens out = new Tokens();
    tokenize(text, grammar, out);
    return out;
  }

  private static void tokenize(String text, Grammar grammar, Tokens out) {
    new Tokenizer(text, grammar, grammar.has(Syntax.BACKSLASH_ESCAPES), out).run();
  }

  /**
   * The tokens under the other meaning of the backslash in plain strings: MySQL's
   * NO_BACKSLASH_ESCAPES, PostgreSQL's {@code standard_conforming_strings = off}.
   */
  public static Tokens tokenizeOtherBackslash(String text, Dialect dialect) {
    Tokens out = new Tokens();
    Grammar grammar = dialect.grammar();
    new Tokenizer(text, grammar, !grammar.has(Syntax.BACKSLASH_ESCAPES), out).run();
    return out;
  }

  private void run() {
    out.reset(text);
    int i = 0;
    while (i < length) {
      i = token(i);
    }
    out.pairBrackets();
  }

  private int token(int i) {
    char c = text.charAt(i);
    if (isBlank(c)) {
      int end = i + 1;
      while (end < length && isBlank(text.charAt(end))) {
        end++;
      }
      return add(TokenKind.WHITESPACE, i, end);
    }
    if (isWordStart(c)) {
      return word(i, c);
    }
    if (isDigit(c) || (c == '.' && isDigit(at(i + 1)) && !afterName())) {
      return number(i);
    }
    return switch (c) {
      case '\'' -> quoted(i, i + 1, '\'', STRING, backslashInStrings);
      case '"' ->
          quoted(
              i,
              i + 1,
              '"',
              QUOTED,
              grammar.has(Syntax.DOUBLE_QUOTED_STRINGS) && backslashInStrings);
      case '`' ->
          grammar.has(Syntax.BACKTICK_NAMES)
              ? quoted(i, i + 1, '`', QUOTED, false)
              : add(OPERATOR, i, i + 1);
      case '[' ->
          grammar.has(Syntax.BRACKETED_NAMES) ? bracketed(i) : add(TokenKind.OPEN, i, i + 1);
      case '(', '{' -> add(TokenKind.OPEN, i, i + 1);
      case ')', ']', '}' -> add(TokenKind.CLOSE, i, i + 1);
      case ',' -> add(TokenKind.COMMA, i, i + 1);
      case '.' -> add(TokenKind.DOT, i, i + 1);
      case ';' -> add(TokenKind.SEMICOLON, i, i + 1);
      case '-' -> isLineComment(i) ? lineComment(i) : add(OPERATOR, i, i + 1);
      case '/' -> slash(i);
      case '#' -> grammar.has(Syntax.HASH_COMMENTS) ? lineComment(i) : add(OPERATOR, i, i + 1);
      case '?' -> questionMark(i);
      case ':' -> colon(i);
      case '@' -> at(i, c);
      case '$' -> dollar(i);
      case '+', '*', '<', '>', '=', '~', '!', '%', '^', '&', '|' -> add(OPERATOR, i, i + 1);
      default -> add(BROKEN, i, i + 1);
    };
  }

  private int word(int i, char c) {
    char next = at(i + 1);
    if (next == '\'') {
      boolean backslash = backslashInStrings;
      boolean prefix =
          switch (c) {
            case 'x', 'X' -> true;
            case 'n', 'N' -> grammar.has(Syntax.NATIONAL_STRINGS);
            case 'b', 'B' -> grammar.has(Syntax.BIT_STRINGS);
            case 'e', 'E' -> {
              backslash = true;
              yield grammar.has(Syntax.ESCAPE_STRINGS);
            }
            default -> false;
          };
      if (prefix) {
        return quoted(i, i + 2, '\'', STRING, backslash);
      }
    }
    int end = i + 1;
    while (end < length && isWordPart(text.charAt(end))) {
      end++;
    }
    return add(TokenKind.WORD, i, end);
  }

  private int number(int i) {
    int end = i;
    if (text.charAt(i) == '0' && (at(i + 1) | 32) == 'x') {
      end = i + 2;
    }
    boolean plainDigits = true;
    while (end < length) {
      char c = text.charAt(end);
      if ((c == '+' || c == '-')
          && (text.charAt(end - 1) | 32) == 'e'
          && end > i
          && at(i + 1) != 'x'
          && at(i + 1) != 'X'
          && isDigit(at(end + 1))
          && numberUpTo(i, end - 1)) {
        end++;
      } else if (c == '.' && plainDigits && at(end + 1) != '.') {
        plainDigits = false;
        end++;
      } else if (isDigit(c) || isWordPart(c)) {
        end++;
      } else {
        break;
      }
    }
    boolean word = grammar.has(Syntax.NAMES_FROM_DIGITS) && !isNumeric(i, end);
    return add(word ? TokenKind.WORD : TokenKind.NUMBER, i, end);
  }

  private boolean numberUpTo(int start, int end) {
    for (int k = start; k < end; k++) {
      char c = text.charAt(k);
      if (!isDigit(c) && c != '.') {
        return false;
      }
    }
    return true;
  }

  /** On MySQL {@code 2x} is an identifier. */
  private boolean isNumeric(int start, int end) {
    if (text.charAt(start) == '0' && end > start + 2 && (at(start + 1) | 32) == 'x') {
      return true;
    }
    for (int k = start; k < end; k++) {
      char c = text.charAt(k);
      if (!isDigit(c) && c != '.' && c != '+' && c != '-') {
        return (c | 32) == 'e' && k > start && (isDigit(at(k + 1)) || k + 2 < end);
      }
    }
    return true;
  }

  /** After a name a dot begins no number: {@code t.1a}. */
  private boolean afterName() {
    int last = out.allCount() - 1;
    if (last < 0) {
      return false;
    }
    TokenKind kind = out.kindOfAll(last);
    return kind == TokenKind.WORD || kind == QUOTED;
  }

  private int quoted(int start, int from, char quote, TokenKind kind, boolean backslash) {
    int i = from;
    while (i < length) {
      char c = text.charAt(i);
      if (c == '\\') {
        if (at(i + 1) == quote && settingDecides(start, quote)) {
          out.noteBackslashBeforeQuote();
        }
        i += backslash ? 2 : 1;
      } else if (c != quote) {
        i++;
      } else if (at(i + 1) == quote) {
        i += 2;
      } else {
        return add(kind, start, i + 1);
      }
    }
    return add(BROKEN, start, length);
  }

  private boolean settingDecides(int start, char quote) {
    if (grammar.has(Syntax.DOUBLE_QUOTED_STRINGS)) {
      return quote != '`';
    }
    char c = text.charAt(start);
    return grammar.has(Syntax.BACKSLASH_SETTING) && quote == '\'' && c != 'e' && c != 'E';
  }

  private int bracketed(int start) {
    int end = text.indexOf(']', start);
    return end < 0 ? add(BROKEN, start, length) : add(QUOTED, start, end + 1);
  }

  private boolean isLineComment(int i) {
    if (at(i + 1) != '-') {
      return false;
    }
    return !grammar.has(Syntax.SPACED_DASH_COMMENTS)
        || i + 2 >= length
        || text.charAt(i + 2) <= ' ';
  }

  private int lineComment(int start) {
    int end = start;
    while (end < length && text.charAt(end) != '\n' && !(endsAtReturn() && at(end) == '\r')) {
      end++;
    }
    return add(COMMENT, start, end);
  }

  private boolean endsAtReturn() {
    return grammar.has(Syntax.CARRIAGE_RETURN_ENDS_COMMENT);
  }

  private int slash(int i) {
    char next = at(i + 1);
    if (next == '/' && grammar.has(Syntax.SLASH_COMMENTS)) {
      return lineComment(i);
    }
    if (next != '*') {
      return add(OPERATOR, i, i + 1);
    }
    boolean nests = grammar.has(Syntax.NESTED_COMMENTS);
    int depth = 1;
    int end = i + 2;
    while (end < length && depth > 0) {
      char c = text.charAt(end);
      if (c == '*' && at(end + 1) == '/') {
        depth--;
        end += 2;
      } else if (nests && c == '/' && at(end + 1) == '*') {
        depth++;
        end += 2;
      } else {
        end++;
      }
    }
    if (depth > 0) {
      return add(grammar.has(Syntax.UNCLOSED_COMMENTS) ? COMMENT : BROKEN, i, length);
    }
    boolean executable =
        (grammar.has(Syntax.EXECUTABLE_COMMENTS) && at(i + 2) == '!')
            || (grammar.has(Syntax.EXECUTABLE_M_COMMENTS) && at(i + 2) == 'M' && at(i + 3) == '!');
    return add(executable ? EXECUTABLE_COMMENT : COMMENT, i, end);
  }

  private int questionMark(int i) {
    char next = at(i + 1);
    if (next == '?') {
      if (grammar.has(Syntax.ESCAPED_QUESTION_MARKS)) {
        return add(OPERATOR, i, i + 2);
      }
      if (grammar.has(Syntax.BRACKET_TRIGRAPHS) && (at(i + 2) == '(' || at(i + 2) == ')')) {
        return add(OPERATOR, i, i + 3);
      }
    }
    if (isDigit(next) && grammar.has(Syntax.NUMBERED_QUESTION_MARKS)) {
      return add(NUMBERED_PARAMETER, i, digitsEnd(i + 1));
    }
    return add(PARAMETER, i, i + 1);
  }

  private int colon(int i) {
    char next = at(i + 1);
    if (next == ':' || next == '=') {
      return add(OPERATOR, i, i + 2);
    }
    if (grammar.has(Syntax.NAMED_PARAMETERS) && isWordPart(next)) {
      return add(NAMED_PARAMETER, i, wordEnd(i + 1));
    }
    return add(OPERATOR, i, i + 1);
  }

  private int at(int i, char c) {
    if (grammar.has(Syntax.QUOTED_VARIABLES)) {
      int from = at(i + 1) == c ? i + 2 : i + 1;
      char next = at(from);
      if (next == '`' || next == '\'' || next == '"') {
        return quoted(i, from + 1, next, VARIABLE, next != '`' && backslashInStrings);
      }
      int end = from;
      while (end < length && (isWordPart(text.charAt(end)) || text.charAt(end) == '.')) {
        end++;
      }
      return add(VARIABLE, i, end);
    }
    if (isWordPart(at(i + 1)) && grammar.has(Syntax.NAMED_PARAMETERS)) {
      return add(NAMED_PARAMETER, i, wordEnd(i + 1));
    }
    if (isWordPart(at(i + 1)) && grammar.has(Syntax.VARIABLES)) {
      return add(VARIABLE, i, wordEnd(i + 1));
    }
    return add(OPERATOR, i, i + 1);
  }

  private int dollar(int i) {
    char next = at(i + 1);
    if (grammar.has(Syntax.DOLLAR_NUMBERS)) {
      if (isDigit(next)) {
        return add(NUMBERED_PARAMETER, i, digitsEnd(i + 1));
      }
      int tagEnd = i + 1;
      if (grammar.has(Syntax.DOLLAR_TAGS) && isWordStart(next)) {
        while (tagEnd < length && isWordPart(at(tagEnd)) && at(tagEnd) != '$') {
          tagEnd++;
        }
      }
      if (at(tagEnd) == '$') {
        String tag = text.substring(i, tagEnd + 1);
        int close = text.indexOf(tag, tagEnd + 1);
        return close < 0 ? add(BROKEN, i, length) : add(STRING, i, close + tag.length());
      }
    }
    if (grammar.has(Syntax.NAMED_PARAMETERS) && isWordPart(next)) {
      return add(NAMED_PARAMETER, i, wordEnd(i + 1));
    }
    return add(BROKEN, i, i + 1);
  }

  private int digitsEnd(int from) {
    int end = from;
    while (end < length && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private int wordEnd(int from) {
    int end = from;
    while (end < length && isWordPart(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private int add(TokenKind kind, int start, int end) {
    int bounded = Math.min(end, length);
    out.add(kind, start, bounded);
    return bounded;
  }

  private char at(int i) {
    return i >= 0 && i < length ? text.charAt(i) : '\0';
  }

  private boolean isBlank(char c) {
    return c <= ' ' || (grammar.has(Syntax.UNICODE_SPACES) && c >= 128 && Character.isSpaceChar(c));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private boolean isWordStart(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '_'
        || (grammar.has(Syntax.NAMES_FROM_DIGITS) && c == '$')
        || (c >= 128 && !isBlank(c));
  }

  private boolean isWordPart(char c) {
    return isWordStart(c) || isDigit(c) || c == '$';
  }
}
