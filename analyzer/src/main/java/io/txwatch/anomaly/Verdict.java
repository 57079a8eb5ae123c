package io.txwatch.anomaly;

/** Whether the DBMS or the application's choice of level is the cause. */
public enum Verdict {
  /** The DBMS broke what it promises at this level, in this version, with these settings. */
  VIOLATION,
  /** The level permits it, and the application is exposed. */
  HAZARD,
  /**
   * Transactions waited for each other's locks, and the DBMS rolled one back. That is no anomaly of
   * isolation: no data is wrong.
   */
  DEADLOCK
}
