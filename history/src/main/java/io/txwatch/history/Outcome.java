package io.txwatch.history;

public enum Outcome {
  /** The DBMS acknowledged the commit. */
  COMMITTED,
  /** The DBMS acknowledged the rollback, or reported that the transaction was aborted. */
  ABORTED,
  /**
   * The connection was lost before a response arrived. It is treated neither as an abort nor as a
   * commit.
   */
  UNKNOWN
}
