package io.txwatch.jdbc.session;

import io.txwatch.history.IsolationLevel;
import java.sql.Connection;

/** JDBC's numbers for isolation levels, and those that vendors added. */
public final class Levels {

  private static final int H2_SNAPSHOT = 6;

  /** SQL Server's, which others took over. */
  private static final int SNAPSHOT = 4096;

  private Levels() {}

  /** The level of a number; unknown if there are no transactions, or the number is not known. */
  public static IsolationLevel of(int level) {
    return switch (level) {
      case Connection.TRANSACTION_READ_UNCOMMITTED -> IsolationLevel.READ_UNCOMMITTED;
      case Connection.TRANSACTION_READ_COMMITTED -> IsolationLevel.READ_COMMITTED;
      case Connection.TRANSACTION_REPEATABLE_READ -> IsolationLevel.REPEATABLE_READ;
      case H2_SNAPSHOT, SNAPSHOT -> IsolationLevel.SNAPSHOT;
      case Connection.TRANSACTION_SERIALIZABLE -> IsolationLevel.SERIALIZABLE;
      default -> IsolationLevel.UNKNOWN;
    };
  }
}
