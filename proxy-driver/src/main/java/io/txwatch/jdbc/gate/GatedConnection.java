package io.txwatch.jdbc.gate;

import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import java.sql.Connection;
import java.sql.SQLException;

/** A watched connection that calls are made on. */
public interface GatedConnection {

  /** A number that is not known. */
  long UNKNOWN_NUMBER = 0;

  /**
   * The number that the DBMS gave the connection, by which it names it as blocked; {@link
   * #UNKNOWN_NUMBER} if the driver does not state it.
   */
  long number();

  /** The DBMS at its other end. */
  Database database();

  /** True if its transactions read from one snapshot until they end. */
  boolean keepsSnapshot();

  /** The isolation level of the transaction that is open, or that the next statement begins. */
  IsolationLevel level();

  /** True if each statement is a transaction now. */
  boolean isAutocommit();

  /**
   * Opens another connection to the same database, which is not watched.
   *
   * @throws SQLException if that cannot be
   */
  Connection openAnother() throws SQLException;
}
