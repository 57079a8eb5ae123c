package io.txwatch.corpus;

import java.util.List;
import java.util.regex.Pattern;

/** Classifies SQL texts by simple patterns, independent of the code under test. */
public final class Texts {

  /** The tables that carry the auxiliary columns on the watched twin. */
  static final List<String> TABLES =
      List.of("branch", "account", "entry", "pair", "tag", "reading", "person", "item");

  /** A table that is not prepared. */
  static final String NOT_PREPARED = "np";

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
      Pattern.compile("(?i)\\b(?:" + String.join("|", TABLES) + "|" + VIEW + ")\\b");
  private static final Pattern UNPREPARED = Pattern.compile("(?i)\\b" + NOT_PREPARED + "\\b");
  private static final Pattern ROWS =
      Pattern.compile("(?i)[\\s(]*(?:select|insert|update|delete|replace|merge|with|table)\\b.*");
  private static final Pattern VIEWS = Pattern.compile("(?i)\\b(?:" + VIEW + "|all_accounts)\\b");
  private static final Pattern UPDATES = Pattern.compile("(?i)\\bupdate\\b");
  private static final Pattern WRITES =
      Pattern.compile(
          "(?is).*(?<!for |key |duplicate )\\b(?:insert|update|delete|merge)\\b(?!\\s*\\().*"
              + "|.*\\breplace\\s+into\\b.*");

  private Texts() {}

  private static String plain(String sql) {
    return NOISE.matcher(sql).replaceAll(" ").replace('\n', ' ');
  }

  /**
   * True if the text's own result, not one of its subqueries, has an order, or if it inserts rows
   * in the order in which they are written.
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

  /** True if it names one of the application's prepared tables and no other. */
  static boolean isOfPreparedTables(String sql) {
    String text = plain(sql);
    return NAMES.matcher(text).find() && !UNPREPARED.matcher(text).find();
  }

  /** True if it names a view. */
  static boolean isOfViews(String sql) {
    return VIEWS.matcher(plain(sql)).find();
  }

  /** True if it is a query or a change of rows, whatever of. */
  public static boolean isOfRows(String sql) {
    return ROWS.matcher(plain(sql)).matches();
  }

  /** True if it may change rows that are there. */
  static boolean updates(String sql) {
    return UPDATES.matcher(plain(sql)).find();
  }

  /** True if it may change rows. */
  public static boolean mayWrite(String sql) {
    return WRITES.matcher(plain(sql)).matches();
  }
}
