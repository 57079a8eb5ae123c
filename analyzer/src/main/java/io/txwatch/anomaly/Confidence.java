package io.txwatch.anomaly;

/** Whether every transaction of an anomaly has ended with a known outcome. */
public enum Confidence {
  /**
   * At least one has not ended, or its outcome is unknown: the anomaly exists if that one commits.
   * Or one of its dependencies is only possible ({@link Anomaly#possible()}). Never a violation.
   */
  SUSPECTED,
  /** All have ended. */
  CONFIRMED
}
