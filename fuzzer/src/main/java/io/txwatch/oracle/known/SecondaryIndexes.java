package io.txwatch.oracle.known;

import io.txwatch.oracle.ForeignKeyGraph;
import io.txwatch.testcase.TestCase;
import java.util.regex.Pattern;

/** The indexes of a case besides primary keys. */
final class SecondaryIndexes {

  private static final Pattern DEFINITION =
      Pattern.compile("(?i)^\\s*CREATE\\s+(UNIQUE\\s+)?INDEX\\b.*");
  private static final Pattern PART =
      Pattern.compile(
          "(?i),\\s*(CONSTRAINT\\s+\\w+\\s+)?(UNIQUE|KEY|INDEX)(\\s+(KEY|INDEX))?(\\s+\\w+)?"
              + "\\s*\\([^)]*\\)");
  private static final Pattern OF_COLUMN = Pattern.compile("(?i)\\s+UNIQUE\\b(\\s+KEY\\b)?");

  private SecondaryIndexes() {}

  /** The same case without them, and without foreign keys, which need some. */
  static TestCase removedFrom(TestCase testCase) {
    TestCase unlinked = ForeignKeyGraph.withoutForeignKeys(testCase);
    return unlinked.withSetup(
        unlinked.setup().stream()
            .filter(sql -> !DEFINITION.matcher(sql).matches())
            .map(sql -> OF_COLUMN.matcher(PART.matcher(sql).replaceAll("")).replaceAll(""))
            .toList());
  }
}
