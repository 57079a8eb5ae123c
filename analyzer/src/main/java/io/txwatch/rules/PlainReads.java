package io.txwatch.rules;

import io.txwatch.history.IsolationLevel;

/** Which versions the plain SELECTs of a transaction return. */
public enum PlainReads {
  /** Those that were current when the statement was executed. */
  NEWEST,
  /** Those of the transaction's one snapshot. */
  SNAPSHOT,
  /** Those of a snapshot of each table, taken when the transaction first uses the table. */
  SNAPSHOT_OF_TABLE,
  /** Those of a snapshot or current ones: it is not known which. */
  UNCERTAIN;

  /** Where nothing is known of a DBMS but what the names of levels mean. */
  static PlainReads byName(IsolationLevel level) {
    return readsNewest(level) ? NEWEST : UNCERTAIN;
  }

  /** Where a transaction reads from a snapshot at levels that are named for it. */
  public static PlainReads ofSnapshots(IsolationLevel level) {
    return switch (level) {
      case UNKNOWN -> UNCERTAIN;
      case READ_UNCOMMITTED, READ_COMMITTED -> NEWEST;
      case REPEATABLE_READ, SNAPSHOT, SERIALIZABLE -> SNAPSHOT;
    };
  }

  private static boolean readsNewest(IsolationLevel level) {
    return level == IsolationLevel.READ_UNCOMMITTED || level == IsolationLevel.READ_COMMITTED;
  }
}
