package io.txwatch.oracle.troc;

import io.txwatch.schedule.Values;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A MAX of a column in a statement.
 *
 * @param from where it begins
 * @param to where it ends
 * @param column the column
 * @param table the table that it is read from
 */
record GreatestKey(int from, int to, String column, String table) {

  private static final Pattern MAX =
      Pattern.compile(
          "(?is)\\bMAX\\s*\\(\\s*([\\w.\"]+)\\s*(\\))(?:(?!\\bSELECT\\b).)*?\\bFROM\\s+([\\w\"]+)");

  /** Each MAX of a column in a statement. */
  static List<GreatestKey> in(String sql) {
    List<GreatestKey> found = new ArrayList<>();
    Matcher max = MAX.matcher(sql);
    while (max.find()) {
      found.add(new GreatestKey(max.start(), max.end(2), max.group(1), max.group(3)));
    }
    return found;
  }

  /** The column without the name of its table. */
  String plainColumn() {
    return column.substring(column.lastIndexOf('.') + 1);
  }

  /** The statement with a value in place of the column. */
  String replacedIn(String sql, @Nullable Object value) {
    String literal = literal(value);
    // A MAX that has this value also if there is no row.
    return sql.substring(0, from)
        + "COALESCE(MAX("
        + literal
        + "), "
        + literal
        + ")"
        + sql.substring(to);
  }

  private static String literal(@Nullable Object value) {
    if (value == null) {
      return "NULL";
    }
    String text = Values.text(value);
    return value instanceof String ? "'" + text.replace("'", "''") + "'" : text;
  }
}
