package io.txwatch.schedule;

import io.txwatch.testcase.CachedPattern;
import io.txwatch.testcase.WordSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Recognizes queries that only read: they call no function that could lock, block or write. */
final class PlainQuery {

  private static final CachedPattern QUERY = CachedPattern.of("(?i)^\\s*(SELECT|WITH)\\b");
  private static final WordSet DISQUALIFYING =
      WordSet.of("FOR", "LOCK", "INTO", "INSERT", "UPDATE", "DELETE", "MERGE", "PROCEDURE");
  private static final Pattern BEFORE_PARENTHESIS = Pattern.compile("(\\w+)\\s*\\(");

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
    if (!QUERY.isFoundIn(sql)
        || DISQUALIFYING.occurIn(sql)
        || sql.indexOf(';') >= 0
        || sql.indexOf(':') >= 0
        || sql.indexOf('@') >= 0) {
      return false;
    }
    Matcher word = BEFORE_PARENTHESIS.matcher(sql);
    while (word.find()) {
      if (!ALLOWED_BEFORE_PARENTHESIS.contains(word.group(1).toUpperCase(Locale.ROOT))) {
        return false;
      }
    }
    return true;
  }
}
