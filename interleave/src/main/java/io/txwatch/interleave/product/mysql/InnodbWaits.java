package io.txwatch.interleave.product.mysql;

import io.txwatch.interleave.wait.WaitMonitor;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

/** The lock waits of MySQL and MariaDB; their source depends on the product and the privileges. */
public final class InnodbWaits {

  private InnodbWaits() {}

  /**
   * A monitor.
   *
   * @param watcher closed with it, or if it cannot be made
   * @param hasTable true if the performance schema has a table of lock waits: MySQL's has
   */
  public static WaitMonitor of(Connection watcher, boolean hasTable) throws SQLException {
    try {
      Optional<String> note = Optional.empty();
      if (hasTable) {
        Optional<String> whyUnreadable = PerformanceSchemaWaitMonitor.whyUnreadable(watcher);
        if (whyUnreadable.isEmpty()) {
          return new PerformanceSchemaWaitMonitor(watcher);
        }
        note =
            Optional.of(
                whyUnreadable.get() + ": lock waits are read from SHOW ENGINE INNODB STATUS");
      }
      return new InnodbStatusWaitMonitor(watcher, note);
    } catch (SQLException | RuntimeException e) {
      watcher.close();
      throw e;
    }
  }
}
