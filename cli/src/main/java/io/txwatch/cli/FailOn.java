package io.txwatch.cli;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;

/** Which anomalies make a command fail. */
enum FailOn {
  /** A DBMS broke its promise. */
  VIOLATION,
  /** Or an application is exposed to what the level permits. */
  HAZARD,
  /** None. */
  NEVER;

  /**
   * Whether an anomaly is reason enough. What is only suspected because a transaction has not ended
   * never is: it may come to nothing.
   */
  boolean isMetBy(Anomaly anomaly) {
    boolean mayComeToNothing = anomaly.confidence() == Confidence.SUSPECTED && !anomaly.possible();
    return switch (this) {
      case VIOLATION ->
          anomaly.verdict() == Verdict.VIOLATION && anomaly.confidence() == Confidence.CONFIRMED;
      case HAZARD -> !mayComeToNothing;
      case NEVER -> false;
    };
  }
}
