package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Properties;

/** Opens connections through the vendor's driver. Thread-safe. */
@FunctionalInterface
public interface Connector {

  /** Opens a connection to the URL with the configured user and password. */
  Connection connect(String url) throws SQLException;

  /** The user and the password that it adds to a URL; empty if the URL has them. */
  default Properties credentials() {
    return new Properties();
  }
}
