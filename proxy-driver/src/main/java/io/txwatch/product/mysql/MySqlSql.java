package io.txwatch.product.mysql;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.PathChange;
import io.txwatch.dialect.PathStatement;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.sql.dialect.Dialect;
import io.txwatch.sql.syntax.Tokens;
import java.util.Optional;
import java.util.Set;

public class MySqlSql extends DialectSql {

  public static final MySqlSql INSTANCE = new MySqlSql();

  private static final DriverTraits DRIVER = new MySqlDriver();

  private static final Set<String> AGGREGATES =
      Set.of("GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "BIT_AND", "BIT_OR", "BIT_XOR");

  /**
   * What is added to an INSERT of many rows can make it some three times as long, and
   * max_allowed_packet may be 1 MiB.
   */
  private static final int MAX_TEXT = 256 * 1024;

  private static final String LEVEL_VARIABLES =
      "SHOW SESSION VARIABLES WHERE Variable_name IN"
          + " ('transaction_isolation', 'tx_isolation', 'innodb_snapshot_isolation',"
          + " 'tidb_txn_mode')";

  /** Characters that a list of versions may have: a small table's rows, and some to grow. */
  private static final int MAX_LIST_LENGTH = 512 * 1024;

  /** What commits a transaction (manual, 15.3.3), but for definitions of tables. */
  private static final Set<String> COMMITTING =
      Set.of(
          "ALTER",
          "TRUNCATE",
          "RENAME",
          "GRANT",
          "REVOKE",
          "ANALYZE",
          "OPTIMIZE",
          "REPAIR",
          "CHECK",
          "FLUSH",
          "RESET",
          "INSTALL",
          "UNINSTALL",
          "CACHE",
          "LOCK TABLES",
          "UNLOCK TABLES");

  /**
   * Ambiguous columns, limits, tables that were not locked, columns of views that cannot be
   * written, generated columns: with SQLState 23000 or HY000, and before anything is executed.
   */
  private static final Set<Integer> REFUSED_TEXT =
      Set.of(
          1052, 1093, 1100, 1117, 1137, 1221, 1288, 1347, 1348, 1356, 1390, 1393, 1394, 1436, 1471,
          1615, 1906, 3105);

  /** Locks, deadlocks, limits of time, what was cancelled, a snapshot that is too old. */
  private static final Set<Integer> ENDS_WAIT = Set.of(1020, 1205, 1213, 1317, 1969, 3024, 3572);

  @Override
  public Dialect dialect() {
    return Dialect.MYSQL;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

  /** AUTO_INCREMENT. */
  @Override
  public boolean mayMakeValuesFit() {
    return true;
  }

  @Override
  public boolean generatesForZero() {
    return true;
  }

  @Override
  public String quote(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.NONE;
  }

  @Override
  public boolean skipsUnchangedRows() {
    return true;
  }

  @Override
  public boolean countsReplacedRows() {
    return true;
  }

  @Override
  public boolean hasDefaultValues() {
    return false;
  }

  @Override
  public String concatenate(String... texts) {
    return texts.length == 1 ? texts[0] : "concat(" + String.join(", ", texts) + ")";
  }

  @Override
  public String orEmpty(String text) {
    return "ifnull(" + text + ", '')";
  }

  @Override
  public String containsParameter(String text) {
    return "locate(?, " + text + ") > 0";
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public int maxTextLength() {
    return MAX_TEXT;
  }

  /**
   * A column's name is ambiguous; too many columns; too many placeholders; the thread's stack is
   * too small for the text.
   */
  @Override
  public boolean mayRefuseText(int vendorCode) {
    return REFUSED_TEXT.contains(vendorCode);
  }

  @Override
  public boolean endsWait(int vendorCode) {
    return ENDS_WAIT.contains(vendorCode);
  }

  @Override
  public String orderedList(String text) {
    return "group_concat(%1$s order by %1$s separator ',')".formatted(text);
  }

  /** The hint bounds it. */
  @Override
  public String versionList(VersionList list) {
    return list.concatenated("");
  }

  @Override
  public String listHint() {
    return " /*+ SET_VAR(group_concat_max_len = " + MAX_LIST_LENGTH + ") */";
  }

  /** It does without a temporary table then. */
  @Override
  public boolean regroupsForAggregate(boolean joins, boolean ordered) {
    return true;
  }

  @Override
  public boolean locksNewestVersions() {
    return true;
  }

  @Override
  public boolean listsChangingColumns() {
    return true;
  }

  @Override
  public boolean warnsOfComparisons() {
    return true;
  }

  @Override
  public boolean commitsImplicitly(String verb, boolean ofTemporaryTable) {
    boolean defines = verb.equals("CREATE") || verb.equals("DROP");
    return defines ? !ofTemporaryTable : COMMITTING.contains(verb);
  }

  @Override
  public boolean hasDatabasesForSchemas() {
    return true;
  }

  @Override
  public boolean evaluatesBy(String verb) {
    return verb.equals("do");
  }

  /** {@code @@name} without a scope, and TRANSACTION without one, are of the next one alone. */
  @Override
  public boolean isLevelOfSession(String name, boolean ofSession) {
    boolean isNextOnly = name.startsWith("@@") ? name.indexOf('.') < 0 : name.equals("TRANSACTION");
    boolean ofTransactions =
        name.endsWith("TRANSACTION_ISOLATION")
            || name.endsWith("TX_ISOLATION")
            || (ofSession && name.equals("TRANSACTION"));
    return ofTransactions && (ofSession || !isNextOnly);
  }

  @Override
  public Optional<String> levelVariables() {
    return Optional.of(LEVEL_VARIABLES);
  }

  @Override
  public PathChange pathChange(PathStatement statement) {
    Tokens tokens = statement.tokens();
    int from = statement.from();
    return tokens.isWord(from, "USE")
        ? statement.to(statement.names(from + 1), false)
        : PathChange.NONE;
  }
}
