package io.txwatch.endtoend;

import java.sql.Connection;

/** The levels' short names in JDBC's numbers. */
final class Levels {

  private Levels() {}

  static int jdbc(String level) {
    return switch (level) {
      case "RU" -> Connection.TRANSACTION_READ_UNCOMMITTED;
      case "RC" -> Connection.TRANSACTION_READ_COMMITTED;
      case "RR" -> Connection.TRANSACTION_REPEATABLE_READ;
      case "SER" -> Connection.TRANSACTION_SERIALIZABLE;
      default -> throw new IllegalArgumentException("not a level of JDBC: " + level);
    };
  }
}
