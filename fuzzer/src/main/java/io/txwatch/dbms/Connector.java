package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.SQLException;

/** Opens connections of a vendor's own driver. Thread-safe. */
@FunctionalInterface
public interface Connector {

  /** A new connection to that URL, with the user and the password that were asked for. */
  Connection connect(String url) throws SQLException;
}
