package io.txwatch.sql.rewrite;

import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.math.BigDecimal;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/** The literals whose value is known from their text alone, in every DBMS and session. */
final class Literals {

  private static final int MAX_DIGITS = 18;
  private static final Pattern DECIMAL = Pattern.compile("[0-9]+\\.[0-9]+");

  private Literals() {}

  /** The value of a token; empty unless it is an integer of few enough digits, without a sign. */
  static OptionalLong integer(Tokens tokens, int token) {
    String written = tokens.text(token);
    return tokens.is(token, TokenKind.NUMBER)
            && written.length() <= MAX_DIGITS
            && written.chars().allMatch(c -> c >= '0' && c <= '9')
        ? OptionalLong.of(Long.parseLong(written))
        : OptionalLong.empty();
  }

  /** The value of a token; empty unless it is digits with a point and no more, without a sign. */
  static Optional<BigDecimal> decimal(Tokens tokens, int token) {
    String written = tokens.text(token);
    return tokens.is(token, TokenKind.NUMBER)
            && written.length() <= MAX_DIGITS
            && DECIMAL.matcher(written).matches()
        ? Optional.of(new BigDecimal(written))
        : Optional.empty();
  }

  /** The value of a token; empty unless it is a text in ASCII without quotes and backslashes. */
  static Optional<String> text(Tokens tokens, int token) {
    String written = tokens.text(token);
    if (!tokens.is(token, TokenKind.STRING) || written.length() < 2 || written.charAt(0) != '\'') {
      return Optional.empty();
    }
    String inside = written.substring(1, written.length() - 1);
    return inside.chars().allMatch(c -> c >= ' ' && c < 127 && "'\"\\".indexOf(c) < 0)
        ? Optional.of(inside)
        : Optional.empty();
  }
}
