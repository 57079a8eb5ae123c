package io.txwatch.testcase;

/** Classifies statements by their text. */
public final class StatementText {

  private static final CachedPattern QUERY = CachedPattern.of("(?i)^\\s*\\(?\\s*(SELECT|WITH)\\b");

  /** A WITH that precedes a write or contains one. */
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

  /** True if it defines a column or sequence that generates increasing values. */
  public static boolean generatesValues(String sql) {
    return VALUE_GENERATORS.occurIn(sql);
  }

  /** True if it is a query that writes nothing; a locking query is one, too. */
  public static boolean isQuery(String sql) {
    return QUERY.isFoundIn(sql) && !WITH_AND_WRITE.isFoundIn(sql);
  }
}
