package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections through the vendor's driver. Thread-safe. */
@FunctionalInterface
public interface Connector {

  /** Opens a connection to the URL with the configured user and password. */
  Connection connect(String url) throws SQLException;
}
