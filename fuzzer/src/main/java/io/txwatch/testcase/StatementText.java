package io.txwatch.testcase;

import java.util.Locale;

/** Classifies statements by their text. */
public final class StatementText {

  private static final CachedPattern QUERY = CachedPattern.of("(?i)^\\s*\\(?\\s*(SELECT|WITH)\\b");

  /** A WITH that precedes a write or contains one. */
  private static final CachedPattern WITH_AND_WRITE =
      CachedPattern.of(
          "(?is)^\\s*WITH\\b.*\\b(INSERT\\s+INTO|UPDATE\\s+[\\w\"`.]+\\s+SET|DELETE\\s+FROM)\\b");

  private static final CachedPattern LOCKING =
      CachedPattern.of(
          "(?i)\\bFOR\\s+(NO\\s+KEY\\s+|KEY\\s+)?(UPDATE|SHARE)\\b|\\bLOCK\\s+IN\\s+SHARE\\b");
  private static final CachedPattern LIMIT = CachedPattern.of("(?i)\\b(LIMIT|FETCH)\\b");
  private static final CachedPattern ORDER = CachedPattern.of("(?i)\\bORDER\\s+BY\\b");
  private static final CachedPattern STAR = CachedPattern.of("(?i)(SELECT|DISTINCT|,|\\.)\\s*\\*");
  private static final CachedPattern DEPENDS_ON_COLUMNS =
      CachedPattern.of("(?i)\\b(DISTINCT|UNION|INTERSECT|EXCEPT|INSERT|REPLACE|MERGE|NATURAL)\\b");

  private static final CachedPattern CHANGES_MORE_THAN_ROWS =
      CachedPattern.of(
          "(?i)^\\s*(CREATE|ALTER|DROP|TRUNCATE|RENAME|SET|PRAGMA|CALL|DO|BEGIN\\s+\\w|LOCK|UNLOCK)\\b");
  private static final CachedPattern CHANGES_DEFINITIONS =
      CachedPattern.of("(?i)^\\s*(CREATE|ALTER|DROP|TRUNCATE|RENAME)\\b");
  private static final CachedPattern LOCKS_TABLES =
      CachedPattern.of("(?i)^\\s*(UN)?LOCK\\s+TABLES?\\b");
  private static final CachedPattern LOCKS_TABLES_OF_SESSION =
      CachedPattern.of("(?i)^\\s*LOCK\\s+TABLES\\b");

  private static final CachedPattern KEEPS_LOCKS =
      CachedPattern.of(
          "(?i)^\\s*(LOCK|FLUSH|XA|HANDLER|SET|CALL|DO|PREPARE|EXECUTE)\\b"
              + "|\\b(GET_LOCK|PG_(TRY_)?ADVISORY_LOCK)\\w*\\s*\\(");

  private static final WordSet VALUE_GENERATORS =
      WordSet.of(
          "AUTOINC",
          "AUTO_INCREMENT",
          "AUTOINCREMENT",
          "SERIAL",
          "BIGSERIAL",
          "SMALLSERIAL",
          "IDENTITY",
          "NEXTVAL",
          "SEQUENCE");

  /** The header of a case whose statements are prepared. */
  public static final String JDBC_HEADER = "jdbc";

  /** The value of that header. */
  public static final String PREPARED = "prepared";

  /** The header with the settings of the sessions: {@code name=value}, separated by commas. */
  public static final String SETTINGS_HEADER = "settings";

  private StatementText() {}

  /** True if it may change something besides rows: a definition, a setting, a lock of a table. */
  public static boolean changesMoreThanRows(String sql) {
    return CHANGES_MORE_THAN_ROWS.isFoundIn(sql);
  }

  /** True if it defines a table, an index or the like, or removes all rows in that way. */
  public static boolean changesDefinitions(String sql) {
    return CHANGES_DEFINITIONS.isFoundIn(sql);
  }

  /** True if it locks whole tables, or ends such locks. */
  public static boolean locksTables(String sql) {
    return LOCKS_TABLES.isFoundIn(sql);
  }

  /** True if it locks tables until the session unlocks them, whatever transactions end. */
  public static boolean locksTablesOfSession(String sql) {
    return LOCKS_TABLES_OF_SESSION.isFoundIn(sql);
  }

  /** True if its session may hold locks afterwards that are not those of a begun transaction. */
  public static boolean mayKeepLocks(String sql) {
    return KEEPS_LOCKS.isFoundIn(sql);
  }

  /** True if it defines a column or sequence that generates increasing values. */
  public static boolean generatesValues(String sql) {
    return VALUE_GENERATORS.occurIn(sql);
  }

  /** True if it is a query that writes nothing; a locking query is one, too. */
  public static boolean isQuery(String sql) {
    return QUERY.isFoundIn(sql) && !WITH_AND_WRITE.isFoundIn(sql);
  }

  /** True if it contains a clause that locks the rows that it reads. */
  public static boolean locksRows(String sql) {
    return LOCKING.isFoundIn(sql);
  }

  /** True if its effect depends on the order of rows. */
  public static boolean dependsOnRowOrder(String sql) {
    return LIMIT.isFoundIn(sql) && !ORDER.isFoundIn(sql);
  }

  /** True if an additional column of its tables would change its meaning. */
  public static boolean dependsOnColumnCount(String sql) {
    return STAR.isFoundIn(sql) && DEPENDS_ON_COLUMNS.isFoundIn(sql);
  }

  /** A name as tables are known by: in lower case, without quotes. */
  public static String unquoted(String name) {
    return name.replaceAll("[\"`]", "").strip().toLowerCase(Locale.ROOT);
  }
}
