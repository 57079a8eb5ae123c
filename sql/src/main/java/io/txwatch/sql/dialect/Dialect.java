package io.txwatch.sql.dialect;

/**
 * A DBMS whose SQL is read; its {@link #grammar} is what a text may contain.
 *
 * <p>Code outside of this package does not compare dialects and does not switch on them: it asks
 * the grammar, or calls a method of a class for each, whose name states what differs.
 */
public enum Dialect {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(new PostgresGrammar()),
  /** MySQL, TiDB, OceanBase. */
  MYSQL(new MySqlGrammar()),
  /** MariaDB. */
  MARIADB(new MariaDbGrammar()),
  /** H2 in its regular mode. */
  H2(new H2Grammar()),
  /** SQLite. */
  SQLITE(new SqliteGrammar()),
  /** Any other DBMS, whose standard SQL is read and never rewritten. */
  OTHER(new OtherGrammar());

  private final Grammar grammar;

  Dialect(Grammar grammar) {
    this.grammar = grammar;
  }

  /** What a text may contain. */
  public Grammar grammar() {
    return grammar;
  }

  /** The dialect of a DBMS by its name, as its JDBC driver gives it; {@link #OTHER} if unknown. */
  public static Dialect of(String product) {
    return switch (product) {
      case "PostgreSQL" -> POSTGRESQL;
      case "MySQL" -> MYSQL;
      case "MariaDB" -> MARIADB;
      case "H2" -> H2;
      case "SQLite" -> SQLITE;
      default -> OTHER;
    };
  }
}
