package io.txwatch.sql.syntax;

import java.util.Optional;

/**
 * What SQL texts have in common that differ in the values of literals, in blanks and in comments: a
 * text with one value for all literals of a kind, and a blank where a text has blanks or comments.
 * It has the tokens of each of its texts, in the same places, so whatever does not depend on these
 * values is true of all of them if it is true of the shape.
 *
 * <p>What shows more than a value stays as it is: words, among them NULL and TRUE, names, signs,
 * strings with a prefix or a backslash, and numbers that are neither short integers nor plain
 * decimals. A list of another length is another shape.
 *
 * @param text the shape, as SQL
 * @param tokens the tokens of the text that it is the shape of
 */
public record TextShape(String text, Tokens tokens) {

  private static final String INTEGER = "0";
  private static final String DECIMAL = "0.0";
  private static final String PLAIN_TEXT = "'?'";
  private static final String UUID = "'00000000-0000-0000-0000-000000000000'";

  /** A string whose value is not known from its text: a quote, or a letter that is not ASCII. */
  private static final String OTHER_TEXT = "''''";

  /** The shape of a text; empty if it is not sure where its literals end. */
  public static Optional<TextShape> of(Tokens tokens) {
    if (tokens.isBroken() || tokens.hasBackslashBeforeQuote()) {
      return Optional.empty();
    }
    String text = tokens.text();
    StringBuilder shape = new StringBuilder(text.length());
    for (int i = 0; i < tokens.count(); i++) {
      int start = tokens.start(i);
      int end = tokens.end(i);
      if (i > 0 && start > tokens.end(i - 1)) {
        shape.append(' ');
      }
      if (tokens.is(i, TokenKind.NUMBER) || tokens.is(i, TokenKind.STRING)) {
        appendLiteral(tokens, i, shape);
      } else if (tokens.is(i, TokenKind.EXECUTABLE_COMMENT)
          || (tokens.is(i, TokenKind.QUOTED) && text.substring(start, end).indexOf('\'') >= 0)) {
        return Optional.empty(); // a name may be equal to a string that is an alias
      } else {
        shape.append(text, start, end);
      }
    }
    return Optional.of(new TextShape(shape.toString(), tokens));
  }

  private static void appendLiteral(Tokens tokens, int token, StringBuilder to) {
    switch (Literals.kind(tokens, token)) {
      case INTEGER -> to.append(INTEGER);
      case DECIMAL -> to.append(DECIMAL);
      case TEXT ->
          to.append(
              Literals.text(tokens, token).filter(UuidText::is).isPresent() ? UUID : PLAIN_TEXT);
      case OTHER -> {
        String text = tokens.text(token);
        to.append(text.charAt(0) == '\'' && text.indexOf('\\') < 0 ? OTHER_TEXT : text);
      }
    }
  }
}
