package io.txwatch.dbms.derby;

import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Optional;

/** The SQL that is generated for Derby. Its statements are read as PostgreSQL's. */
public final class DerbyGeneratedDialect implements GeneratedDialect {

  @Override
  public String name() {
    return "DERBY";
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
  public boolean hasCommonTableExpressions() {
    return false;
  }

  @Override
  public boolean hasRecursion() {
    return false;
  }

  @Override
  public Optional<String> savepoint(String name) {
    return Optional.of("SAVEPOINT " + name + " ON ROLLBACK RETAIN CURSORS");
  }

  @Override
  public boolean hasUpsert() {
    return false;
  }

  @Override
  public String date(String day) {
    return "DATE('" + day + "')";
  }

  @Override
  public String limit(int rows) {
    return " FETCH FIRST " + rows + " ROWS ONLY";
  }

  @Override
  public List<String> onUpdate() {
    return List.of("RESTRICT", "NO ACTION");
  }
}
