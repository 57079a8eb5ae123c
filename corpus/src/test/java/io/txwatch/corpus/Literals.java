package io.txwatch.corpus;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Values as the corpus files write them: {@code 1, 2.50, 'it''s', true, null}. */
final class Literals {

  /** Stands for SQL's NULL in lists that take no null. */
  static final Object NULL =
      new Object() {
        @Override
        public String toString() {
          return "null";
        }
      };

  private static final Pattern ONE =
      Pattern.compile("\\s*('(?:[^']|'')*'|[^,\\s][^,]*?)\\s*(?:,|$)");

  private Literals() {}

  static List<Object> parse(String text) {
    List<Object> values = new ArrayList<>();
    Matcher matcher = ONE.matcher(text);
    while (matcher.find()) {
      values.add(value(matcher.group(1)));
    }
    return List.copyOf(values);
  }

  private static Object value(String text) {
    if (text.startsWith("'")) {
      return text.substring(1, text.length() - 1).replace("''", "'");
    }
    return switch (text) {
      case "null" -> NULL;
      case "true" -> true;
      case "false" -> false;
      default -> text.contains(".") ? new BigDecimal(text) : (Object) Integer.valueOf(text);
    };
  }
}
