package io.txwatch.dbms;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Asks a DBMS which of its sessions wait for a lock. A timer cannot tell a blocked statement from a
 * slow one; the DBMS can. For one thread at a time.
 */
public interface WaitMonitor extends AutoCloseable {

  /** Where no statement ever waits: it succeeds, or fails at once. */
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

  /** What people should know about how it is found out who waits: a line; empty if nothing. */
  default Optional<String> note() {
    return Optional.empty();
  }

  /** The DBMS's own number for the session behind a connection, which is idle. */
  long sessionId(Connection connection) throws SQLException;

  /**
   * The sessions that wait at this moment, each with those that it waits for, as far as the DBMS
   * tells: of those that do not wait themselves some may be left out. A session that was freed
   * before the call is not among them, even if it has not yet run since. Sessions of others may be
   * among them.
   */
  Map<Long, Set<Long>> waitGraph() throws SQLException;

  /**
   * The sessions that had changed something and not ended their transactions when it was asked
   * last; none if it does not tell.
   */
  default Set<Long> sessionsWithChanges() {
    return Set.of();
  }

  /**
   * Waits until the DBMS has done what it does by itself after transactions have ended, if a
   * session could meet that. To be called while no session does anything.
   */
  default void awaitHousekeeping() throws InterruptedException {}

  @Override
  void close() throws SQLException;
}
