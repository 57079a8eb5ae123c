package io.txwatch.generator;

import io.txwatch.sql.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The SQL that statements are made in: what a DBMS offers beyond what all of them do. */
public enum Grammar {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(List.of(" FOR UPDATE", " FOR SHARE", " FOR NO KEY UPDATE")),
  /** MySQL, TiDB, OceanBase. */
  MYSQL(List.of(" FOR UPDATE", " FOR SHARE")),
  /** MariaDB. */
  MARIADB(List.of(" FOR UPDATE", " LOCK IN SHARE MODE")),
  /** H2. */
  H2(List.of(" FOR UPDATE")),
  /** SQLite. */
  SQLITE(List.of("")),
  /** HSQLDB. */
  HSQLDB(List.of("")),
  /** Derby. */
  DERBY(List.of("")),
  /** DuckDB. */
  DUCKDB(List.of(""));

  private final List<String> locks;

  Grammar(List<String> locks) {
    this.locks = locks;
  }

  /**
   * The SQL of a DBMS.
   *
   * @param product its name
   * @param dialect what is known of its SQL otherwise
   * @return empty if no statements can be made for it
   */
  public static Optional<Grammar> of(String product, Optional<Dialect> dialect) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "hsql database engine" -> Optional.of(HSQLDB);
      case "apache derby" -> Optional.of(DERBY);
      case "duckdb" -> Optional.of(DUCKDB);
      default -> dialect.map(known -> valueOf(known.name()));
    };
  }

  /** What a query may end with to lock what it reads. */
  List<String> locks() {
    return locks;
  }

  /** True if a number may stand for a condition. */
  boolean allowsNumericConditions() {
    return isMySql() || this == SQLITE;
  }

  /** True if an assignment sees what was assigned to its left. */
  boolean isMySql() {
    return this == MYSQL || this == MARIADB;
  }

  /** True if {@code ROW_NUMBER} may have an order. */
  boolean supportsOrderedRowNumber() {
    return this != HSQLDB && this != DERBY;
  }

  /** True if there is WITH. */
  boolean hasCommonTableExpressions() {
    return this != DERBY;
  }

  /** True if there is WITH RECURSIVE. */
  boolean hasRecursion() {
    return this != HSQLDB && this != DERBY;
  }

  /** The text that sets a savepoint; empty if there are none. */
  Optional<String> savepoint(String name) {
    return switch (this) {
      case DUCKDB -> Optional.empty();
      case DERBY -> Optional.of("SAVEPOINT " + name + " ON ROLLBACK RETAIN CURSORS");
      default -> Optional.of("SAVEPOINT " + name);
    };
  }

  /**
   * What stands behind INSERT where a taken key is to be passed over, if that is where it stands.
   */
  String ignore() {
    return switch (this) {
      case MYSQL, MARIADB -> " IGNORE";
      case SQLITE -> " OR IGNORE";
      default -> "";
    };
  }

  /** The same at the end of the statement. */
  String doNothing() {
    return this == POSTGRESQL || this == DUCKDB ? " ON CONFLICT DO NOTHING" : "";
  }

  /** A day. */
  String date(String day) {
    return switch (this) {
      case SQLITE -> "'" + day + "'";
      case DERBY -> "DATE('" + day + "')";
      default -> "DATE '" + day + "'";
    };
  }

  /** A literal as a column's default. */
  String defaultLiteral(String literal) {
    return isMySql() ? literal.replace("DATE ", "") : literal;
  }

  /** What a query ends with to return so many rows. */
  String limit(int rows) {
    return this == DERBY ? " FETCH FIRST " + rows + " ROWS ONLY" : " LIMIT " + rows;
  }

  /** True if UPDATE and DELETE may end with ORDER BY and LIMIT. */
  boolean limitsWrites() {
    return isMySql();
  }

  /** True if that kind of write may join its table with others. */
  boolean canJoin(String kind) {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB, DUCKDB -> true;
      case SQLITE -> kind.equals("UPDATE");
      default -> false;
    };
  }

  /** True if there may be a WITH before an UPDATE and a DELETE. */
  boolean allowsWithBeforeWrite() {
    return this == POSTGRESQL || this == MYSQL || this == SQLITE || this == DUCKDB;
  }

  /** True if there may be a write within a WITH. */
  boolean allowsWriteInWith() {
    return this == POSTGRESQL;
  }

  /** True if that kind of write may return the rows that it wrote. */
  boolean supportsReturning(String kind) {
    return switch (this) {
      case POSTGRESQL, SQLITE, DUCKDB -> true;
      case MARIADB -> !kind.equals("UPDATE");
      default -> false;
    };
  }

  /** True if there is {@code = ANY (SELECT …)}. */
  boolean hasQuantifiers() {
    return this != SQLITE;
  }

  /** True if the condition of a join may have subqueries. */
  boolean allowsSubqueryInJoin() {
    return this != DUCKDB;
  }

  /** In an upsert, the value that was to be inserted. */
  String incoming(String column) {
    return switch (this) {
      case MYSQL, MARIADB -> "VALUES(" + column + ")";
      case H2 -> "s." + column;
      default -> "EXCLUDED." + column;
    };
  }

  /** The text that gives a savepoint up; empty if there is none. */
  Optional<String> release(String name) {
    return this == H2 || this == DUCKDB
        ? Optional.empty()
        : Optional.of("RELEASE SAVEPOINT " + name);
  }

  /**
   * What may become of the rows that refer to one that is deleted; SET … only where they take
   * nulls.
   */
  List<String> onDelete() {
    return switch (this) {
      case POSTGRESQL, SQLITE ->
          List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT");
      case DUCKDB -> List.of();
      default -> List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION");
    };
  }

  /** The same where its key is updated. */
  List<String> onUpdate() {
    return this == DERBY ? List.of("RESTRICT", "NO ACTION") : onDelete();
  }

  /** True if tables may have partitions. */
  boolean hasPartitions() {
    return this == POSTGRESQL || isMySql();
  }

  /** True if a table that has partitions may refer to others, and they to it. */
  boolean partitionsSupportForeignKeys() {
    return this == POSTGRESQL;
  }

  /** True if a key counts as taken, or a parent as missing, by what the statement itself undoes. */
  boolean checksEagerly() {
    return this == DUCKDB;
  }
}
