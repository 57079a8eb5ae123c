package io.txwatch.interleave.product.mysql;

import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Detects lock waits on MySQL 8 and later, from a table that is always current. The thread of a row
 * lock there is the one that created the lock entry: for an inserted row, the session that found
 * it; for a row that grows, the session that moved it, including the locks of all others. Table
 * locks, which come first, always belong to the transaction's own session, so they identify the
 * session. Only blockers that wait themselves are reported.
 */
final class PerformanceSchemaWaitMonitor implements WaitMonitor {

  /** Access denied: to a database, a column, a table, or for lack of a privilege. */
  private static final Set<Integer> DENIED = Set.of(1044, 1142, 1143, 1227);

  /** MySQL 5.7 and earlier have no such tables. */
  private static final int NO_SUCH_TABLE = 1146;

  private static final String WAITS =
      """
        SELECT t.PROCESSLIST_ID, w.REQUESTING_ENGINE_TRANSACTION_ID,
               w.BLOCKING_ENGINE_TRANSACTION_ID
        FROM performance_schema.data_lock_waits w
        JOIN performance_schema.data_locks l
          ON l.ENGINE_TRANSACTION_ID = w.REQUESTING_ENGINE_TRANSACTION_ID
         AND l.LOCK_TYPE = 'TABLE'
        JOIN performance_schema.threads t ON t.THREAD_ID = l.THREAD_ID\
        """;

  private final Connection watcher;
  private final MetadataLockWaits tableLocks;

  PerformanceSchemaWaitMonitor(Connection watcher) {
    this.watcher = watcher;
    this.tableLocks = new MetadataLockWaits(watcher);
  }

  /**
   * Why the lock waits cannot be read; empty if they can. With {@code performance_schema=OFF} the
   * table exists and is always empty.
   */
  static Optional<String> whyUnreadable(Connection connection) throws SQLException {
    if (WaitMonitor.number(connection, "SELECT @@performance_schema") == 0) {
      return Optional.of("performance_schema is OFF");
    }
    try (Statement statement = connection.createStatement()) {
      statement.executeQuery(WAITS).close();
      return Optional.empty();
    } catch (SQLException e) {
      if (DENIED.contains(e.getErrorCode())) {
        return Optional.of("the user may not read performance_schema");
      }
      if (e.getErrorCode() == NO_SUCH_TABLE) {
        return Optional.of("performance_schema has no table of the waits for rows");
      }
      throw e;
    }
  }

  @Override
  public long sessionId(Connection connection) throws SQLException {
    return WaitMonitor.number(connection, "SELECT CONNECTION_ID()");
  }

  @Override
  public Map<Long, Set<Long>> waitGraph() throws SQLException {
    Map<Long, Long> sessionOfTransaction = new HashMap<>();
    Map<Long, Set<Long>> blockers = new HashMap<>();
    try (Statement statement = watcher.createStatement();
        ResultSet result = statement.executeQuery(WAITS)) {
      while (result.next()) {
        sessionOfTransaction.put(result.getLong(2), result.getLong(1));
        blockers.computeIfAbsent(result.getLong(1), w -> new HashSet<>()).add(result.getLong(3));
      }
    }
    blockers.replaceAll(
        (session, transactions) ->
            transactions.stream()
                .map(sessionOfTransaction::get)
                .filter(Objects::nonNull)
                .collect(Collectors.toSet()));
    return tableLocks.addTo(blockers);
  }

  @Override
  public void expectTableLocks(boolean expected) {
    tableLocks.expect(expected);
  }

  @Override
  public boolean hasUncertainWaits(Collection<Long> sessions) {
    return tableLocks.hasFound(sessions);
  }

  @Override
  public void close() throws SQLException {
    watcher.close();
  }
}
