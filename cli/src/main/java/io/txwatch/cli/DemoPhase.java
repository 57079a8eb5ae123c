package io.txwatch.cli;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import java.util.List;

/**
 * One run of the demo's application, in a JVM of its own, watched as a user would watch theirs.
 *
 * @param name the phase
 * @param fixed true if it ran the corrected code
 * @param isolation the level of its transactions
 * @param transactions the number of the service's transactions that committed
 * @param output what the application printed, without its last line
 * @param warnings the lines of txwatch in the application's standard error
 * @param live the anomalies found while it ran, one line of JSON each
 * @param recorded the anomalies found in the history that it recorded
 */
record DemoPhase(
    String name,
    boolean fixed,
    String isolation,
    long transactions,
    List<String> output,
    List<String> warnings,
    List<String> live,
    List<Anomaly> recorded,
    Coverage coverage) {

  /** The phases, in the order of the demo. */
  static final List<String> NAMES =
      List.of("lost-update", "double-booking", "write-skew", "read-skew");

  enum WatchMode {
    AGENT,
    /** {@code jdbc:txwatch:} in front of the URL. */
    URL
  }
}
