package io.txwatch.product.mariadb;

import io.txwatch.dialect.DriverTraits;
import io.txwatch.dialect.VersionList;
import io.txwatch.history.StatementKind;
import io.txwatch.product.mysql.MySqlSql;
import io.txwatch.sql.dialect.Dialect;

/** What MariaDB does not have in common with MySQL. */
public final class MariaDbSql extends MySqlSql {

  public static final MariaDbSql INSTANCE = new MariaDbSql();

  private static final DriverTraits DRIVER = new MariaDbDriver();

  @Override
  public Dialect dialect() {
    return Dialect.MARIADB;
  }

  @Override
  public DriverTraits driver() {
    return DRIVER;
  }

  @Override
  public Returning returning(StatementKind kind) {
    return kind == StatementKind.DELETE ? Returning.CLAUSE : Returning.NONE;
  }

  @Override
  public String versionList(VersionList list) {
    return list.concatenated(" limit " + list.maxRows());
  }

  @Override
  public String listHint() {
    return "";
  }

  /** In a temporary table. */
  @Override
  public boolean renamesSortedTables() {
    return true;
  }
}
