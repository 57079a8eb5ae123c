package io.txwatch.junit;

import io.txwatch.analyzer.AnomalyListeners;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.Report;
import io.txwatch.report.TextReport;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;

/** The anomalies that are found while a test runs. Thread-safe. */
final class FoundDuringTest {

  private final List<Anomaly> anomalies = new CopyOnWriteArrayList<>();
  private final Runnable end = AnomalyListeners.INSTANCE.add(anomalies::add);

  private FoundDuringTest() {}

  static FoundDuringTest begin() {
    return new FoundDuringTest();
  }

  /** Later ones are not noted. */
  void end() {
    end.run();
  }

  /** Those of ended transactions that no doubt is left of. */
  List<Anomaly> confirmed() {
    return anomalies.stream()
        .filter(a -> a.confidence() == Confidence.CONFIRMED && !a.possible())
        .toList();
  }

  /** Each kind once, with the number of its occurrences. */
  private static AnomalyGroups groups(List<Anomaly> anomalies) {
    AnomalyGroups groups = new AnomalyGroups();
    anomalies.forEach(groups::add);
    return groups;
  }

  /** The message of a failed test. */
  static String text(List<Anomaly> anomalies) {
    return groups(anomalies).groups().stream()
        .map(TextReport::of)
        .collect(Collectors.joining("\n", "transactions of this test are not isolated\n\n", ""));
  }

  /**
   * The report of the test.
   *
   * @param test its name
   */
  Report report(String test, Coverage coverage) {
    AnomalyGroups groups = groups(confirmed());
    return new Report(test, Instant.now(), groups.groups(), groups.ungrouped(), coverage);
  }
}
