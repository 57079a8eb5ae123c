package io.txwatch.sql.dialect;

import io.txwatch.history.StatementKind;

/** What MariaDB does not have in common with MySQL. */
final class MariaDbSql extends MySqlSql {

  @Override
  public Returning returning(StatementKind kind) {
    return kind == StatementKind.DELETE ? Returning.CLAUSE : Returning.NONE;
  }
}
