package io.txwatch.interleave.product.mysql;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Adds the sessions of MySQL and MariaDB that wait for a lock which the server and not InnoDB
 * grants: of a whole table, or of {@code GET_LOCK}. The state of a session names the wait for a
 * table until the session runs again, so a session that was released a moment ago may still be
 * included; its blockers are unknown.
 */
final class MetadataLockWaits {

  private static final String WAITS =
      "SELECT ID FROM information_schema.PROCESSLIST WHERE STATE LIKE 'Waiting for table%'";

  private final Connection watcher;
  private final UserLockWaits userLocks;
  private boolean isExpected;

  /** The sessions that have waited, also those of other cases. */
  private final Set<Long> found = new HashSet<>();

  MetadataLockWaits(Connection watcher) {
    this.watcher = watcher;
    this.userLocks = new UserLockWaits(watcher);
  }

  /** Determines whether there may be such waits; if not, there is no query. */
  void expect(boolean expected) {
    isExpected = expected;
    found.clear();
  }

  /** True if one of these sessions has waited since that was determined. */
  boolean hasFound(Collection<Long> sessions) {
    return sessions.stream().anyMatch(found::contains);
  }

  /** A wait-for graph with these waits added. */
  Map<Long, Set<Long>> addTo(Map<Long, Set<Long>> waiting) throws SQLException {
    if (!isExpected) {
      return waiting;
    }
    Map<Long, Set<Long>> all = new HashMap<>(waiting);
    all.putAll(userLocks.read());
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery(WAITS)) {
      while (result.next()) {
        found.add(result.getLong(1));
        all.putIfAbsent(result.getLong(1), Set.of());
      }
    }
    return all;
  }
}
