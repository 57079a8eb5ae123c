package io.txwatch.dialect;

import io.txwatch.history.StatementKind;

/** What MariaDB does not have in common with MySQL. */
final class MariaDbSql extends MySqlSql {

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
