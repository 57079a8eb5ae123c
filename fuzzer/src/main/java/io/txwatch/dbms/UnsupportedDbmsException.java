package io.txwatch.dbms;

/** A DBMS that we do not know how to test. */
public final class UnsupportedDbmsException extends Exception {

  private static final long serialVersionUID = 1;

  /** That product. */
  public UnsupportedDbmsException(String product) {
    super(
        product
            + " is not among the databases that can be tested here: PostgreSQL, CockroachDB,"
            + " openGauss, MySQL, MariaDB, TiDB, OceanBase, H2, SQLite,"
            + " HSQLDB, Derby, DuckDB");
  }
}
