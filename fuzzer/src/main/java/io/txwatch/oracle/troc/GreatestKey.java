package io.txwatch.oracle.troc;

import io.txwatch.schedule.Values;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A MAX of a column in a statement.
 *
 * @param text its text
 * @param column the column
 * @param table the table that it is read from
 */
record GreatestKey(String text, String column, String table) {

  private static final Pattern MAX =
      Pattern.compile(
          "(?is)\\bMAX\\s*\\(\\s*([\\w.\"]+)\\s*\\)(?:(?!\\bSELECT\\b).)*?\\bFROM\\s+([\\w\"]+)");
  private static final Pattern CALL = Pattern.compile("(?is)\\bMAX\\s*\\([^()]*\\)");

  /** The first MAX of a column in a statement. */
  static Optional<GreatestKey> in(String sql) {
    Matcher matcher = MAX.matcher(sql);
    if (!matcher.find()) {
      return Optional.empty();
    }
    Matcher call = CALL.matcher(matcher.group());
    return call.find()
        ? Optional.of(new GreatestKey(call.group(), matcher.group(1), matcher.group(2)))
        : Optional.empty();
  }

  /** The column without the name of its table. */
  String plainColumn() {
    return column.substring(column.lastIndexOf('.') + 1);
  }

  /** The statement with a value in place of the column. */
  String replacedIn(String sql, @Nullable Object value) {
    String literal = literal(value);
    return sql.replace(text, "COALESCE(MAX(" + literal + "), " + literal + ")"); // also of no row
  }

  private static String literal(@Nullable Object value) {
    if (value == null) {
      return "NULL";
    }
    String text = Values.text(value);
    return value instanceof String ? "'" + text.replace("'", "''") + "'" : text;
  }
}
