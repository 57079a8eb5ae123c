package io.txwatch.plan;

import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokenizer;
import io.txwatch.sql.syntax.Tokens;

/**
 * A text as PostgreSQL has it and counts in it: in characters, from 1; and where the driver has
 * made parameters of {@code ?}, in {@code $1}, {@code $2} and so on.
 */
public final class ServerText {

  private final String text;
  private final int[] parameters;

  /**
   * A text.
   *
   * @param prepared true if each {@code ?} in it is a parameter
   */
  public ServerText(String text, boolean prepared, Dialect dialect) {
    this.text = text;
    Tokens tokens = Tokenizer.tokenize(text, dialect);
    this.parameters =
        java.util.stream.IntStream.range(0, prepared ? tokens.count() : 0)
            .filter(i -> tokens.is(i, TokenKind.PARAMETER))
            .map(tokens::start)
            .toArray();
  }

  /** The offset in Java's text of a position in the server's; at most its length. */
  public int offset(int position) {
    int counted = 1;
    int parameter = 0;
    for (int i = 0; i < text.length(); ) {
      int characters = 1;
      if (parameter < parameters.length && parameters[parameter] == i) {
        characters += digits(++parameter);
      }
      if (position < counted + characters) {
        return i;
      }
      counted += characters;
      i += Character.charCount(text.codePointAt(i));
    }
    return text.length();
  }

  /** The position in the server's text of an offset in Java's. */
  public int position(int offset) {
    int end = Math.min(offset, text.length());
    int position = 1 + text.codePointCount(0, end);
    for (int i = 0; i < parameters.length && parameters[i] < end; i++) {
      position += digits(i + 1);
    }
    return position;
  }

  private static int digits(int number) {
    return Integer.toString(number).length();
  }
}
