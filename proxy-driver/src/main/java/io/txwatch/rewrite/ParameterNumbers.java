package io.txwatch.rewrite;

import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Numbers parameters as SQLite does; with {@code ?} alone, as every driver does. */
final class ParameterNumbers {

  private static final int MAX_CHARACTERS = 6;

  private final Tokens tokens;
  private final Map<String, Integer> names = new HashMap<>();
  private int max;

  ParameterNumbers(Tokens tokens) {
    this.tokens = tokens;
  }

  /** The number of each significant token that is a parameter; 0 for all others. */
  static int[] of(Tokens tokens) {
    int[] numbers = new int[tokens.count()];
    ParameterNumbers numbering = new ParameterNumbers(tokens);
    for (int i = 0; i < numbers.length; i++) {
      if (isParameter(tokens, i)) {
        numbers[i] = numbering.number(i);
      }
    }
    return numbers;
  }

  static boolean isParameter(Tokens tokens, int i) {
    return tokens.is(i, TokenKind.PARAMETER)
        || tokens.is(i, TokenKind.NUMBERED_PARAMETER)
        || tokens.is(i, TokenKind.NAMED_PARAMETER);
  }

  /** How many parameters a text has: the highest number. */
  static int count(Tokens tokens) {
    return Arrays.stream(of(tokens)).max().orElse(0);
  }

  /** The number of one that stands without number or name. */
  int next() {
    return ++max;
  }

  /** The number of a parameter of the text, those before it having been numbered. */
  int number(int token) {
    if (tokens.is(token, TokenKind.NUMBERED_PARAMETER)) {
      int number = written(tokens.text(token));
      max = Math.max(max, number);
      return number;
    }
    return tokens.is(token, TokenKind.NAMED_PARAMETER)
        ? names.computeIfAbsent(tokens.text(token), name -> ++max)
        : ++max;
  }

  private static int written(String text) {
    int number = text.length() > MAX_CHARACTERS ? 0 : Integer.parseInt(text.substring(1));
    if (number < 1) {
      throw new IllegalArgumentException("a parameter's number out of range");
    }
    return number;
  }
}
