package io.txwatch.interleave.product.h2;

import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * H2 reports the blocker of each session. A released session clears the entry itself when it next
 * runs, so if its thread cannot be observed, the entry counts only while the blocker has
 * uncommitted changes.
 */
public final class H2WaitMonitor implements WaitMonitor {

  private static final int COLUMN_NOT_FOUND = 42122;

  private final Connection watcher;
  private final boolean isThreadObservable;
  private final PreparedStatement poll;
  private Set<Long> sessionsWithChanges = Set.of();

  public H2WaitMonitor(Connection watcher, boolean isThreadObservable) throws SQLException {
    this.watcher = watcher;
    this.isThreadObservable = isThreadObservable;
    this.poll = poll(watcher);
  }

  private static PreparedStatement poll(Connection watcher) throws SQLException {
    String query =
        "SELECT SESSION_ID, BLOCKER_ID, CONTAINS_UNCOMMITTED FROM INFORMATION_SCHEMA.SESSIONS";
    try {
      return watcher.prepareStatement(query);
    } catch (SQLException e) {
      if (e.getErrorCode() != COLUMN_NOT_FOUND) {
        throw e;
      }
      return watcher.prepareStatement(query.replace("SESSION_ID", "ID")); // up to 1.4.200
    }
  }

  @Override
  public long sessionId(Connection connection) throws SQLException {
    return WaitMonitor.number(connection, "SELECT SESSION_ID()");
  }

  @Override
  public Map<Long, Set<Long>> waitGraph() throws SQLException {
    Map<Long, Set<Long>> waiting = new HashMap<>();
    Set<Long> changing = new HashSet<>();
    try (ResultSet result = poll.executeQuery()) {
      while (result.next()) {
        long blocker = result.getLong(2);
        if (!result.wasNull()) {
          waiting.put(result.getLong(1), Set.of(blocker));
        }
        if (result.getBoolean(3)) {
          changing.add(result.getLong(1));
        }
      }
    }
    sessionsWithChanges = changing;
    if (!isThreadObservable) {
      waiting.values().removeIf(blockers -> !changing.containsAll(blockers));
    }
    return waiting;
  }

  @Override
  public Set<Long> sessionsWithChanges() {
    return sessionsWithChanges;
  }

  @Override
  public void close() throws SQLException {
    watcher.close();
  }
}
