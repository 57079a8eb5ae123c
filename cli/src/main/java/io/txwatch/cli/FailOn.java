package io.txwatch.cli;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;

/** The results that make a command fail. */
enum FailOn {
  /** Violations: the DBMS broke its promise. */
  VIOLATION,
  /** Also a history of which it is undecided whether it satisfies its level. */
  UNKNOWN,
  /** Violations and hazards: the application is exposed to what the level permits. */
  HAZARD,
  NEVER;

  /**
   * Whether an anomaly makes the command fail. One that is only suspected because a transaction has
   * not ended never does.
   */
  boolean includes(Anomaly anomaly) {
    boolean isConfirmed = anomaly.confidence() == Confidence.CONFIRMED;
    return switch (this) {
      case VIOLATION, UNKNOWN ->
          anomaly.verdict() == Verdict.VIOLATION && isConfirmed && !anomaly.possible();
      case HAZARD -> isConfirmed;
      case NEVER -> false;
    };
  }
}
