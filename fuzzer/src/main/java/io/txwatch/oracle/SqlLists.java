package io.txwatch.oracle;

import java.util.ArrayList;
import java.util.List;

/** Splits lists in SQL. */
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
}
