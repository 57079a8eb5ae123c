package io.txwatch.sql;

import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;

/**
 * The statement as the parser gets it: comments left out, literals of every spelling made plain,
 * and the few words of a dialect left out that JSqlParser does not know and that decide nothing
 * about kind and tables (LOCK IN SHARE MODE, INDEXED BY, PARTITION, OR IGNORE, JDBC's braces).
 */
final class ParserText {

  private final Tokens tokens;
  private final Dialect dialect;
  private final StatementShape shape;
  private final StringBuilder out = new StringBuilder();
  private final int laterRows;

  private ParserText(Tokens tokens, Dialect dialect, StatementShape shape) {
    this.tokens = tokens;
    this.dialect = dialect;
    this.shape = shape;
    this.laterRows = laterRows(tokens, shape);
  }

  /**
   * The comma behind the first row of a long VALUES: the parser is spared the others, unless a
   * subquery stands in them.
   */
  private static int laterRows(Tokens tokens, StatementShape shape) {
    if (shape.rows.size() < 2
        || shape.blocks.stream().anyMatch(b -> b.select > shape.rows.get(1))) {
      return -1;
    }
    return tokens.partner(shape.rows.get(0)) + 1;
  }

  static String of(Tokens tokens, Dialect dialect, StatementShape shape) {
    return new ParserText(tokens, dialect, shape).build();
  }

  private String build() {
    for (int i = shape.from; i < shape.to; ) {
      if (i == shape.verb + 1 && !shape.deletesFrom.isEmpty()) {
        // DELETE FROM a, b USING … is not known; which of the sources are named does not matter.
        out.append(" x from");
        i = shape.sourcesAt + 1;
      }
      int skipped = skip(i);
      if (skipped > i) {
        out.append(' ');
        i = skipped;
        continue;
      }
      boolean apart = i > shape.from && tokens.start(i) > tokens.end(i - 1);
      boolean grown = i > shape.from && tokens.is(i - 1, TokenKind.NUMBER); // 1and 2
      if (apart || (grown && tokens.is(i, TokenKind.WORD))) {
        out.append(' ');
      }
      i = emit(i);
    }
    return out.toString();
  }

  /** The token after something that is hidden from the parser; {@code i} itself if it is not. */
  private int skip(int i) {
    if (tokens.areWords(i, "LOCK", "IN", "SHARE", "MODE")) {
      return tokens.isAnyWord(i + 4, "NOWAIT") ? i + 5 : i + 4;
    }
    if (dialect == Dialect.MARIADB && tokens.areWords(i, "ROWS", "EXAMINED")) {
      return tokens.isWord(i - 1, "LIMIT") ? i + 2 : i + 3;
    }
    if (isSign(i)) {
      return i + 1;
    }
    if (tokens.areWords(i, "INDEXED", "BY") && dialect == Dialect.SQLITE) {
      return i + 3;
    }
    if (tokens.areWords(i, "NOT", "INDEXED") && dialect == Dialect.SQLITE) {
      return i + 2;
    }
    if (i == shape.verb + 1 && tokens.isWord(i, "OR") && dialect == Dialect.SQLITE) {
      return i + 2;
    }
    if (i == shape.verb + 1 && tokens.isAnyWord(i, "ONLY", "LOW_PRIORITY", "QUICK")) {
      return i + 1;
    }
    if (tokens.isWord(i, "ONLY") && tokens.areWords(i - 2, "DELETE", "FROM")) {
      return i + 1;
    }
    boolean merges = shape.kind == StatementKind.MERGE;
    if (i == shape.returning && (merges || shape.kind == StatementKind.REPLACE)) {
      return shape.to;
    }
    if (merges && tokens.isWord(i, "BY") && tokens.isAnyWord(i + 1, "SOURCE", "TARGET")) {
      return i + 2;
    }
    if (i == shape.limit && tokens.isWord(i, "FETCH")) {
      return shape.to; // of an UPDATE or DELETE
    }
    if (isMySql()
        && tokens.isWord(i, "PARTITION")
        && tokens.isOpen(i + 1)
        && tokens.isName(i - 1)) {
      return tokens.partner(i + 1) + 1;
    }
    if (tokens.is(i, TokenKind.OPEN) && tokens.charAt(i) == '{') {
      return tokens.isAnyWord(i + 1, "FN", "TS", "D", "T") ? i + 2 : i;
    }
    if (tokens.is(i, TokenKind.CLOSE) && tokens.charAt(i) == '}') {
      return i + 1;
    }
    if (i == laterRows) {
      return tokens.partner(shape.rows.get(shape.rows.size() - 1)) + 1;
    }
    SelectBlock top = shape.top();
    if (top != null && top.into == i) {
      int end = i + 1;
      while (end < shape.to && !tokens.isWord(end, "FROM")) {
        end++;
      }
      return end;
    }
    if (i == shape.columns && tokens.partner(i) == i + 1) {
      return i + 2;
    }
    return i;
  }

  /** A plus or minus before an operand: it changes neither kind nor tables. */
  private boolean isSign(int i) {
    boolean sign = tokens.isOperator(i, '-') || tokens.isOperator(i, '+');
    boolean comparison =
        tokens.is(i - 1, TokenKind.OPERATOR) && "=<>+-*/".indexOf(tokens.charAt(i - 1)) >= 0;
    boolean operand = tokens.is(i + 1, TokenKind.NUMBER) || tokens.isOperator(i + 1, '-');
    return sign && comparison && operand;
  }

  private int emit(int i) {
    switch (tokens.kind(i)) {
      case STRING -> out.append("'x'");
      case QUOTED -> out.append(identifier(tokens.text(i)));
      case NUMBERED_PARAMETER, NAMED_PARAMETER -> out.append('?');
      case OPERATOR -> {
        if (tokens.text(i).equals("??")) {
          out.append('=');
          boolean combined = tokens.isOperator(i + 1, '|') || tokens.isOperator(i + 1, '&');
          return combined && tokens.start(i + 1) == tokens.end(i) ? i + 2 : i + 1;
        }
        boolean jsonPath = tokens.isOperator(i, '@') && tokens.is(i + 1, TokenKind.OPERATOR);
        if (jsonPath && tokens.text(i + 1).equals("??")) {
          return i + 1;
        }
        out.append(operator(i));
      }
      case OPEN -> {
        out.append(tokens.text(i));
        if (shape.rows.contains(i) && tokens.partner(i) == i + 1) {
          out.append('1');
        }
      }
      default -> {
        out.append(shape.tableQueries.contains(i) ? "select * from" : word(i));
        if (fetchesOne(i)) {
          out.append(" 1");
        }
      }
    }
    return i + 1;
  }

  private boolean isMySql() {
    return dialect == Dialect.MYSQL || dialect == Dialect.MARIADB;
  }

  /** An operator in a spelling that the parser knows, whatever it does to its operands. */
  private String operator(int i) {
    String text = tokens.text(i);
    if (isMySql() && text.equals("||")) {
      return " or ";
    }
    return dialect == Dialect.SQLITE && text.equals("==") ? "=" : text;
  }

  /** A word, or one that the parser knows in its place. */
  private String word(int i) {
    if (shape.kind == StatementKind.MERGE) {
      if (tokens.areWords(i, "DO", "NOTHING")) {
        return "delete";
      }
      if (tokens.areWords(i, "DEFAULT", "VALUES")) {
        return "values";
      }
      if (tokens.areWords(i - 1, "DO", "NOTHING")) {
        return "";
      }
      if (tokens.areWords(i - 1, "DEFAULT", "VALUES")) {
        return "(1)";
      }
    }
    boolean name = tokens.is(i - 1, TokenKind.DOT) || tokens.isWord(i - 1, "AS");
    if (name) {
      return tokens.isWord(i, "MINUS") ? "x" : tokens.text(i);
    }
    if (isMySql() && tokens.isAnyWord(i, "DIV", "MOD") && !tokens.isOpen(i + 1)) {
      return "/";
    }
    if (dialect == Dialect.SQLITE) {
      if (tokens.isWord(i, "GLOB")) {
        return "LIKE";
      }
      int operand = tokens.isWord(i + 1, "NOT") ? i + 2 : i + 1; // "= NOT x" is an expression, too
      if (tokens.isWord(i, "IS")
          && (tokens.is(operand, TokenKind.STRING) || tokens.is(operand, TokenKind.NUMBER))) {
        return "=";
      }
    }
    return tokens.text(i);
  }

  /** FETCH FIRST ROW ONLY, which is FETCH FIRST 1 ROW ONLY. */
  private boolean fetchesOne(int i) {
    return i > shape.from
        && tokens.isAnyWord(i, "FIRST", "NEXT")
        && tokens.isWord(i - 1, "FETCH")
        && tokens.isAnyWord(i + 1, "ROW", "ROWS");
  }

  private static String identifier(String text) {
    return text.startsWith("[") && text.indexOf('"') < 0
        ? '"' + text.substring(1, text.length() - 1) + '"'
        : text;
  }
}
