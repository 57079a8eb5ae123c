package io.txwatch.oracle.txcheck;

import io.txwatch.dbms.DbmsBehaviour;
import io.txwatch.dbms.DbmsBehaviour.VersionColumns;
import io.txwatch.sql.semantics.TableDefinition;
import io.txwatch.sql.syntax.TokenKind;
import io.txwatch.sql.syntax.Tokens;
import io.txwatch.testcase.SqlText;
import io.txwatch.testcase.Step;
import io.txwatch.testcase.TestCase;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

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

  private final VersionColumns added;
  private final boolean hidesColumns;

  /** By table, in lower case and without quotes, its columns as the definition spells them. */
  private final Map<String, List<String>> columns = new HashMap<>();

  /** By the same name, the table as statements spell it; parents before children. */
  private final Map<String, String> spellings = new LinkedHashMap<>();

  /** Of a DBMS that has {@linkplain DbmsBehaviour#versionColumns such columns}. */
  Instrumentation(DbmsBehaviour dbms, TestCase testCase) {
    this(dbms.versionColumns().orElseThrow(), dbms.hidesAddedColumns(), testCase);
  }

  Instrumentation(VersionColumns added, boolean hidesColumns, TestCase testCase) {
    this.added = added;
    this.hidesColumns = hidesColumns;
    for (String sql : testCase.setup()) {
      SqlText text = SqlText.of(sql);
      TableDefinition.of(text.tokens()).ifPresent(table -> add(text, table));
    }
  }

  private void add(SqlText text, TableDefinition table) {
    spellings.put(table.table(), text.text(table.name()));
    columns.put(
        table.table(),
        table.columns().stream().map(column -> text.tokens().text(column.span().from())).toList());
  }

  /** True if statements do not see the columns unless they name them. */
  boolean hidesColumns() {
    return hidesColumns;
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
    SqlText text = SqlText.of(sql);
    return TableDefinition.of(text.tokens())
        .map(table -> table.list().to() - 1)
        .map(end -> text.withBefore(List.of(end), ", " + definitions()))
        .orElseGet(() -> withColumnNames(sql));
  }

  private String definitions() {
    return PRIMARY_KEY + " " + added.key() + ", " + VERSION_KEY + " " + added.version();
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
    SqlText text = SqlText.of(sql);
    List<String> names = text.write().map(write -> columns.get(write.table())).orElse(List.of());
    return hidesColumns() && !names.isEmpty() ? text.withColumns(names) : sql;
  }

  private String withReturnedKeys(String sql) {
    SqlText text = SqlText.of(sql);
    return hidesColumns() && returnsKeys(sql)
        ? "SELECT *, " + PRIMARY_KEY + ", " + VERSION_KEY + " " + text.from(2)
        : sql;
  }

  /** True if a query returns whole rows of one table, with their keys; then the table. */
  boolean returnsKeys(String sql) {
    return columns.containsKey(tableOf(sql))
        && !SqlText.of(sql).hasAny("UNION", "INTERSECT", "EXCEPT", "GROUP", "HAVING", "JOIN");
  }

  /** The table of a query that {@linkplain #returnsKeys returns keys}. */
  static String tableOf(String sql) {
    Tokens tokens = SqlText.of(sql).tokens();
    int from = 2;
    if (tokens.isWord(3, PRIMARY_KEY) && tokens.isWord(5, VERSION_KEY)) {
      from = 6;
    }
    int end = tokens.nameEnd(from + 1);
    boolean isWhole =
        tokens.isWord(0, "SELECT")
            && tokens.isOperator(1, '*')
            && tokens.isWord(from, "FROM")
            && end == from + 2
            && (end == tokens.count()
                || tokens.isAnyWord(end, "WHERE", "ORDER", "LIMIT", "FOR", "LOCK"));
    return isWhole ? tokens.folded(end - 1) : "";
  }

  /** Adds the assignment of the version key to the first assignments outside of parentheses. */
  static String withVersionKey(String sql, int version) {
    SqlText text = SqlText.of(sql);
    if (text.assignments().isEmpty()) {
      return sql;
    }
    int start = text.assignments().get(0);
    Tokens tokens = text.tokens();
    String qualifier = tokens.is(start + 1, TokenKind.DOT) ? tokens.text(start) + "." : "";
    return text.withBefore(List.of(start), qualifier + VERSION_KEY + " = " + version + ", ");
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
