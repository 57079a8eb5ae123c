package io.txwatch.interleave.product.mysql;

import io.txwatch.interleave.product.mysql.InnodbStatusWaitMonitor.Wait;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The waiting transactions that {@code SHOW ENGINE INNODB STATUS} leaves out: on MySQL 5.7 and
 * later and on MariaDB 10.2 those that have written nothing, such as a locking query or any query
 * at SERIALIZABLE. {@code INNODB_TRX} has them, but InnoDB updates it only if no session has read
 * it for a tenth of a second. So it is read that seldom.
 */
final class HiddenReaders {

  private static final Pattern SERIES = Pattern.compile("^(5\\.7|[89]\\.\\d+|10\\.2)\\.");

  /** InnoDB's CACHE_MIN_IDLE_TIME_US, and a margin. */
  private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(130);

  private static final String WAITS =
      "SELECT trx_mysql_thread_id, trx_requested_lock_id, CONCAT(trx_started, ' ', trx_query)"
          + " FROM information_schema.INNODB_TRX WHERE trx_state = 'LOCK WAIT'";

  /** Space, page and record of a lock, with the transaction before or the address after them. */
  private static final int LOCK_ID_PARTS = 4;

  /** When the table was last read, by any monitor of this process. */
  private static long lastRead = System.nanoTime() - INTERVAL_NANOS;

  private final Connection watcher;

  private HiddenReaders(Connection watcher) {
    this.watcher = watcher;
  }

  /** Empty for a server that shows all transactions. */
  static Optional<HiddenReaders> of(Connection watcher) throws SQLException {
    try (Statement statement = watcher.createStatement();
        ResultSet version = statement.executeQuery("SELECT VERSION()")) {
      version.next();
      return SERIES.matcher(version.getString(1)).find()
          ? Optional.of(new HiddenReaders(watcher))
          : Optional.empty();
    }
  }

  /** All waiting sessions; nothing if the table may not be current. */
  Map<Long, Wait> read() throws SQLException {
    synchronized (HiddenReaders.class) {
      if (System.nanoTime() - lastRead < INTERVAL_NANOS) {
        return Map.of();
      }
      Map<Long, Wait> waits = new HashMap<>();
      try (Statement statement = watcher.createStatement();
          ResultSet rows = statement.executeQuery(WAITS)) {
        while (rows.next()) {
          waits.put(
              rows.getLong(1), new Wait(rows.getString(3), row(rows.getString(2)), false, false));
        }
      }
      lastRead = System.nanoTime();
      return waits;
    }
  }

  /**
   * The row as the status names it. MySQL 5.7 and MariaDB name its lock {@code
   * transaction:space:page:record}; MySQL 8 appends the address of the lock, and 9.7 has one more
   * number before the space.
   */
  static String row(String lockId) {
    String[] parts = lockId.split(":");
    int space = parts.length > LOCK_ID_PARTS ? parts.length - LOCK_ID_PARTS : 1;
    return parts.length >= LOCK_ID_PARTS
        ? "space id %s page no %s heap no %s"
            .formatted(parts[space], parts[space + 1], parts[space + 2])
        : lockId;
  }
}
