package io.txwatch.dbms.h2;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The SQL that is generated for H2. */
public final class H2GeneratedDialect implements GeneratedDialect {

  private final Set<SqlFeature> missing;

  /** The SQL of a version that lacks nothing. */
  public H2GeneratedDialect() {
    this(Set.of());
  }

  /**
   * The SQL of a version.
   *
   * @param missing what it lacks
   */
  public H2GeneratedDialect(Set<SqlFeature> missing) {
    this.missing = Set.copyOf(missing);
  }

  @Override
  public Set<SqlFeature> missing() {
    return missing;
  }

  @Override
  public String name() {
    return "H2";
  }

  @Override
  public Dialect dialect() {
    return Dialect.H2;
  }

  @Override
  public List<String> locks() {
    return List.of(" FOR UPDATE");
  }

  @Override
  public Optional<String> release(String name) {
    return Optional.empty();
  }

  /** Not MERGE … KEY: 2.5.252 retries forever if a row exists that the statement does not see. */
  @Override
  public boolean upsertsByMerge() {
    return true;
  }

  @Override
  public String incoming(String column) {
    return "s." + column;
  }
}
