package io.txwatch.catalog;

import java.sql.SQLException;

/** The connection of txwatch's own, without which nothing can be watched, could not be opened. */
public final class SeparateConnectionException extends SQLException {

  private static final long serialVersionUID = 1L;

  SeparateConnectionException(SQLException cause) {
    super(cause.getMessage(), cause.getSQLState(), cause.getErrorCode(), cause);
  }
}
