package io.txwatch.changes;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections that are not watched. */
@FunctionalInterface
public interface ConnectionOpener {

  /** A new connection to the server of the log, as a user who sees the tables. */
  Connection open() throws SQLException;
}
