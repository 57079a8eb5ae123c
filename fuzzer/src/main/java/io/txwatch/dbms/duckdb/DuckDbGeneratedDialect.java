package io.txwatch.dbms.duckdb;

import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Optional;

/** The SQL that is generated for DuckDB. Its statements are read as PostgreSQL's. */
public final class DuckDbGeneratedDialect implements GeneratedDialect {

  @Override
  public String name() {
    return "DUCKDB";
  }

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public Optional<String> savepoint(String name) {
    return Optional.empty();
  }

  @Override
  public Optional<String> release(String name) {
    return Optional.empty();
  }

  @Override
  public String doNothing() {
    return " ON CONFLICT DO NOTHING";
  }

  @Override
  public boolean canJoin(String kind) {
    return true;
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
  public boolean allowsSubqueryInJoin() {
    return false;
  }

  @Override
  public List<String> onDelete() {
    return List.of();
  }

  @Override
  public boolean checksEagerly() {
    return true;
  }
}
