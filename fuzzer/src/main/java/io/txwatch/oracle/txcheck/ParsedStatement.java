package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementTrace.Form;
import io.txwatch.testcase.CachedPattern;
import io.txwatch.testcase.StatementText;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the text of a statement shows of the rows that it uses.
 *
 * @param sql its text
 * @param form its form; empty for a statement that is neither a query nor a write of rows
 * @param target the table that it writes; empty for a query, or if it writes several
 */
record ParsedStatement(String sql, Optional<Form> form, Optional<String> target) {

  private static final Pattern TOKEN = Pattern.compile("'[^']*'|[()]|[A-Za-z_]\\w*|[\"`]");
  private static final Set<String> MODIFIERS =
      Set.of("IGNORE", "LOW_PRIORITY", "ONLY", "QUICK", "INTO", "FROM", "OR");
  private static final CachedPattern SEVERAL_SELECTS =
      CachedPattern.of("(?is)\\bSELECT\\b.*\\bSELECT\\b");
  private static final CachedPattern SELECT = CachedPattern.of("(?i)\\bSELECT\\b");
  private static final CachedPattern SAVEPOINT =
      CachedPattern.of("(?i)^\\s*(SAVEPOINT|RELEASE|ROLLBACK\\s+TO)\\b");
  private static final CachedPattern SKIPS_LOCKED =
      CachedPattern.of("(?i)\\b(SKIP\\s+LOCKED|NOWAIT|WAIT\\s+\\d+)\\b");
  private static final CachedPattern LENIENT =
      CachedPattern.of(
          "(?i)^\\s*(UPDATE|INSERT|REPLACE|DELETE)\\s+(OR\\s+)?IGNORE\\b|^\\s*REPLACE\\b"
              + "|\\bON\\s+(CONFLICT|DUPLICATE)\\b");

  static ParsedStatement of(String sql) {
    if (StatementText.isQuery(sql)) {
      return new ParsedStatement(sql, Optional.of(Form.QUERY), Optional.empty());
    }
    Deque<String> words = new ArrayDeque<>();
    int depth = 0;
    Matcher token = TOKEN.matcher(sql);
    while (token.find()) {
      String text = token.group();
      if (text.equals("(") || text.equals(")")) {
        depth += text.equals("(") ? 1 : -1;
      } else if (depth == 0 && text.length() > 0 && Character.isLetter(text.charAt(0))) {
        words.add(text);
      }
    }
    while (!words.isEmpty()) {
      Optional<Form> form = form(words.remove());
      if (form.isPresent()) {
        while (!words.isEmpty() && MODIFIERS.contains(upper(words.peek()))) {
          words.remove();
        }
        return new ParsedStatement(
            sql,
            form,
            Optional.ofNullable(words.peek()).map(name -> name.toLowerCase(Locale.ROOT)));
      }
    }
    // A WITH that contains a write.
    return new ParsedStatement(
        sql,
        upper(sql.strip()).startsWith("WITH") ? Optional.of(Form.UPDATE) : Optional.empty(),
        Optional.empty());
  }

  private static String upper(String word) {
    return word.toUpperCase(Locale.ROOT);
  }

  private static Optional<Form> form(String word) {
    return switch (upper(word)) {
      case "INSERT", "REPLACE", "MERGE" -> Optional.of(Form.INSERT);
      case "UPDATE" -> Optional.of(Form.UPDATE);
      case "DELETE" -> Optional.of(Form.DELETE);
      default -> Optional.empty();
    };
  }

  /** True if it sets, releases or rolls back to a savepoint. */
  boolean isSavepoint() {
    return SAVEPOINT.isFoundIn(sql);
  }

  boolean isWrite() {
    return form.isPresent() && form.get().isWrite();
  }

  boolean isLockingQuery() {
    return form.equals(Optional.of(Form.QUERY)) && StatementText.locksRows(sql);
  }

  boolean isPlainQuery() {
    return form.equals(Optional.of(Form.QUERY)) && !StatementText.locksRows(sql);
  }

  /** True if it contains a query besides itself. */
  boolean hasSubquery() {
    return isWrite() ? SELECT.isFoundIn(sql) : SEVERAL_SELECTS.isFoundIn(sql);
  }

  /**
   * Why its result does not follow from the rows that it uses; empty if it does.
   *
   * @param isColumnVisible true if it sees the columns that were added to its tables
   */
  Optional<String> obstacle(boolean isColumnVisible) {
    if (StatementText.dependsOnRowOrder(sql)) {
      return Optional.of("its effect depends on the order of rows");
    }
    if (SKIPS_LOCKED.isFoundIn(sql)) {
      return Optional.of("its effect depends on locks");
    }
    if (isWrite()
        && LENIENT.isFoundIn(sql)
        && (hasSubquery() || form.equals(Optional.of(Form.UPDATE)))) {
      return Optional.of("which rows it skips depends on the order of rows");
    }
    if (isColumnVisible && StatementText.dependsOnColumnCount(sql)) {
      return Optional.of("the added columns would change its meaning");
    }
    return Optional.empty();
  }
}
