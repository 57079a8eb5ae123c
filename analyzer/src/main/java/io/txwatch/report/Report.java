package io.txwatch.report;

import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups.Group;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A finished report, as documents show it.
 *
 * @param source what was analyzed, for the title: the names of files
 * @param written when it was analyzed
 * @param anomalies the anomalies, grouped by their call sites
 * @param ungrouped how many anomalies are not listed, for lack of room
 * @param coverage what was observed
 * @param predicted the races that were predicted; empty if the report has no such section
 */
public record Report(
    String source,
    Instant written,
    List<Group> anomalies,
    long ungrouped,
    Coverage coverage,
    Optional<PredictedRaces> predicted) {

  public Report {
    anomalies = List.copyOf(anomalies);
  }

  /** A report of what was observed alone. */
  public Report(
      String source, Instant written, List<Group> anomalies, long ungrouped, Coverage coverage) {
    this(source, written, anomalies, ungrouped, coverage, Optional.empty());
  }
}
