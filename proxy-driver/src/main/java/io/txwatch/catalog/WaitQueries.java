package io.txwatch.catalog;

import io.txwatch.capture.WaitSource;
import io.txwatch.history.Product;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads who waits for whom. Once the server has refused all queries, none is sent any more. */
final class WaitQueries {

  /** After a failure that is no refusal, as while the server restarts. */
  private static final long PAUSE_NANOS = 10_000_000_000L;

  private final WaitSource source;
  private final SeparateConnection connection;
  private final Product product;
  private final CatalogLog log;
  private int refused;
  private boolean isPaused;
  private long pausedAt;

  WaitQueries(WaitSource source, SeparateConnection connection, Product product, CatalogLog log) {
    this.source = source;
    this.connection = connection;
    this.product = product;
    this.log = log;
  }

  /**
   * The numbers of the connections that wait, each with those that it waits for; empty if that
   * cannot be read.
   */
  synchronized Optional<Map<Long, Set<Long>>> waits() {
    if (isPaused && System.nanoTime() - pausedAt < PAUSE_NANOS) {
      return Optional.empty();
    }
    isPaused = false;
    while (refused < source.queries().size()) {
      String query = source.queries().get(refused);
      try {
        return Optional.of(connection.use(own -> read(own, query)));
      } catch (SQLException e) {
        String state = String.valueOf(e.getSQLState());
        if (!state.startsWith("42")) {
          isPaused = true;
          pausedAt = System.nanoTime();
          return Optional.empty();
        }
        refused++;
        if (refused == source.queries().size()) {
          log.notice(
              product.displayName()
                  + " does not let this user read who waits for locks, so waits are not observed:"
                  + " SQLState "
                  + state
                  + ", code "
                  + e.getErrorCode()
                  + " (docs/reports.md lists the privileges; txwatch.waits=off hides this line)");
        }
      }
    }
    return Optional.empty();
  }

  private static Map<Long, Set<Long>> read(Connection own, String query) throws SQLException {
    Map<Long, Set<Long>> waits = new HashMap<>();
    try (Statement statement = own.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      while (rows.next()) {
        waits.computeIfAbsent(rows.getLong(1), waiting -> new HashSet<>()).add(rows.getLong(2));
      }
    }
    return waits;
  }
}
