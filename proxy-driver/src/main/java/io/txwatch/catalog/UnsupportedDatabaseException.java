package io.txwatch.catalog;

import io.txwatch.history.Database;
import java.sql.SQLException;

/** The DBMS speaks no dialect that txwatch can rewrite, or its tables cannot be prepared. */
public final class UnsupportedDatabaseException extends SQLException {

  private static final long serialVersionUID = 1;

  /** For that DBMS. */
  public UnsupportedDatabaseException(Database database) {
    super(
        database.product().displayName()
            + " is not supported, or is set to a lexical mode that txwatch does not follow"
            + " (PostgreSQL, MySQL, MariaDB, H2 and SQLite are)");
  }

  /** For that reason. */
  public UnsupportedDatabaseException(String reason) {
    super(reason);
  }
}
