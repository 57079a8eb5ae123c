package io.txwatch.oracle.aptrans;

import io.txwatch.testcase.CachedPattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A query that returns rows of tables as they are: its result can also return the row ids and
 * versions.
 *
 * @param sql its text with these columns at the end of each row
 * @param tables the tables of these columns, two columns each, in their order
 * @param isWholeTable true if it returns all rows of its only table
 */
record ReadForm(String sql, List<String> tables, boolean isWholeTable) {

  private static final CachedPattern SUMMARIZES =
      CachedPattern.of(
          "(?i)^\\s*DISTINCT\\b|\\b(COUNT|SUM|MIN|MAX|AVG|GROUP_CONCAT)\\s*\\(|\\bOVER\\s*\\(");
  private static final CachedPattern OTHER_FORM =
      CachedPattern.of(
          "(?i)\\b(UNION|INTERSECT|EXCEPT|GROUP\\s+BY|HAVING|NATURAL|USING|FETCH|OFFSET|WINDOW)\\b");
  private static final CachedPattern SKIPS_ROWS = CachedPattern.of("(?i)\\bSKIP\\s+LOCKED\\b");
  private static final Pattern AFTER_TABLES =
      Pattern.compile("(?i)\\G\\s+(WHERE|ORDER|LIMIT|FOR|LOCK)\\b");
  private static final Pattern TABLE =
      Pattern.compile(
          "(?i)(?:^|,|\\bJOIN)\\s*(?<table>\\w+)(?:\\s+(?:AS\\s+)?(?<alias>(?!(?:ON|JOIN|LEFT|RIGHT"
              + "|INNER|CROSS|FULL|OUTER|STRAIGHT_JOIN)\\b)\\w+))?");

  /**
   * Recognizes a query.
   *
   * @param known the tables of the case
   * @return empty if the query returns something else than rows
   */
  static Optional<ReadForm> of(String sql, List<String> known) {
    String text = sql.strip();
    if (!text.regionMatches(true, 0, "SELECT ", 0, 7)) {
      return Optional.empty();
    }
    int from = wordAtTopLevel(text, "FROM", 7);
    if (from < 0 || OTHER_FORM.isFoundIn(text) || SUMMARIZES.isFoundIn(text.substring(7, from))) {
      return Optional.empty();
    }
    int end = endOfTables(text, from + 5);
    String clause = text.substring(from + 5, end);
    List<String> tables = new ArrayList<>();
    StringBuilder columns = new StringBuilder();
    Matcher table = TABLE.matcher(clause);
    while (table.find()) {
      String name = table.group("table");
      if (!names(known, name)) {
        return Optional.empty();
      }
      String alias = table.group("alias") == null ? name : table.group("alias");
      tables.add(name);
      columns
          .append(", ")
          .append(alias)
          .append('.')
          .append(RecordingDialect.ROW)
          .append(", ")
          .append(alias)
          .append('.')
          .append(RecordingDialect.VERSION);
    }
    if (tables.isEmpty()) {
      return Optional.empty();
    }
    String rest = text.substring(end).strip();
    boolean isWhole =
        tables.size() == 1
            && (rest.isEmpty() || rest.matches("(?i)(FOR|LOCK)\\b.*"))
            && !SKIPS_ROWS.isFoundIn(rest);
    return Optional.of(
        new ReadForm(
            text.substring(0, from).stripTrailing() + columns + " " + text.substring(from),
            tables,
            isWhole));
  }

  /** True if one of the tables has this name, in any case. */
  static boolean names(List<String> tables, String name) {
    return tables.stream().anyMatch(table -> table.equalsIgnoreCase(name));
  }

  private static int endOfTables(String text, int start) {
    int depth = 0;
    for (int i = start; i < text.length(); i++) {
      char character = text.charAt(i);
      depth += character == '(' ? 1 : character == ')' ? -1 : 0;
      if (depth == 0
          && Character.isWhitespace(character)
          && AFTER_TABLES.matcher(text).region(i, text.length()).lookingAt()) {
        return i;
      }
    }
    return text.length();
  }

  /** The position of a word outside parentheses and quotes; -1 if there is none. */
  private static int wordAtTopLevel(String text, String word, int start) {
    int depth = 0;
    boolean quoted = false;
    for (int i = start; i < text.length(); i++) {
      char character = text.charAt(i);
      quoted ^= character == '\'';
      if (quoted) {
        continue;
      }
      depth += character == '(' ? 1 : character == ')' ? -1 : 0;
      if (depth == 0
          && text.regionMatches(true, i, word, 0, word.length())
          && Character.isWhitespace(text.charAt(i - 1))
          && i + word.length() < text.length()
          && Character.isWhitespace(text.charAt(i + word.length()))) {
        return i;
      }
    }
    return -1;
  }
}
