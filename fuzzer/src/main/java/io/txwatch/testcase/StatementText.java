package io.txwatch.testcase;

/** What a statement is, as its text says. */
public final class StatementText {

  private static final CachedPattern QUERY = CachedPattern.of("(?i)^\\s*\\(?\\s*(SELECT|WITH)\\b");

  /** A WITH that comes before a write, or has one within. */
  private static final CachedPattern WITH_AND_WRITE =
      CachedPattern.of(
          "(?is)^\\s*WITH\\b.*\\b(INSERT\\s+INTO|UPDATE\\s+[\\w\"`.]+\\s+SET|DELETE\\s+FROM)\\b");

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

  /** True if it defines what hands out values by itself, ever greater ones. */
  public static boolean generatesValues(String sql) {
    return VALUE_GENERATORS.occurIn(sql);
  }

  /** True if it is a query, one that locks what it reads included, and writes nothing. */
  public static boolean isQuery(String sql) {
    return QUERY.isFoundIn(sql) && !WITH_AND_WRITE.isFoundIn(sql);
  }
}
