package io.txwatch.history;

/** How a transaction ended. */
public enum Outcome {
  /** The DBMS acknowledged the commit. */
  COMMITTED,
  /** The DBMS acknowledged the rollback, or told that the transaction was aborted. */
  ABORTED,
  /** The connection was lost before an answer came: never taken for an abort, nor for a commit. */
  UNKNOWN
}
