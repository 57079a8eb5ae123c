package io.txwatch.product.sqlite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.product.other.OtherSql;
import java.util.Set;

/** SQLite, to whose statements nothing is added. */
public final class SqliteSql extends DialectSql {

  private static final Set<String> AGGREGATES = Set.of("GROUP_CONCAT", "TOTAL");

  /** The collation of a column may be another one than that of its key. */
  @Override
  public boolean comparesTextAsKeyDoes(boolean isParameter) {
    return false;
  }

  @Override
  public Returning returning(StatementKind kind) {
    return Returning.NONE;
  }

  @Override
  public boolean hasAuxiliaryColumns() {
    return false;
  }

  @Override
  public Set<String> aggregates() {
    return AGGREGATES;
  }

  @Override
  public boolean attachesDatabases() {
    return true;
  }

  @Override
  public String containsParameter(String text) {
    throw OtherSql.notRewritten();
  }

  @Override
  public String versionList(VersionList list) {
    throw OtherSql.notRewritten();
  }
}
