package io.txwatch.dbms;

/** The promise of a level for the final state. */
public enum FinalStatePromise {
  /** The order of the commits is a serial order: locks are kept until the end. */
  ORDER_OF_COMMITS,
  /**
   * Some order of the transactions is a serial order: a transaction that reads a snapshot precedes
   * the later writers.
   */
  SOME_ORDER,
  /** Some order of the single statements explains the final state. */
  STATEMENTS,
  /** No serial order need exist: snapshot isolation. */
  SNAPSHOT
}
