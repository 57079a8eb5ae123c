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

  private StatementText() {}

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
