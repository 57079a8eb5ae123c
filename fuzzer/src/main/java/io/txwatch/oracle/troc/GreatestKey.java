package io.txwatch.oracle.troc;

import io.txwatch.schedule.Values;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import java.util.ArrayList;
import java.util.List;
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

  /** Each MAX of a column in a statement. */
  static List<GreatestKey> in(String sql) {
    List<GreatestKey> found = new ArrayList<>();
    Tokens tokens = SqlText.of(sql).tokens();
    for (int i = 0; i < tokens.count(); i++) {
      int end = tokens.nameEnd(i + 2);
      if (tokens.isWord(i, "MAX")
          && tokens.isOpen(i + 1)
          && end > i + 2
          && tokens.is(end, TokenKind.CLOSE)) {
        String column = tokens.text().substring(tokens.start(i + 2), tokens.end(end - 1));
        int from = end;
        while (from < tokens.count() && !tokens.isAnyWord(from, "FROM", "SELECT")) {
          from++;
        }
        if (tokens.isWord(from, "FROM") && tokens.isName(from + 1)) {
          found.add(
              new GreatestKey(tokens.start(i), tokens.end(end), column, tokens.text(from + 1)));
        }
      }
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
