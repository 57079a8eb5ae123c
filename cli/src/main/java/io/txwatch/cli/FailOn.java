package io.txwatch.cli;

import io.txwatch.anomaly.Verdict;

/** Which anomalies make a command fail. */
enum FailOn {
  /** A DBMS broke its promise. */
  VIOLATION,
  /** Or an application is exposed to what the level permits. */
  HAZARD,
  /** None. */
  NEVER;

  boolean isMetBy(Verdict verdict) {
    return switch (this) {
      case VIOLATION -> verdict == Verdict.VIOLATION;
      case HAZARD -> true;
      case NEVER -> false;
    };
  }
}
