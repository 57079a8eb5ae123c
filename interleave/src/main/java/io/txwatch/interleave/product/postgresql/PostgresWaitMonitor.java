package io.txwatch.interleave.product.postgresql;

import io.txwatch.interleave.wait.WaitMonitor;
import io.txwatch.product.postgresql.PgCatalogNames;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads lock waits from {@code pg_locks} and {@code pg_blocking_pids}. */
public final class PostgresWaitMonitor implements WaitMonitor {

  private final Connection watcher;

  public PostgresWaitMonitor(Connection watcher) {
    this.watcher = watcher;
  }

  @Override
  public long sessionId(Connection connection) throws SQLException {
    return WaitMonitor.number(connection, "SELECT pg_catalog.pg_backend_pid()");
  }

  @Override
  public Map<Long, Set<Long>> waitGraph() throws SQLException {
    Map<Long, Set<Long>> waiting = new HashMap<>();
    try (Statement statement = watcher.createStatement();
        ResultSet result =
            statement.executeQuery(
                PgCatalogNames.qualify(
                    """
                    SELECT pid, blockers
                    FROM (SELECT DISTINCT pid FROM pg_catalog.pg_locks WHERE NOT granted) AS waiters,
                         pg_blocking_pids(pid) AS blockers
                    WHERE cardinality(blockers) > 0\
                    """))) {
      while (result.next()) {
        Integer[] blockers = (Integer[]) result.getArray(2).getArray();
        waiting.put(
            result.getLong(1),
            Arrays.stream(blockers).map(Integer::longValue).collect(Collectors.toSet()));
      }
    }
    return waiting;
  }

  @Override
  public void close() throws SQLException {
    watcher.close();
  }
}
