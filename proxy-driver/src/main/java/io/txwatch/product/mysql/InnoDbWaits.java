package io.txwatch.product.mysql;

import io.txwatch.capture.WaitSource;
import java.util.List;

/**
 * InnoDB's list of waits, for which the privilege PROCESS is needed: MySQL 8 has it in {@code
 * performance_schema}, which SELECT is needed for; MariaDB and MySQL 5.7 have it in {@code
 * information_schema}. The transaction of a lock is looked up rather than its thread, which may be
 * that of another session that has moved the row.
 */
final class InnoDbWaits {

  static final WaitSource SOURCE = new WaitSource(List.of(newer(), older()));

  private InnoDbWaits() {}

  private static String newer() {
    return of(
        "performance_schema.data_lock_waits",
        "REQUESTING_ENGINE_TRANSACTION_ID",
        "BLOCKING_ENGINE_TRANSACTION_ID");
  }

  private static String older() {
    return of("information_schema.INNODB_LOCK_WAITS", "requesting_trx_id", "blocking_trx_id");
  }

  private static String of(String table, String waiting, String holding) {
    return "SELECT DISTINCT w.trx_mysql_thread_id, h.trx_mysql_thread_id FROM "
        + table
        + " l JOIN information_schema.INNODB_TRX w ON w.trx_id = l."
        + waiting
        + " JOIN information_schema.INNODB_TRX h ON h.trx_id = l."
        + holding;
  }
}
