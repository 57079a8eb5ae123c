package io.txwatch.catalog;

import java.sql.SQLException;

/** The DBMS speaks no dialect that txwatch can rewrite, or its tables cannot be prepared. */
public final class UnsupportedDatabaseException extends SQLException {

  private static final long serialVersionUID = 1;

  /** For that reason. */
  public UnsupportedDatabaseException(String reason) {
    super(reason);
  }
}
