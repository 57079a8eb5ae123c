package io.txwatch.generator;

import io.txwatch.sql.dialect.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The SQL of generated statements: the extensions that each DBMS supports. */
public enum GeneratedDialect {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(List.of(" FOR UPDATE", " FOR SHARE", " FOR NO KEY UPDATE")),
  /** MySQL, TiDB, OceanBase. */
  MYSQL(List.of(" FOR UPDATE", " FOR SHARE")),
  MARIADB(List.of(" FOR UPDATE", " LOCK IN SHARE MODE")),
  H2(List.of(" FOR UPDATE")),
  SQLITE(List.of("")),
  HSQLDB(List.of("")),
  DERBY(List.of("")),
  DUCKDB(List.of(""));

  private final List<String> locks;

  GeneratedDialect(List<String> locks) {
    this.locks = locks;
  }

  /**
   * Selects the grammar of a DBMS.
   *
   * @param product its name
   * @param dialect the driver's dialect for it
   * @return empty if no statements can be generated for it
   */
  public static Optional<GeneratedDialect> of(String product, Optional<Dialect> dialect) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "hsql database engine" -> Optional.of(HSQLDB);
      case "apache derby" -> Optional.of(DERBY);
      case "duckdb" -> Optional.of(DUCKDB);
      default -> dialect.map(known -> valueOf(known.name()));
    };
  }

  /** The dialect by which its statements are read: of a DBMS without one, PostgreSQL's. */
  public Dialect dialect() {
    return switch (this) {
      case HSQLDB, DERBY, DUCKDB -> Dialect.POSTGRESQL;
      default -> Dialect.valueOf(name());
    };
  }

  /** The clauses with which a query locks the rows it reads. */
  List<String> locks() {
    return locks;
  }

  /** The statements that begin a transaction; the common one is repeated. */
  List<String> begins() {
    return switch (this) {
      case MYSQL, MARIADB ->
          List.of(
              "BEGIN", "BEGIN", "START TRANSACTION", "START TRANSACTION WITH CONSISTENT SNAPSHOT");
      case POSTGRESQL -> List.of("BEGIN", "BEGIN", "START TRANSACTION");
      default -> List.of("BEGIN");
    };
  }

  /** True if a number may be used as a condition. */
  boolean allowsNumericConditions() {
    return isMySql() || this == SQLITE;
  }

  /** True for MySQL and MariaDB, where an assignment sees the values assigned to its left. */
  boolean isMySql() {
    return this == MYSQL || this == MARIADB;
  }

  /** True if {@code ROW_NUMBER} accepts an order. */
  boolean supportsOrderedRowNumber() {
    return this != HSQLDB && this != DERBY;
  }

  /** True if WITH is supported. */
  boolean hasCommonTableExpressions() {
    return this != DERBY;
  }

  /** True if WITH RECURSIVE is supported. */
  boolean hasRecursion() {
    return this != HSQLDB && this != DERBY;
  }

  /** The statement that sets a savepoint; empty if savepoints are not supported. */
  Optional<String> savepoint(String name) {
    return switch (this) {
      case DUCKDB -> Optional.empty();
      case DERBY -> Optional.of("SAVEPOINT " + name + " ON ROLLBACK RETAIN CURSORS");
      default -> Optional.of("SAVEPOINT " + name);
    };
  }

  /** The clause after INSERT that skips duplicate keys, if the grammar has one there. */
  String ignore() {
    return switch (this) {
      case MYSQL, MARIADB -> " IGNORE";
      case SQLITE -> " OR IGNORE";
      default -> "";
    };
  }

  /** The same clause at the end of the statement. */
  String doNothing() {
    return this == POSTGRESQL || this == DUCKDB ? " ON CONFLICT DO NOTHING" : "";
  }

  /** The literal of a date. */
  String date(String day) {
    return switch (this) {
      case SQLITE -> "'" + day + "'";
      case DERBY -> "DATE('" + day + "')";
      default -> "DATE '" + day + "'";
    };
  }

  /** The literal of a column's default. */
  String defaultLiteral(String literal) {
    return isMySql() ? literal.replace("DATE ", "") : literal;
  }

  /** The clause that limits the number of a query's rows. */
  String limit(int rows) {
    return this == DERBY ? " FETCH FIRST " + rows + " ROWS ONLY" : " LIMIT " + rows;
  }

  /** True if UPDATE and DELETE accept ORDER BY and LIMIT. */
  boolean limitsWrites() {
    return isMySql();
  }

  /** True if this kind of write may join its table with others. */
  boolean canJoin(String kind) {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB, DUCKDB -> true;
      case SQLITE -> kind.equals("UPDATE");
      default -> false;
    };
  }

  /** True if UPDATE and DELETE accept a preceding WITH. */
  boolean allowsWithBeforeWrite() {
    return this == POSTGRESQL || this == MYSQL || this == SQLITE || this == DUCKDB;
  }

  /** True if WITH accepts a write. */
  boolean allowsWriteInWith() {
    return this == POSTGRESQL;
  }

  /** True if this kind of write may return the written rows. */
  boolean supportsReturning(String kind) {
    return switch (this) {
      case POSTGRESQL, SQLITE, DUCKDB -> true;
      case MARIADB -> !kind.equals("UPDATE");
      default -> false;
    };
  }

  /** True if {@code = ANY (SELECT …)} is supported. */
  boolean hasQuantifiers() {
    return this != SQLITE;
  }

  /** True if the condition of a join may contain subqueries. */
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

  /** The statement that releases a savepoint; empty if there is none. */
  Optional<String> release(String name) {
    return this == H2 || this == DUCKDB
        ? Optional.empty()
        : Optional.of("RELEASE SAVEPOINT " + name);
  }

  /** The actions of a foreign key on DELETE; those with SET apply only to nullable columns. */
  List<String> onDelete() {
    return switch (this) {
      case POSTGRESQL, SQLITE ->
          List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION", "SET DEFAULT");
      case DUCKDB -> List.of();
      default -> List.of("CASCADE", "SET NULL", "RESTRICT", "NO ACTION");
    };
  }

  /** The actions of a foreign key on UPDATE. */
  List<String> onUpdate() {
    return this == DERBY ? List.of("RESTRICT", "NO ACTION") : onDelete();
  }

  /** True if partitioned tables are supported. */
  boolean hasPartitions() {
    return this == POSTGRESQL || isMySql();
  }

  /** True if partitioned tables may have foreign keys, and be referenced by them. */
  boolean partitionsSupportForeignKeys() {
    return this == POSTGRESQL;
  }

  /** True if constraints are checked against rows that the statement itself removes. */
  boolean checksEagerly() {
    return this == DUCKDB;
  }
}
