package io.txwatch.anomaly;

/** Whether every transaction of an anomaly has ended with a known outcome. */
public enum Confidence {
  /**
   * One at least has not ended, or its outcome is unknown: it would be there if that one committed.
   * Or it rests on a dependency that may be none ({@link Anomaly#possible()}). Never a violation.
   */
  SUSPECTED,
  /** All have. */
  CONFIRMED
}
