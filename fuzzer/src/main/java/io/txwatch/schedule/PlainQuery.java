package io.txwatch.schedule;

import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import java.util.Locale;
import java.util.Set;

/** Recognizes queries that only read: they call no function that could lock, block or write. */
final class PlainQuery {

  /** Functions, and keywords that may precede a parenthesis. */
  private static final Set<String> ALLOWED_BEFORE_PARENTHESIS =
      Set.of(
          "COUNT",
          "MIN",
          "MAX",
          "SUM",
          "AVG",
          "ABS",
          "LENGTH",
          "UPPER",
          "LOWER",
          "TRIM",
          "COALESCE",
          "NULLIF",
          "ROW_NUMBER",
          "RANK",
          "OVER",
          "SELECT",
          "FROM",
          "WHERE",
          "AND",
          "OR",
          "NOT",
          "IN",
          "EXISTS",
          "AS",
          "ON",
          "BY",
          "CASE",
          "WHEN",
          "THEN",
          "ELSE",
          "BETWEEN",
          "LIKE",
          "IS",
          "UNION",
          "INTERSECT",
          "EXCEPT",
          "ALL",
          "ANY",
          "DISTINCT",
          "HAVING",
          "LIMIT");

  private PlainQuery() {}

  static boolean matches(String sql) {
    SqlText text = SqlText.of(sql);
    if (!text.startsWithAny("SELECT", "WITH")
        || text.hasAny("FOR", "LOCK", "INTO", "INSERT", "UPDATE", "DELETE", "MERGE", "PROCEDURE")
        || sql.indexOf(';') >= 0
        || sql.indexOf(':') >= 0
        || sql.indexOf('@') >= 0) {
      return false;
    }
    Tokens tokens = text.tokens();
    for (int i = 1; i < tokens.count(); i++) {
      if (tokens.isOpen(i)
          && tokens.isName(i - 1)
          && !ALLOWED_BEFORE_PARENTHESIS.contains(tokens.text(i - 1).toUpperCase(Locale.ROOT))) {
        return false;
      }
    }
    return true;
  }
}
