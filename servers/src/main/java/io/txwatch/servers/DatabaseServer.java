package io.txwatch.servers;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/**
 * A running database server, or an embedded engine with the same interface. Thread-safe.
 *
 * <p>Its URLs contain user and password, so that {@code DriverManager.getConnection(url)} is
 * enough.
 */
public interface DatabaseServer extends AutoCloseable {

  ServerKind kind();

  /** The JDBC URL of a database that exists, with user and password. */
  String url();

  /** A user that may create databases, tables and users. */
  String user();

  /** The user's password, maybe empty. */
  String password();

  /**
   * Creates an empty database.
   *
   * @param name lower-case letters, digits and underscores, at most 40; a database of that name is
   *     dropped first
   * @return its JDBC URL, with user and password
   * @throws SQLException if it cannot be created; the driver of {@link #kind()} must be on the
   *     class path
   */
  String newDatabase(String name) throws SQLException;

  /** A connection to {@link #url()}. */
  default Connection connect() throws SQLException {
    return DriverManager.getConnection(url());
  }

  /** Stops the server and removes its data. Never throws; the second call does nothing. */
  @Override
  void close();
}
