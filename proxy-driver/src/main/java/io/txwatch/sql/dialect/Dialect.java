package io.txwatch.sql.dialect;

/**
 * A DBMS whose SQL is read and, but for {@link #OTHER}, rewritten. What differs between them is in
 * a class each: {@link #grammar} is what a text may contain, {@link #sql} what can be added to a
 * text, {@link #driver} what its driver does.
 *
 * <p>Code outside of this package does not compare dialects and does not switch on them: it calls a
 * method of these classes, whose name says what differs. A package that needs a class of its own
 * for each DBMS selects it with {@link #select}.
 */
public enum Dialect {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(new PostgresGrammar(), new PostgresSql(), new PostgresDriver()),
  /** MySQL, TiDB, OceanBase. */
  MYSQL(new MySqlGrammar(), new MySqlSql(), new MySqlDriver()),
  /** MariaDB. */
  MARIADB(new MariaDbGrammar(), new MariaDbSql(), new MariaDbDriver()),
  /** H2 in its regular mode. */
  H2(new H2Grammar(), new H2Sql(), new H2Driver()),
  /** SQLite. */
  SQLITE(new SqliteGrammar(), new SqliteSql(), new SqliteDriver()),
  /** Any other DBMS, whose standard SQL is read and never rewritten. */
  OTHER(new OtherGrammar(), new OtherSql(), new OtherDriver());

  private final Grammar grammar;
  private final DialectSql sql;
  private final DriverTraits driver;

  Dialect(Grammar grammar, DialectSql sql, DriverTraits driver) {
    this.grammar = grammar;
    this.sql = sql;
    this.driver = driver;
  }

  /** What a text may contain. */
  public Grammar grammar() {
    return grammar;
  }

  /** What can be added to a text. */
  public DialectSql sql() {
    return sql;
  }

  /** What its JDBC driver does in its own way. */
  public DriverTraits driver() {
    return driver;
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
