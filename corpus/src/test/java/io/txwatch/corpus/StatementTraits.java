package io.txwatch.corpus;

import java.util.List;
import java.util.regex.Pattern;

/** Properties of SQL texts, by simple patterns that are independent of the code under test. */
public final class StatementTraits {

  /** The tables that have the auxiliary columns on the watched databases. */
  static final List<String> PREPARED_TABLES =
      List.of("branch", "account", "entry", "pair", "tag", "reading", "person", "item");

  /** A table that is not prepared. */
  static final String UNPREPARED_TABLE = "np";

  /** A view of {@code account}. */
  static final String VIEW = "rich";

  private static final Pattern NOISE =
      Pattern.compile(
          "(?s)'(?:[^'\\\\]|''|\\\\.)*'|--[^\\n]*|/\\*.*?\\*/|\\$\\$.*?\\$\\$|\\$q\\$.*?\\$q\\$");
  private static final Pattern INNERMOST = Pattern.compile("\\([^()]*\\)");
  private static final Pattern ORDER = Pattern.compile("(?i)\\border\\s+by\\b");
  private static final Pattern VALUES =
      Pattern.compile("(?i)\\)\\s*VALUES\\b|\\w\\s+VALUES\\s*\\(");
  private static final Pattern NAMES =
      Pattern.compile("(?i)\\b(?:" + String.join("|", PREPARED_TABLES) + "|" + VIEW + ")\\b");
  private static final Pattern UNPREPARED = Pattern.compile("(?i)\\b" + UNPREPARED_TABLE + "\\b");
  private static final Pattern ROWS =
      Pattern.compile("(?i)[\\s(]*(?:select|insert|update|delete|replace|merge|with|table)\\b.*");
  private static final Pattern VIEWS = Pattern.compile("(?i)\\b(?:" + VIEW + "|all_accounts)\\b");
  private static final Pattern UPDATES = Pattern.compile("(?i)\\bupdate\\b");
  private static final Pattern WRITES =
      Pattern.compile(
          "(?is).*(?<!for |key |duplicate )\\b(?:insert|update|delete|merge)\\b(?!\\s*\\().*"
              + "|.*\\breplace\\s+into\\b.*");

  private StatementTraits() {}

  private static String plain(String sql) {
    return NOISE.matcher(sql).replaceAll(" ").replace('\n', ' ');
  }

  /**
   * True if the order of the result is defined: by an ORDER BY outside of subqueries, or because
   * the text inserts rows of VALUES.
   */
  public static boolean isOrdered(String sql) {
    String text = plain(sql);
    if (VALUES.matcher(text).find()) {
      return true;
    }
    for (String next = ""; !next.equals(text); ) {
      next = text;
      text = INNERMOST.matcher(text).replaceAll(" ");
    }
    return ORDER.matcher(text).find();
  }

  /** True if it names a prepared table, or a view of one, and not the unprepared table. */
  static boolean usesOnlyPreparedTables(String sql) {
    String text = plain(sql);
    return NAMES.matcher(text).find() && !UNPREPARED.matcher(text).find();
  }

  /** True if it names a view. */
  static boolean usesView(String sql) {
    return VIEWS.matcher(plain(sql)).find();
  }

  /** True if it reads or writes rows, as opposed to DDL and settings. */
  public static boolean isQueryOrWrite(String sql) {
    return ROWS.matcher(plain(sql)).matches();
  }

  /** True if it may update existing rows. */
  static boolean mayUpdate(String sql) {
    return UPDATES.matcher(plain(sql)).find();
  }

  /** True if it may write rows. */
  public static boolean mayWrite(String sql) {
    return WRITES.matcher(plain(sql)).matches();
  }
}
