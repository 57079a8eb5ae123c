package io.txwatch.dbms;

import io.txwatch.history.Database;

/** The storage engine of MySQL and MariaDB. */
public final class Innodb {

  private Innodb() {}

  /** True if the DBMS stores its tables in InnoDB. */
  public static boolean isEngineOf(Database database) {
    return database.product().is("MySQL") || database.product().is("MariaDB");
  }
}
