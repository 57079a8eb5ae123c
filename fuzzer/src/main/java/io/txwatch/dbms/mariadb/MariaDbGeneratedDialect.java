package io.txwatch.dbms.mariadb;

import io.txwatch.dbms.mysql.MySqlGeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;

/** The SQL that is generated for MariaDB. */
public final class MariaDbGeneratedDialect extends MySqlGeneratedDialect {

  @Override
  public String name() {
    return "MARIADB";
  }

  @Override
  public Dialect dialect() {
    return Dialect.MARIADB;
  }

  @Override
  public List<String> locks() {
    return List.of(" FOR UPDATE", " LOCK IN SHARE MODE");
  }

  @Override
  public boolean allowsWithBeforeWrite() {
    return false;
  }

  @Override
  public boolean supportsReturning(String kind) {
    return !kind.equals("UPDATE");
  }
}
