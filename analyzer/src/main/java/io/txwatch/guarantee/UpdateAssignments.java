package io.txwatch.guarantee;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The assignments of an UPDATE: which columns it computes from the row, and which it overwrites
 * with other values.
 *
 * <p>It works on tokens, without a grammar. If it finds anything uncertain (a CASE, a COALESCE, a
 * subquery, a row of values that it cannot pair, an executable comment), the whole statement counts
 * as not understood.
 *
 * @param computed columns computed from themselves: {@code bal} in {@code SET bal = bal - ?}
 * @param overwritten columns with new values from elsewhere
 * @param checksComputed whether the WHERE clause names one of the computed columns
 */
record UpdateAssignments(Set<String> computed, Set<String> overwritten, boolean checksComputed) {

  /** Words that make uncertain whether a column in an expression determines the new value. */
  private static final Set<String> UNSUPPORTED =
      Set.of(
          "case",
          "coalesce",
          "decode",
          "if",
          "ifnull",
          "iif",
          "isnull",
          "nullif",
          "nvl",
          "select",
          "values",
          "excluded",
          "with");

  /** Expressions that depend neither on a row nor on anything that was read. */
  private static final Set<String> ROW_INDEPENDENT =
      Set.of(
          "clock_timestamp",
          "current_date",
          "current_time",
          "current_timestamp",
          "default",
          "getdate",
          "localtime",
          "localtimestamp",
          "now",
          "statement_timestamp",
          "sysdate",
          "systimestamp",
          "transaction_timestamp",
          "utc_timestamp");

  private static final Set<String> ENDS_ASSIGNMENTS =
      Set.of("where", "from", "returning", "order", "limit", "output");

  private static final Set<String> ENDS_WHERE = Set.of("returning", "order", "limit");

  /** Words between UPDATE and SET that are not names. */
  private static final Set<String> NO_NAMES =
      Set.of("low_priority", "ignore", "only", "or", "rollback", "abort", "replace", "fail", "as");

  /** Preserves the order of the columns. */
  UpdateAssignments {
    computed = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(computed));
    overwritten = java.util.Collections.unmodifiableSet(new LinkedHashSet<>(overwritten));
  }

  /**
   * The assignments of a statement; empty if it is not an UPDATE or is not understood.
   *
   * @param backslashes whether a backslash escapes in strings, and double quotes enclose strings:
   *     MySQL and MariaDB
   */
  static Optional<UpdateAssignments> of(String sql, boolean backslashes) {
    Optional<List<Token>> tokens = new Scanner(sql, backslashes).tokens();
    return tokens.flatMap(UpdateAssignments::read);
  }

  /**
   * A token.
   *
   * @param text for a name, its lookup form, or close enough to compare names within one statement;
   *     otherwise the text itself
   * @param isWord whether it is a name or a keyword
   * @param isQuoted whether it is a quoted name
   */
  private record Token(String text, boolean isWord, boolean isQuoted) {

    boolean is(String other) {
      return !isQuoted && text.equals(other);
    }

    boolean isIn(Set<String> words) {
      return isWord && !isQuoted && words.contains(text);
    }
  }

  private static Optional<UpdateAssignments> read(List<Token> tokens) {
    if (tokens.isEmpty() || !tokens.get(0).is("update")) {
      return Optional.empty();
    }
    int set = find(tokens, 1, Set.of("set"));
    if (set == tokens.size()) {
      return Optional.empty();
    }
    Set<String> names = names(tokens.subList(1, set));
    int end = find(tokens, set + 1, ENDS_ASSIGNMENTS);
    Set<String> computed = new LinkedHashSet<>();
    Set<String> overwritten = new LinkedHashSet<>();
    for (List<Token> assignment : parts(tokens.subList(set + 1, end))) {
      if (!assign(assignment, names, computed, overwritten)) {
        return Optional.empty();
      }
    }
    overwritten.removeAll(computed);
    int where = find(tokens, end, Set.of("where"));
    int whereEnds = find(tokens, Math.min(where + 1, tokens.size()), ENDS_WHERE);
    boolean checks = false;
    for (String column : computed) {
      checks |= where < tokens.size() && names(column, tokens.subList(where, whereEnds), names);
    }
    return Optional.of(new UpdateAssignments(computed, overwritten, checks));
  }

  /** The index of the first of some words outside parentheses; the end if there is none. */
  private static int find(List<Token> tokens, int from, Set<String> words) {
    int depth = 0;
    for (int i = from; i < tokens.size(); i++) {
      depth += depthOf(tokens.get(i));
      if (depth == 0 && tokens.get(i).isIn(words)) {
        return i;
      }
    }
    return tokens.size();
  }

  private static int depthOf(Token token) {
    return token.is("(") ? 1 : token.is(")") ? -1 : 0;
  }

  /** The table's name and alias; for a join, those of the first table. */
  private static Set<String> names(List<Token> tables) {
    Set<String> names = new LinkedHashSet<>();
    for (int i = 0; i < tables.size(); i++) {
      Token token = tables.get(i);
      boolean qualifies = i + 1 < tables.size() && tables.get(i + 1).is(".");
      if (token.is(",") || token.isIn(Set.of("join", "inner", "left", "right", "cross"))) {
        break;
      } else if (token.isWord() && !qualifies && !token.isIn(NO_NAMES)) {
        names.add(token.text());
      }
    }
    return names;
  }

  private static List<List<Token>> parts(List<Token> tokens) {
    List<List<Token>> parts = new ArrayList<>();
    int depth = 0;
    int from = 0;
    for (int i = 0; i < tokens.size(); i++) {
      depth += depthOf(tokens.get(i));
      if (depth == 0 && tokens.get(i).is(",")) {
        parts.add(tokens.subList(from, i));
        from = i + 1;
      }
    }
    parts.add(tokens.subList(from, tokens.size()));
    return parts;
  }

  /** Adds an assignment; false if it is not understood. */
  private static boolean assign(
      List<Token> assignment, Set<String> names, Set<String> computed, Set<String> overwritten) {
    int equals = 0;
    while (equals < assignment.size() && !assignment.get(equals).is("=")) {
      equals++;
    }
    if (equals == 0 || equals >= assignment.size() - 1) {
      return false;
    }
    List<Token> target = assignment.subList(0, equals);
    List<Token> value = assignment.subList(equals + 1, assignment.size());
    if (target.get(target.size() - 1).is(":")) { // MySQL's :=
      target = target.subList(0, target.size() - 1);
    }
    if (target.get(0).is("(")) {
      return assignRow(target, value, names, computed, overwritten);
    }
    Token column = target.get(target.size() - 1);
    if (!column.isWord() || target.size() % 2 == 0) {
      return false;
    }
    return assign(column.text(), value, own(target, names), computed, overwritten);
  }

  /** The names of the written table, including the qualifier of the assigned column. */
  private static Set<String> own(List<Token> target, Set<String> names) {
    if (target.size() == 1) {
      return names;
    }
    return Set.of(target.get(target.size() - 3).text()); // of a join it may be the second table
  }

  /** {@code (a, b) = (a + 1, ?)}. */
  private static boolean assignRow(
      List<Token> target,
      List<Token> value,
      Set<String> names,
      Set<String> computed,
      Set<String> overwritten) {
    List<Token> row =
        !value.isEmpty() && value.get(0).is("row") ? value.subList(1, value.size()) : value;
    if (!isEnclosed(target) || !isEnclosed(row)) {
      return false;
    }
    List<List<Token>> columns = parts(target.subList(1, target.size() - 1));
    List<List<Token>> values = parts(row.subList(1, row.size() - 1));
    if (columns.size() != values.size()) {
      return false;
    }
    for (int i = 0; i < columns.size(); i++) {
      if (columns.get(i).size() != 1
          || !assign(columns.get(i).get(0).text(), values.get(i), names, computed, overwritten)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isEnclosed(List<Token> tokens) {
    int depth = 0;
    for (int i = 0; i < tokens.size(); i++) {
      depth += depthOf(tokens.get(i));
      if (depth == 0) {
        return i > 0 && i == tokens.size() - 1;
      }
    }
    return false;
  }

  private static boolean assign(
      String column,
      List<Token> value,
      Set<String> names,
      Set<String> computed,
      Set<String> overwritten) {
    if (value.isEmpty() || value.stream().anyMatch(token -> token.isIn(UNSUPPORTED))) {
      return false;
    }
    if (names(column, value, names)) {
      boolean isColumnItself = value.stream().allMatch(token -> token.isWord() || token.is("."));
      if (!isColumnItself) { // SET x = x changes nothing
        computed.add(column);
      }
    } else if (!isRowIndependent(value)) {
      overwritten.add(column);
    }
    return true;
  }

  private static boolean isRowIndependent(List<Token> value) {
    List<Token> words = value.stream().filter(Token::isWord).toList();
    return !words.isEmpty() && words.stream().allMatch(token -> token.isIn(ROW_INDEPENDENT));
  }

  /** Whether a column of the table is named, with or without the table's name. */
  private static boolean names(String column, List<Token> tokens, Set<String> names) {
    for (int i = 0; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      boolean qualifies = i + 1 < tokens.size() && tokens.get(i + 1).is(".");
      boolean called = i + 1 < tokens.size() && tokens.get(i + 1).is("(");
      boolean qualified = i > 0 && tokens.get(i - 1).is(".");
      if (token.isWord()
          && token.text().equals(column)
          && !qualifies
          && !called
          && (!qualified || i > 1 && names.contains(tokens.get(i - 2).text()))) {
        return true;
      }
    }
    return false;
  }

  /**
   * Splits a statement into tokens. Comments and white space are skipped; a literal is one token.
   */
  private static final class Scanner {
    private final String sql;
    private final boolean backslashes;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    Scanner(String sql, boolean backslashes) {
      this.sql = sql;
      this.backslashes = backslashes;
    }

    /** The tokens of the first statement; empty if it is not understood. */
    Optional<List<Token>> tokens() {
      while (at < sql.length() && sql.charAt(at) != ';') {
        if (!skipOrScan(sql.charAt(at))) {
          return Optional.empty();
        }
      }
      return Optional.of(tokens);
    }

    /** Skips white space or a comment, or adds a token; false if it is not understood. */
    private boolean skipOrScan(char c) {
      if (Character.isWhitespace(c)) {
        at++;
        return true;
      }
      if (sql.startsWith("--", at) || backslashes && c == '#') {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end + 1;
        return true;
      }
      if (sql.startsWith("/*", at)) {
        boolean isExecutable = sql.startsWith("/*!", at) || sql.startsWith("/*M!", at);
        return !isExecutable && skipComment();
      }
      return scan(c);
    }

    private boolean skipComment() {
      int depth = 0;
      do {
        if (sql.startsWith("/*", at)) {
          depth++;
          at += 2;
        } else if (sql.startsWith("*/", at)) {
          depth--;
          at += 2;
        } else if (++at >= sql.length()) {
          return false;
        }
      } while (depth > 0 && (!backslashes || !sql.startsWith("*/", at - 2)));
      return true;
    }

    private boolean scan(char c) {
      if (c == '\'' || c == '"' && backslashes) {
        return string(c);
      }
      if (c == '"' || c == '`') {
        return quotedName(c);
      }
      if (c == '[' && at > 0 && !isPartOfName(sql.charAt(at - 1))) {
        return quotedName(']'); // [name]; right after a name it is a subscript
      }
      if (c == '$' && !backslashes) {
        return dollar();
      }
      if (Character.isUnicodeIdentifierStart(c) || c == '_') {
        word();
      } else if (Character.isDigit(c)) {
        number();
      } else if (c == ':' && at + 1 < sql.length() && Character.isLetter(sql.charAt(at + 1))) {
        namedParameter();
      } else {
        tokens.add(new Token(String.valueOf(c), false, false));
        at++;
      }
      return true;
    }

    private void word() {
      int from = at;
      while (at < sql.length()
          && (Character.isUnicodeIdentifierPart(sql.charAt(at)) || sql.charAt(at) == '$')) {
        at++;
      }
      tokens.add(new Token(sql.substring(from, at).toLowerCase(Locale.ROOT), true, false));
    }

    private void number() {
      while (at < sql.length()
          && (Character.isLetterOrDigit(sql.charAt(at)) || sql.charAt(at) == '.')) {
        at++;
      }
      tokens.add(new Token("0", false, false));
    }

    /** {@code :name}; the type in {@code x::type} is no column either. */
    private void namedParameter() {
      at++;
      while (at < sql.length() && Character.isUnicodeIdentifierPart(sql.charAt(at))) {
        at++;
      }
      tokens.add(new Token("?", false, false));
    }

    private static boolean isPartOfName(char c) {
      return Character.isUnicodeIdentifierPart(c) || c == '"' || c == ')' || c == ']';
    }

    /** Whether the string that begins here is E'…', whose E was already read as a token. */
    private boolean followsE() {
      boolean follows =
          at > 0
              && (sql.charAt(at - 1) == 'e' || sql.charAt(at - 1) == 'E')
              && tokens.get(tokens.size() - 1).is("e");
      if (follows) {
        tokens.remove(tokens.size() - 1);
      }
      return follows;
    }

    private boolean string(char quote) {
      boolean escapes = backslashes || followsE();
      if (enclosed(quote, escapes) == null) {
        return false;
      }
      tokens.add(new Token("?", false, false));
      return true;
    }

    private boolean quotedName(char quote) {
      String name = enclosed(quote, false);
      if (name == null) {
        return false;
      }
      tokens.add(new Token(name.toLowerCase(Locale.ROOT), true, true));
      return true;
    }

    /** Reads a text up to its closing quote; null if there is none. */
    private @Nullable String enclosed(char quote, boolean escapes) {
      StringBuilder text = new StringBuilder();
      for (int i = at + 1; i < sql.length(); i++) {
        char c = sql.charAt(i);
        if (escapes && c == '\\') {
          i++;
        } else if (c == quote && i + 1 < sql.length() && sql.charAt(i + 1) == quote) {
          text.append(c);
          i++;
        } else if (c == quote) {
          at = i + 1;
          return text.toString();
        } else {
          text.append(c);
        }
      }
      return null;
    }

    /** {@code $1}, or {@code $tag$…$tag$}. */
    private boolean dollar() {
      int end = at + 1;
      while (end < sql.length() && Character.isLetterOrDigit(sql.charAt(end))) {
        end++;
      }
      if (end < sql.length() && sql.charAt(end) == '$') {
        String tag = sql.substring(at, end + 1);
        int close = sql.indexOf(tag, end + 1);
        if (close < 0) {
          return false;
        }
        end = close + tag.length();
      }
      tokens.add(new Token("?", false, false));
      at = end;
      return true;
    }
  }
}
