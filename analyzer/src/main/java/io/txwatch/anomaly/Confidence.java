package io.txwatch.anomaly;

/** Whether every transaction of an anomaly has ended with a known outcome. */
public enum Confidence {
  /** One at least has not ended, or its outcome is unknown. */
  SUSPECTED,
  /** All have. */
  CONFIRMED
}
