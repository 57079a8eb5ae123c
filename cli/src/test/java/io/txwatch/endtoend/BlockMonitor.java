package io.txwatch.endtoend;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Set;

/**
 * Asks a DBMS which of its sessions wait for a lock. A timer cannot tell a blocked statement from a
 * slow one; the DBMS can.
 */
interface BlockMonitor extends AutoCloseable {

  /** The DBMS's own number for the session behind a connection, which is idle. */
  long sessionOf(Connection connection) throws SQLException;

  /**
   * The sessions that wait at this moment, each with those that it waits for, or with none if the
   * DBMS does not say whom. A session that was freed before the call is not among them, even if it
   * has not yet run since.
   */
  Map<Long, Set<Long>> waiting() throws SQLException;

  @Override
  void close() throws SQLException;
}
