package io.txwatch.cli;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;
import io.txwatch.report.AnomalyGroups.Group;

/** The results that make a command fail. */
enum FailOn {
  /** Violations: the DBMS broke its promise. */
  VIOLATION,
  /** Also a history of which it is undecided whether it satisfies its level. */
  UNKNOWN,
  /** Violations and hazards: the application is exposed to what the level permits. */
  HAZARD,
  /** The same, with a baseline that is required: what it does not accept. */
  NEW,
  NEVER;

  /** Whether a kind of anomaly makes the command fail: not if a baseline accepts it. */
  boolean includes(Group group) {
    return group.accepted().isEmpty() && includes(group.first());
  }

  /**
   * Whether an anomaly makes the command fail. One that is only suspected because a transaction has
   * not ended never does, nor does a deadlock.
   */
  boolean includes(Anomaly anomaly) {
    boolean isConfirmed = anomaly.confidence() == Confidence.CONFIRMED;
    return switch (this) {
      case VIOLATION, UNKNOWN ->
          anomaly.verdict() == Verdict.VIOLATION && isConfirmed && !anomaly.possible();
      case HAZARD, NEW -> isConfirmed && anomaly.verdict() != Verdict.DEADLOCK;
      case NEVER -> false;
    };
  }
}
