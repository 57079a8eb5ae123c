package io.txwatch.sql.dialect;

/**
 * A DBMS whose SQL is read; its {@link #grammar} is what a text may contain.
 *
 * <p>Code outside of this package does not compare dialects and does not switch on them: it calls a
 * method of a class for each, whose name states what differs, and selects that class with {@link
 * #select}.
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

  /** Selects the one for this DBMS, of a package's own classes for each. */
  public <T> T select(T postgres, T mysql, T mariaDb, T h2, T sqlite, T other) {
    return switch (this) {
      case POSTGRESQL -> postgres;
      case MYSQL -> mysql;
      case MARIADB -> mariaDb;
      case H2 -> h2;
      case SQLITE -> sqlite;
      case OTHER -> other;
    };
  }
}
