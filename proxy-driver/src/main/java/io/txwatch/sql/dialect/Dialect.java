package io.txwatch.sql.dialect;

/**
 * A DBMS whose SQL is read and rewritten. What differs between them is in a class each: {@link
 * #grammar} is what a text may contain, {@link #sql} what can be added to a text.
 *
 * <p>Code outside of this package does not compare dialects and does not switch on them: it calls a
 * method of these classes, whose name says what differs. A package that needs a class of its own
 * for each DBMS selects it with {@link #select}.
 */
public enum Dialect {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL(new PostgresGrammar(), new PostgresSql()),
  /** MySQL, TiDB, OceanBase. */
  MYSQL(new MySqlGrammar(), new MySqlSql()),
  /** MariaDB. */
  MARIADB(new MariaDbGrammar(), new MariaDbSql()),
  /** H2 in its regular mode. */
  H2(new H2Grammar(), new H2Sql()),
  /** SQLite. */
  SQLITE(new SqliteGrammar(), new SqliteSql());

  private final Grammar grammar;
  private final DialectSql sql;

  Dialect(Grammar grammar, DialectSql sql) {
    this.grammar = grammar;
    this.sql = sql;
  }

  /** What a text may contain. */
  public Grammar grammar() {
    return grammar;
  }

  /** What can be added to a text. */
  public DialectSql sql() {
    return sql;
  }

  /** Selects the one for this DBMS, of a package's own classes for each. */
  public <T> T select(T postgres, T mysql, T mariaDb, T h2, T sqlite) {
    return switch (this) {
      case POSTGRESQL -> postgres;
      case MYSQL -> mysql;
      case MARIADB -> mariaDb;
      case H2 -> h2;
      case SQLITE -> sqlite;
    };
  }
}
