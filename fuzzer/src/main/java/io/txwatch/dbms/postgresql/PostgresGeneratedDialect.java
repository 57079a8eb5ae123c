package io.txwatch.dbms.postgresql;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.generator.Partitions;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Set;

/** The SQL that is generated for PostgreSQL, CockroachDB and openGauss. */
public final class PostgresGeneratedDialect implements GeneratedDialect {

  private final Set<SqlFeature> missing;

  /** The SQL of a server that lacks nothing. */
  public PostgresGeneratedDialect() {
    this(Set.of());
  }

  /**
   * The SQL of a server.
   *
   * @param missing what it lacks
   */
  public PostgresGeneratedDialect(Set<SqlFeature> missing) {
    this.missing = Set.copyOf(missing);
  }

  @Override
  public Set<SqlFeature> missing() {
    return missing;
  }

  @Override
  public String name() {
    return "POSTGRESQL";
  }

  @Override
  public Dialect dialect() {
    return Dialect.POSTGRESQL;
  }

  @Override
  public List<String> locks() {
    return List.of(" FOR UPDATE", " FOR SHARE", " FOR NO KEY UPDATE");
  }

  @Override
  public List<String> begins() {
    return List.of("BEGIN", "BEGIN", "START TRANSACTION");
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
  public boolean allowsWriteInWith() {
    return true;
  }

  @Override
  public boolean supportsReturning(String kind) {
    return true;
  }

  @Override
  public List<String> onDelete() {
    return List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT");
  }

  @Override
  public boolean actionsFireTriggers() {
    return true;
  }

  @Override
  public List<Partitions> partitions(int bound, boolean hasGaps) {
    return List.of(
        new Partitions(
            " PARTITION BY HASH (c0)",
            List.of(
                "FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
                "FOR VALUES WITH (MODULUS 2, REMAINDER 1)"),
            false),
        new Partitions(
            " PARTITION BY RANGE (c0)",
            List.of(
                "FOR VALUES FROM (MINVALUE) TO (" + bound + ")",
                hasGaps ? "FOR VALUES FROM (" + bound + ") TO (9)" : "DEFAULT"),
            hasGaps),
        new Partitions(
            " PARTITION BY LIST (c0)",
            List.of(
                "FOR VALUES IN (NULL, -1, 0, 1, 2)",
                hasGaps ? "FOR VALUES IN (3, 4, 5, 6, 7)" : "DEFAULT"),
            hasGaps));
  }

  @Override
  public boolean partitionsSupportForeignKeys() {
    return true;
  }
}
