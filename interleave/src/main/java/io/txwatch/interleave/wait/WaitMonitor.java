package io.txwatch.interleave.wait;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Reports which sessions of a DBMS are blocked by a lock. A timer cannot distinguish a blocked
 * statement from a slow one; the DBMS can. For one thread at a time.
 */
public interface WaitMonitor extends AutoCloseable {

  /** For a DBMS in which no statement blocks: it succeeds or fails at once. */
  static WaitMonitor neverBlocking() {
    return new WaitMonitor() {
      private long sessions;

      @Override
      public long sessionId(Connection connection) {
        return ++sessions;
      }

      @Override
      public Map<Long, Set<Long>> waitGraph() {
        return Map.of();
      }

      @Override
      public void close() {}
    };
  }

  /** The number in the first column of a query's first row. */
  static long number(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    }
  }

  /** A line for users about the method of detection; empty if there is nothing to mention. */
  default Optional<String> note() {
    return Optional.empty();
  }

  /** The DBMS's id of the session behind an idle connection. */
  long sessionId(Connection connection) throws SQLException;

  /**
   * The sessions that are blocked now, each with its blockers, as far as the DBMS reports them:
   * blockers that are not blocked themselves may be missing. A session that was released before the
   * call is not included, even if it has not run since. Sessions of other users may be included.
   */
  Map<Long, Set<Long>> waitGraph() throws SQLException;

  /**
   * Determines whether sessions may wait for locks of whole tables and of definitions, which some
   * DBMSs report elsewhere.
   */
  default void expectTableLocks(boolean expected) {}

  /**
   * True if, since that was determined, one of these sessions has waited for a lock that the DBMS
   * may report as awaited although it was granted: when the session goes on is then unknown.
   */
  default boolean hasUncertainWaits(Collection<Long> sessions) {
    return false;
  }

  /**
   * The sessions with uncommitted changes at the last poll; empty if the DBMS does not report them.
   */
  default Set<Long> sessionsWithChanges() {
    return Set.of();
  }

  /**
   * Waits until the DBMS has finished its background work after transactions have ended, if that
   * work could affect a session. To be called while no session is active.
   */
  default void awaitHousekeeping() throws InterruptedException {}

  @Override
  void close() throws SQLException;
}
