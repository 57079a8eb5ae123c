package io.txwatch.dbms.sqlite;

import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;

/** The SQL that is generated for SQLite. */
public final class SqliteGeneratedDialect implements GeneratedDialect {

  @Override
  public String name() {
    return "SQLITE";
  }

  @Override
  public Dialect dialect() {
    return Dialect.SQLITE;
  }

  @Override
  public boolean allowsNumericConditions() {
    return true;
  }

  @Override
  public String ignore() {
    return " OR IGNORE";
  }

  @Override
  public boolean hasReplace() {
    return true;
  }

  @Override
  public String date(String day) {
    return "'" + day + "'";
  }

  @Override
  public boolean canJoin(String kind) {
    return kind.equals("UPDATE");
  }

  @Override
  public boolean allowsWithBeforeWrite() {
    return true;
  }

  @Override
  public boolean supportsReturning(String kind) {
    return true;
  }

  @Override
  public boolean hasQuantifiers() {
    return false;
  }

  @Override
  public List<String> onDelete() {
    return List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT");
  }
}
