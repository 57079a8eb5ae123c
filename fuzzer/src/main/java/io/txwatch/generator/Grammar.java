package io.txwatch.generator;

import io.txwatch.sql.Dialect;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The SQL that statements are made in: what a DBMS offers beyond what all of them do. */
public enum Grammar {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(List.of(" FOR UPDATE", " FOR SHARE")),
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
  boolean takesNumbersForConditions() {
    return isMySql() || this == SQLITE;
  }

  /** True if an assignment sees what was assigned to its left. */
  boolean isMySql() {
    return this == MYSQL || this == MARIADB;
  }

  /** True if {@code ROW_NUMBER} may have an order. */
  boolean hasWindows() {
    return this != HSQLDB && this != DERBY;
  }

  /** True if there is WITH. */
  boolean hasCommonTableExpressions() {
    return this != DERBY;
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
}
