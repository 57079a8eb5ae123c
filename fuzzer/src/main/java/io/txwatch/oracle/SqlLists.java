package io.txwatch.oracle;

import java.util.ArrayList;
import java.util.List;

/** Lists in SQL, and where they end. */
public final class SqlLists {

  private SqlLists() {}

  /** Splits at commas outside of parentheses and quotes. */
  public static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    boolean quoted = false;
    int start = 0;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      quoted ^= character == '\'';
      if (!quoted) {
        depth += character == '(' ? 1 : character == ')' ? -1 : 0;
        if (character == ',' && depth == 0) {
          parts.add(text.substring(start, i).strip());
          start = i + 1;
        }
      }
    }
    parts.add(text.substring(start).strip());
    return parts;
  }

  /** The text up to the parenthesis that closes one that was opened before it. */
  public static String beforeClosing(String text) {
    int depth = 0;
    boolean quoted = false;
    for (int i = 0; i < text.length(); i++) {
      char character = text.charAt(i);
      quoted ^= character == '\'';
      if (!quoted) {
        depth += character == '(' ? 1 : character == ')' ? -1 : 0;
        if (depth < 0) {
          return text.substring(0, i);
        }
      }
    }
    return text;
  }
}
