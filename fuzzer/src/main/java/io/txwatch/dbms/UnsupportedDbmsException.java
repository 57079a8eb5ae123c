package io.txwatch.dbms;

/** The fuzzer does not support the DBMS. */
public final class UnsupportedDbmsException extends Exception {

  private static final long serialVersionUID = 1;

  /** Creates an exception for the product. */
  public UnsupportedDbmsException(String product) {
    super(
        product
            + " is not among the databases that can be tested here: PostgreSQL, CockroachDB,"
            + " openGauss, MySQL, MariaDB, TiDB, OceanBase, H2, SQLite,"
            + " HSQLDB, Derby, DuckDB");
  }
}
