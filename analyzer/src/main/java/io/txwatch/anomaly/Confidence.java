package io.txwatch.anomaly;

/**
 * Whether every transaction of an anomaly has ended with a known outcome. That part of its evidence
 * is uncertain is another question: {@link Anomaly#possible()}.
 */
public enum Confidence {
  /**
   * At least one has not ended, or its outcome is unknown: the anomaly exists if that one commits.
   * Never a violation.
   */
  SUSPECTED,
  /** All have ended. */
  CONFIRMED
}
