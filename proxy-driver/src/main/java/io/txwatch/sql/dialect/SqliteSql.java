package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;
import java.util.Set;

final class SqliteSql extends DialectSql {

  private static final Set<String> AGGREGATES = Set.of("GROUP_CONCAT", "TOTAL");

  /** SQLITE_MAX_VARIABLE_NUMBER. */
  private static final int MAX_VARIABLES = 32_766;

  /** SQLITE_MAX_SQL_LENGTH, with room for the values of what are parameters here. */
  private static final int MAX_TEXT = 900_000;

  /** The collation of a column may be another one than that of its key. */
  @Override
  public boolean comparesTextAsKeyDoes(boolean isParameter) {
    return false;
  }

  /** A name in double quotes that is no column is a string: so names are in backticks. */
  @Override
  public String quote(String name) {
    return '`' + name.replace("`", "``") + '`';
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.CLAUSE;
  }

  @Override
  public boolean hasReturningBeforeLimit() {
    return true;
  }

  @Override
  public boolean hasInvisibleColumns() {
    return false;
  }

  @Override
  public boolean hasEmptyRows() {
    return false;
  }

  @Override
  public String newRowId() {
    return "random() & 9223372036854775807";
  }

  @Override
  public String lastCharacters(String text, int count) {
    return "substr(" + text + ", -" + count + ")";
  }

  @Override
  public String containsParameter(String text) {
    return "instr(" + text + ", ?) > 0";
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public boolean hasScalarMinMax() {
    return true;
  }

  @Override
  public int maxParameters() {
    return MAX_VARIABLES;
  }

  @Override
  public int maxRewrittenLength() {
    return MAX_TEXT;
  }

  @Override
  public boolean attachesDatabases() {
    return true;
  }

  @Override
  public String quoteInDdl(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
  }

  /** SQLITE_ERROR, the code for everything that is wrong with a text. */
  @Override
  public boolean mayRefuseText(int vendorCode) {
    return (vendorCode & 0xff) == 1;
  }

  /** Busy, locked, interrupted. */
  @Override
  public boolean endsWait(int vendorCode) {
    int code = vendorCode & 0xff;
    return code == 5 || code == 6 || code == 9;
  }

  @Override
  public String orderedList(String text) {
    return "group_concat(%s, ',')".formatted(text);
  }

  @Override
  public String versionList(VersionList list) {
    return list.filtered(this, "group_concat(%s)", list.isSmallByCounting());
  }

  /** Which it may find by an index. */
  @Override
  public boolean reordersDistinctRows() {
    return true;
  }

  @Override
  public boolean takesReturningForAlias() {
    return true;
  }

  @Override
  public boolean findsReplacedRowsByKeys() {
    return true;
  }

  @Override
  public boolean hasTotalArithmetic() {
    return true;
  }

  @Override
  public boolean labelsByText() {
    return true;
  }

  @Override
  public boolean keepsMergedColumnsInPlace() {
    return true;
  }

  @Override
  public boolean foldsQuotedNames() {
    return true;
  }

  @Override
  public Set<String> systemColumns() {
    return Set.of("rowid", "oid", "_rowid_");
  }
}
