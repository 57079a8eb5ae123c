package io.txwatch.sql.syntax;

import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalLong;

/** The literals whose value is known from their text alone, in every DBMS and session. */
public final class Literals {

  /** What the text of a literal shows of its value. */
  public enum Kind {
    /** An integer of few enough digits, without a sign. */
    INTEGER,
    /** Digits with a point between them and no more, without a sign. */
    DECIMAL,
    /** A text in ASCII without quotes and backslashes. */
    TEXT,
    /** Not its value; or the token is no literal. */
    OTHER
  }

  private static final int MAX_DIGITS = 18;

  private Literals() {}

  /** Of which kind a token is. */
  public static Kind kind(Tokens tokens, int token) {
    if (tokens.is(token, TokenKind.NUMBER)) {
      return number(tokens.text(), tokens.start(token), tokens.end(token));
    }
    return tokens.is(token, TokenKind.STRING)
            && isPlainText(tokens.text(), tokens.start(token), tokens.end(token))
        ? Kind.TEXT
        : Kind.OTHER;
  }

  private static Kind number(String text, int from, int to) {
    int point = -1;
    for (int i = from; i < to; i++) {
      char c = text.charAt(i);
      if (c == '.' && point < 0) {
        point = i;
      } else if (c < '0' || c > '9') {
        return Kind.OTHER;
      }
    }
    if (to - from > MAX_DIGITS || point == from || point == to - 1) {
      return Kind.OTHER;
    }
    return point < 0 ? Kind.INTEGER : Kind.DECIMAL;
  }

  private static boolean isPlainText(String text, int from, int to) {
    if (text.charAt(from) != '\'') {
      return false;
    }
    for (int i = from + 1; i < to - 1; i++) {
      char c = text.charAt(i);
      if (c < ' ' || c >= 127 || c == '\'' || c == '"' || c == '\\') {
        return false;
      }
    }
    return true;
  }

  /** The value of a token that is an {@link Kind#INTEGER}; empty for any other. */
  public static OptionalLong integer(Tokens tokens, int token) {
    return kind(tokens, token) == Kind.INTEGER
        ? OptionalLong.of(Long.parseLong(tokens.text(token)))
        : OptionalLong.empty();
  }

  /** The value of a token that is a {@link Kind#TEXT}; empty for any other. */
  public static Optional<String> text(Tokens tokens, int token) {
    return kind(tokens, token) == Kind.TEXT
        ? Optional.of(tokens.text().substring(tokens.start(token) + 1, tokens.end(token) - 1))
        : Optional.empty();
  }

  /**
   * The value of a token: a Long, a BigDecimal or a String.
   *
   * @throws IllegalArgumentException if it is of no kind whose value is known
   */
  public static Object value(Tokens tokens, int token) {
    return switch (kind(tokens, token)) {
      case INTEGER -> Long.parseLong(tokens.text(token));
      case DECIMAL -> new BigDecimal(tokens.text(token));
      case TEXT -> tokens.text().substring(tokens.start(token) + 1, tokens.end(token) - 1);
      case OTHER -> throw new IllegalArgumentException("no literal whose value is known");
    };
  }
}
