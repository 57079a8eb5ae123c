package io.txwatch.sql.dialect;

/** The SQL that a DBMS speaks, as far as it changes tokens, shapes and what can be spliced in. */
public enum Dialect {
  /** PostgreSQL, CockroachDB, openGauss. */
  POSTGRESQL,
  /** MySQL, TiDB, OceanBase. */
  MYSQL,
  /** MariaDB. */
  MARIADB,
  /** H2 in its regular mode. */
  H2,
  /** SQLite. */
  SQLITE
}
