package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;
import java.util.Set;

class MySqlSql extends DialectSql {

  private static final Set<String> AGGREGATES =
      Set.of("GROUP_CONCAT", "JSON_ARRAYAGG", "JSON_OBJECTAGG", "BIT_AND", "BIT_OR", "BIT_XOR");

  /**
   * What is added to an INSERT of many rows can make it some three times as long, and
   * max_allowed_packet may be 1 MiB.
   */
  private static final int MAX_TEXT = 256 * 1024;

  private static final Set<Integer> REFUSED_TEXT = Set.of(1052, 1117, 1390, 1436);

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
  public String concatenate(String left, String right) {
    return "concat(" + left + ", " + right + ")";
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

  @Override
  public boolean readsCatalogInTransactions() {
    return true;
  }

  /**
   * A column's name is ambiguous; too many columns; too many placeholders; the thread's stack is
   * too small for the text.
   */
  @Override
  public boolean mayRefuseText(int vendorCode, boolean proven) {
    return !proven && REFUSED_TEXT.contains(vendorCode);
  }
}
