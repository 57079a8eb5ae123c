package io.txwatch.live;

import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.PredictedRaces;
import java.util.List;
import java.util.Optional;

/** The present results of an analyzer. Thread-safe, and never blocks for long. */
public interface LiveSource {

  /** Names what is watched, for the title. */
  String name();

  /** The anomalies found so far, in the order of the first of each group. */
  List<Group> anomalies();

  /** The present figures. */
  Figures figures();

  /**
   * The races that were predicted and executed, which are no anomalies; empty if there are none to
   * show. It stays present once it is. May read a file, so for pages alone.
   */
  default Optional<PredictedRaces> predicted() {
    return Optional.empty();
  }

  /** A status of its own as JSON, for tools; empty if the figures are all there is. */
  default Optional<String> statusJson() {
    return Optional.empty();
  }

  /**
   * Figures.
   *
   * @param coverage what was observed
   * @param anomalies the number of anomalies, including those that are not listed
   * @param sessions open sessions
   * @param graphBytes the approximate memory of the dependency graph
   * @param dropped events that were lost
   */
  record Figures(Coverage coverage, long anomalies, long sessions, long graphBytes, long dropped) {}
}
