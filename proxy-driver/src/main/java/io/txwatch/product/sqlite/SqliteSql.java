package io.txwatch.product.sqlite;

import io.txwatch.dialect.DialectSql;
import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.product.other.OtherSql;
import io.txwatch.sql.dialect.Dialect;
import java.util.Set;

/** SQLite, to whose statements nothing is added. */
public final class SqliteSql extends DialectSql {

  public static final SqliteSql INSTANCE = new SqliteSql();

  private static final DriverTraits DRIVER = new SqliteDriver();

  private static final Set<String> AGGREGATES = Set.of("GROUP_CONCAT", "TOTAL");

  @Override
  public Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

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
  public String orderedList(String text) {
    throw OtherSql.notRewritten();
  }

  @Override
  public String versionList(VersionList list) {
    throw OtherSql.notRewritten();
  }

  @Override
  public boolean changesLevelsByPragma() {
    return true;
  }

  @Override
  public boolean isInternalSchema(String schema) {
    return schema.equals("temp");
  }
}
