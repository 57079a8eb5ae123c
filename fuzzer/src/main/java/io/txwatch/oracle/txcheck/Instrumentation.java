package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.SqlLists;
import io.txwatch.testcase.CachedPattern;
import io.txwatch.testcase.StatementText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Adds the two columns to the tables of a case that identify rows and their versions, and adapts
 * its statements (TxCheck, section 3.2): a write assigns its step id to the version key; a query
 * for whole rows of one table returns both keys.
 *
 * <p>An inserted row has a new primary key, and version key 0. A change without a new version key
 * (by a foreign key's action or a trigger) is a new version because of its values.
 */
final class Instrumentation {

  /** The column that identifies a row; a statement never changes it. */
  static final String PRIMARY_KEY = "txw_pkey";

  /** The column with the id of the step that wrote the version; 0 if it was inserted. */
  static final String VERSION_KEY = "txw_vkey";

  private static final Pattern CREATE_TABLE =
      Pattern.compile(
          "(?is)^\\s*CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?([\\w\"`]+)\\s*\\((.*)");
  private static final Pattern CONSTRAINT =
      Pattern.compile(
          "(?is)^(PRIMARY\\s+KEY|FOREIGN\\s+KEY|UNIQUE|CONSTRAINT|CHECK|KEY|INDEX|EXCLUDE|FULLTEXT)\\b.*");
  private static final Pattern INSERT_WITHOUT_COLUMNS =
      Pattern.compile(
          "(?is)(\\s*(?:INSERT|REPLACE)\\b[^(]*?\\bINTO\\s+([\\w\"`]+))(\\s+(?:VALUES|SELECT)\\b.*)");
  private static final Pattern WHOLE_ROWS =
      Pattern.compile(
          "(?is)^(\\s*SELECT\\s+\\*)(\\s+FROM\\s+([\\w\"`]+)"
              + "(?:\\s+(?:WHERE|ORDER|LIMIT|FOR|LOCK)\\b.*|\\s*))$");
  private static final CachedPattern SEVERAL_QUERIES =
      CachedPattern.of("(?i)\\b(UNION|INTERSECT|EXCEPT|GROUP|HAVING|JOIN)\\b");
  private static final Pattern WORD = Pattern.compile("[A-Za-z_]\\w*");
  private static final Pattern QUALIFIER = Pattern.compile("(?s)\\s*([\\w\"`]+\\s*\\.\\s*)?.*");

  private final String product;

  /** By table, in lower case and without quotes, its columns as the definition spells them. */
  private final Map<String, List<String>> columns = new HashMap<>();

  /** By the same name, the table as statements spell it; parents before children. */
  private final Map<String, String> spellings = new LinkedHashMap<>();

  Instrumentation(String product, TestCase testCase) {
    this.product = product;
    for (String sql : testCase.setup()) {
      Matcher table = CREATE_TABLE.matcher(sql);
      if (table.matches()) {
        String body = SqlLists.beforeClosing(table.group(2));
        spellings.put(StatementText.unquoted(table.group(1)), table.group(1));
        columns.put(
            StatementText.unquoted(table.group(1)),
            SqlLists.split(body).stream()
                .filter(part -> !CONSTRAINT.matcher(part).matches())
                .map(part -> part.split("\\s+", 2)[0])
                .toList());
      }
    }
  }

  /** True if this DBMS has what the columns need: generated identifiers, and defaults for them. */
  static boolean isSupportedBy(String product) {
    return Set.of("MySQL", "MariaDB", "PostgreSQL", "H2").contains(product);
  }

  /** True if statements do not see the columns unless they name them. */
  boolean hidesColumns() {
    return !product.equals("PostgreSQL");
  }

  /** The tables of the case, in lower case and without quotes. */
  Set<String> tables() {
    return spellings.keySet();
  }

  /** The case on the extended tables; its final reads are all tables. */
  TestCase instrument(TestCase testCase) {
    return new TestCase(
        testCase.name(),
        testCase.headers(),
        testCase.setup().stream().map(this::instrumentSetup).toList(),
        testCase.steps().stream().map(this::instrument).toList(),
        List.of());
  }

  private String instrumentSetup(String sql) {
    Matcher table = CREATE_TABLE.matcher(sql);
    if (!table.matches()) {
      return withColumnNames(sql);
    }
    int end = table.start(2) + SqlLists.beforeClosing(table.group(2)).length();
    return sql.substring(0, end) + ", " + definitions() + sql.substring(end);
  }

  private String definitions() {
    String key =
        switch (product) {
          case "MySQL", "MariaDB" -> " CHAR(36) DEFAULT (UUID()) INVISIBLE";
          case "H2" -> " UUID INVISIBLE DEFAULT RANDOM_UUID()";
          default -> " UUID DEFAULT gen_random_uuid()";
        };
    String version =
        switch (product) {
          case "MySQL", "MariaDB" -> " INT DEFAULT 0 INVISIBLE";
          case "H2" -> " INT INVISIBLE DEFAULT 0";
          default -> " INT DEFAULT 0";
        };
    return PRIMARY_KEY + key + ", " + VERSION_KEY + version;
  }

  private Step instrument(Step step) {
    String sql = step.sql();
    if (step.role() == Step.Role.WORK) {
      sql = withVersionKey(withReturnedKeys(withColumnNames(sql)), step.id());
    }
    return new Step(step.id(), step.session(), step.label(), sql);
  }

  /** MySQL uses the defaults of invisible columns only if an INSERT lists its columns. */
  private String withColumnNames(String sql) {
    Matcher insert = INSERT_WITHOUT_COLUMNS.matcher(sql);
    if (!hidesColumns() || !insert.matches()) {
      return sql;
    }
    List<String> names = columns.getOrDefault(StatementText.unquoted(insert.group(2)), List.of());
    return names.isEmpty()
        ? sql
        : insert.group(1) + " (" + String.join(", ", names) + ")" + insert.group(3);
  }

  private String withReturnedKeys(String sql) {
    Matcher query = WHOLE_ROWS.matcher(sql);
    return hidesColumns()
            && query.matches()
            && columns.containsKey(StatementText.unquoted(query.group(3)))
            && !SEVERAL_QUERIES.isFoundIn(sql)
        ? query.group(1) + ", " + PRIMARY_KEY + ", " + VERSION_KEY + query.group(2)
        : sql;
  }

  /** True if a query returns whole rows of one table, with their keys; then the table. */
  boolean returnsKeys(String sql) {
    Matcher query = WHOLE_ROWS.matcher(sql.replace(", " + PRIMARY_KEY + ", " + VERSION_KEY, ""));
    return query.matches()
        && columns.containsKey(StatementText.unquoted(query.group(3)))
        && !SEVERAL_QUERIES.isFoundIn(sql);
  }

  /** The table of a query that {@linkplain #returnsKeys returns keys}. */
  static String tableOf(String sql) {
    Matcher query = WHOLE_ROWS.matcher(sql.replace(", " + PRIMARY_KEY + ", " + VERSION_KEY, ""));
    return query.matches() ? StatementText.unquoted(query.group(3)) : "";
  }

  /** Adds the assignment of the version key to the first assignments outside of parentheses. */
  static String withVersionKey(String sql, int version) {
    int start = startOfAssignments(sql);
    if (start < 0) {
      return sql;
    }
    Matcher first = QUALIFIER.matcher(sql.substring(start));
    String qualifier = first.matches() && first.group(1) != null ? first.group(1) : "";
    return sql.substring(0, start)
        + " "
        + qualifier
        + VERSION_KEY
        + " = "
        + version
        + ","
        + sql.substring(start);
  }

  /** The position after the SET of an UPDATE, or after ON DUPLICATE KEY UPDATE; -1 if none. */
  private static int startOfAssignments(String sql) {
    boolean isUpdate = false;
    String previous = "";
    int depth = 0;
    for (int i = 0; i < sql.length(); i++) {
      char character = sql.charAt(i);
      if (character == '\'') {
        i = Math.max(i, sql.indexOf('\'', i + 1));
      } else if (character == '(' || character == ')') {
        depth += character == '(' ? 1 : -1;
      } else if (Character.isLetter(character) || character == '_') {
        Matcher word = WORD.matcher(sql).region(i, sql.length());
        String text = word.lookingAt() ? word.group().toUpperCase(Locale.ROOT) : "";
        if (depth == 0) {
          if (text.equals("UPDATE") && previous.equals("KEY")) {
            return i + text.length();
          }
          isUpdate |= text.equals("UPDATE") && !previous.equals("FOR");
          if (isUpdate && text.equals("SET")) {
            return i + text.length();
          }
        }
        previous = text;
        i += Math.max(0, text.length() - 1);
      }
    }
    return -1;
  }

  /**
   * The queries for the versions of all rows of tables.
   *
   * @param tables in lower case and without quotes
   */
  List<String> versionQueries(List<String> tables) {
    String keys = hidesColumns() ? ", " + PRIMARY_KEY + ", " + VERSION_KEY : "";
    return tables.stream()
        .map(table -> "SELECT t.*" + keys + " FROM " + spelled(table) + " t")
        .toList();
  }

  private String spelled(String table) {
    return spellings.getOrDefault(table, table);
  }

  static boolean isOwn(String column) {
    return column.equalsIgnoreCase(PRIMARY_KEY) || column.equalsIgnoreCase(VERSION_KEY);
  }
}
