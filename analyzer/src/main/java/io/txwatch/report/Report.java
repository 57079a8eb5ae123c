package io.txwatch.report;

import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups.Group;
import java.time.Instant;
import java.util.List;

/**
 * A finished report, as documents show it.
 *
 * @param source what was analyzed, for the title: the names of files
 * @param written when it was analyzed
 * @param anomalies the anomalies, grouped by their call sites
 * @param ungrouped how many anomalies are not listed, for lack of room
 * @param coverage what was observed
 */
public record Report(
    String source, Instant written, List<Group> anomalies, long ungrouped, Coverage coverage) {

  public Report {
    anomalies = List.copyOf(anomalies);
  }
}
