package io.txwatch.capture;

import io.txwatch.plan.KeyColumn;
import io.txwatch.plan.KeyColumn.Kind;
import io.txwatch.sql.syntax.UuidText;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * The key of a row as histories and reports show it: {@code 41}, {@code (3, 7)}, a UUID, or a
 * digest, {@code #1f3a9c2e}.
 *
 * <p>A text can be a mail address. Unless values are to be shown, it becomes the first 32 bits of
 * its {@linkplain PredicateHash keyed hash}: equal for equal values of one JVM, and of no use for
 * guessing the value. A text that is a UUID is shown as one.
 */
public final class KeyText {

  /** The limit of a whole key; a longer one becomes a digest. */
  static final int MAX_CHARACTERS = 120;

  private static final int MAX_VALUE_CHARACTERS = 40;

  private KeyText() {}

  /**
   * The value of a column in a form that is equal for equal keys; empty if it has none.
   *
   * @param text as the driver returns it, or as the application compares it
   */
  public static String canonical(KeyColumn column, String text) {
    return switch (column.kind()) {
      case INTEGER, NUMBER -> isNumber(text) ? text : "";
      case UUID -> UuidText.is(text) ? text.toLowerCase(Locale.ROOT) : "";
      case TEXT -> canonicalText(column, text);
      case PADDED_TEXT -> canonicalText(column, stripped(text));
      case OTHER -> text;
    };
  }

  private static String canonicalText(KeyColumn column, String text) {
    return !column.comparesExactly() && UuidText.is(text) ? text.toLowerCase(Locale.ROOT) : text;
  }

  private static String stripped(String text) {
    int end = text.length();
    while (end > 0 && text.charAt(end - 1) == ' ') {
      end--;
    }
    return text.substring(0, end);
  }

  /** SQLite stores text in columns of numbers, too. */
  private static boolean isNumber(String text) {
    int digits = 0;
    int points = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= '0' && c <= '9') {
        digits++;
      } else if (c == '.') {
        points++;
      } else if (c != '-' || i > 0) {
        return false;
      }
    }
    return digits > 0 && points <= 1;
  }

  /**
   * The key.
   *
   * @param values one for each column, canonical
   * @param redacts true if text is replaced by a digest
   */
  public static String of(List<KeyColumn> columns, List<String> values, boolean redacts) {
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < values.size(); i++) {
      all.append(i == 0 ? "" : ", ").append(shown(columns.get(i).kind(), values.get(i), redacts));
    }
    String key = values.size() == 1 ? all.toString() : "(" + all + ")";
    return key.length() <= MAX_CHARACTERS ? key : digest(joined(values));
  }

  /** With its lengths, so that other values give another text. */
  private static String joined(List<String> values) {
    return values.stream().map(v -> v.length() + ":" + v).collect(Collectors.joining());
  }

  private static String shown(Kind kind, String value, boolean redacts) {
    if (kind == Kind.INTEGER || kind == Kind.NUMBER || UuidText.is(value)) {
      return value.length() <= MAX_VALUE_CHARACTERS ? value : digest(value);
    }
    if (redacts) {
      return digest(value);
    }
    StringBuilder quoted = new StringBuilder("'");
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '\'') {
        quoted.append("''");
      } else if (isPlain(c)) {
        quoted.append(c);
      } else {
        quoted.append("\\u%04x".formatted((int) c));
      }
      if (quoted.length() > MAX_VALUE_CHARACTERS) {
        return quoted + "…'" + digest(value);
      }
    }
    return quoted.append('\'').toString();
  }

  /** Letters, digits and signs that no terminal, page or reader takes for something else. */
  private static boolean isPlain(char c) {
    return c >= ' ' && c < 127 && c != '\\' || Character.isLetterOrDigit(c);
  }

  private static String digest(String value) {
    return "#%08x".formatted((int) (PredicateHash.text(value) >>> Integer.SIZE));
  }
}
