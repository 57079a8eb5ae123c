package io.txwatch.dbms.mysql;

import io.txwatch.dbms.SqlFeature;
import io.txwatch.generator.GeneratedDialect;
import io.txwatch.generator.Partitions;
import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Set;

/** The SQL that is generated for MySQL, TiDB and OceanBase. */
public class MySqlGeneratedDialect implements GeneratedDialect {

  private final Set<SqlFeature> missing;

  /** The SQL of a server that lacks nothing. */
  public MySqlGeneratedDialect() {
    this(Set.of());
  }

  /**
   * The SQL of a server.
   *
   * @param missing what it lacks
   */
  public MySqlGeneratedDialect(Set<SqlFeature> missing) {
    this.missing = Set.copyOf(missing);
  }

  @Override
  public Set<SqlFeature> missing() {
    return missing;
  }

  @Override
  public String name() {
    return "MYSQL";
  }

  @Override
  public Dialect dialect() {
    return Dialect.MYSQL;
  }

  @Override
  public List<String> locks() {
    return List.of(" FOR UPDATE", has(SqlFeature.FOR_SHARE) ? " FOR SHARE" : " LOCK IN SHARE MODE");
  }

  @Override
  public List<String> begins() {
    return List.of(
        "BEGIN", "BEGIN", "START TRANSACTION", "START TRANSACTION WITH CONSISTENT SNAPSHOT");
  }

  @Override
  public boolean allowsNumericConditions() {
    return true;
  }

  @Override
  public boolean convertsTexts() {
    return true;
  }

  @Override
  public boolean assignsInOrder() {
    return true;
  }

  @Override
  public String ignore() {
    return " IGNORE";
  }

  @Override
  public String onDuplicate(String key) {
    return " ON DUPLICATE KEY UPDATE ";
  }

  @Override
  public String incoming(String column) {
    return "VALUES(" + column + ")";
  }

  @Override
  public boolean hasReplace() {
    return true;
  }

  @Override
  public String defaultLiteral(String literal) {
    return literal.replace("DATE ", "");
  }

  @Override
  public boolean limitsWrites() {
    return true;
  }

  @Override
  public boolean canJoin(String kind) {
    return true;
  }

  @Override
  public boolean writesWithJoin() {
    return true;
  }

  @Override
  public boolean allowsWithBeforeWrite() {
    return hasCommonTableExpressions();
  }

  @Override
  public List<Partitions> partitions(int bound, boolean hasGaps) {
    return List.of(
        new Partitions(" PARTITION BY HASH (c0) PARTITIONS " + (1 + bound), List.of(), false),
        new Partitions(
            " PARTITION BY RANGE (c0) (PARTITION p0 VALUES LESS THAN ("
                + bound
                + "), PARTITION p1 VALUES LESS THAN "
                + (hasGaps ? "(9))" : "MAXVALUE)"),
            List.of(),
            hasGaps),
        new Partitions(
            " PARTITION BY LIST (c0) (PARTITION p0 VALUES IN (NULL, -1, 0, 1, 2),"
                + " PARTITION p1 VALUES IN (3, 4, 5, 6, 7))",
            List.of(),
            true));
  }
}
