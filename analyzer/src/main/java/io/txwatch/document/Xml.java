package io.txwatch.document;

/** Text for XML 1.0. */
public final class Xml {

  private Xml() {}

  /**
   * Escapes markup, and characters that are invisible, such as those that turn the direction of the
   * text. Characters that XML cannot contain are replaced.
   */
  public static String escape(String text) {
    StringBuilder out = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '&' -> out.append("&amp;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                case '\n' -> out.append("&#10;");
                case '\t' -> out.append("&#9;");
                default -> {
                  if (Character.getType(c) == Character.FORMAT) { // may turn the text's direction
                    out.append(String.format("\\u%04x", c));
                  } else {
                    out.appendCodePoint(isAllowed(c) ? c : 0xFFFD);
                  }
                }
              }
            });
    return out.toString();
  }

  private static boolean isAllowed(int c) {
    return c >= 0x20 && c <= 0xD7FF || c >= 0xE000 && c <= 0xFFFD || c >= 0x10000;
  }
}
