package io.txwatch.anomaly;

/** Whose fault an anomaly is. */
public enum Verdict {
  /** The DBMS broke what it promises at this level, in this version, with these settings. */
  VIOLATION,
  /** The level permits it, and the application is exposed. */
  HAZARD
}
