package io.txwatch.cli;

/** The exit codes of commands. */
final class ExitCode {

  /** Done, and nothing was found that {@code --fail-on} mentions. */
  static final int CLEAN = 0;

  /** Anomalies at or above {@code --fail-on}. */
  static final int ANOMALIES = 1;

  /** The command line, or what it names, is not usable. */
  static final int BAD_INPUT = 2;

  /** The DBMS could not be reached, or let this user not in. */
  static final int UNREACHABLE = 3;

  /** A fault of ours. */
  static final int INTERNAL = 4;

  /**
   * Whether a history satisfies its level, or most cases of a campaign, could not be decided, and
   * no anomaly was found.
   */
  static final int UNDECIDED = 5;

  private ExitCode() {}
}
