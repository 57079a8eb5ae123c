package io.txwatch.dbms.hsqldb;

import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.dialect.Dialect;

/** The SQL that is generated for HSQLDB. Its statements are read as PostgreSQL's. */
public final class HsqldbGeneratedDialect implements GeneratedDialect {

  @Override
  public String name() {
    return "HSQLDB";
  }

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public boolean supportsOrderedRowNumber() {
    return false;
  }

  @Override
  public boolean hasRecursion() {
    return false;
  }

  @Override
  public boolean hasUpsert() {
    return false;
  }
}
