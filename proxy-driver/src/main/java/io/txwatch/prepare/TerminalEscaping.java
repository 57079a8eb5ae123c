package io.txwatch.prepare;

/** Names and SQL as a terminal may show them. */
public final class TerminalEscaping {

  private TerminalEscaping() {}

  /**
   * The text with every character that could move the cursor, change colours or reorder a line
   * (controls, formats, line and paragraph separators, lone surrogates) written as {@code \\uXXXX}.
   */
  public static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (Character.getType(c)) {
                case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE ->
                    escaped.append(String.format(c > 0xffff ? "\\U%08x" : "\\u%04x", c));
                default -> escaped.appendCodePoint(c);
              }
            });
    return escaped.toString();
  }
}
