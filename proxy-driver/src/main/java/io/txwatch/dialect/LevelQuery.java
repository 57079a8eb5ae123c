package io.txwatch.dialect;

/**
 * When the isolation level of a session can be queried without an effect that the application
 * notices.
 */
public enum LevelQuery {
  /** Never: the driver does not ask its DBMS, or may begin a transaction. */
  NEVER,
  /** Between two transactions. */
  BETWEEN_TRANSACTIONS,
  /** At any time: the driver knows it. */
  ANY_TIME
}
