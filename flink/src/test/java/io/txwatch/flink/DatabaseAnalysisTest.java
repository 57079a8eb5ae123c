package io.txwatch.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Chunk;
import io.txwatch.link.TopicRecord;
import io.txwatch.report.JsonReport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DatabaseAnalysisTest {

  private static final long MEMORY = 64 << 20;

  /** As {@code check} analyzes a topic: nothing is discarded. */
  static List<String> checked(Iterable<TopicRecord> records) throws IOException {
    return checked(records, true);
  }

  /** The same; what is suspected at the end is left out unless nothing follows. */
  static List<String> checked(Iterable<TopicRecord> records, boolean ends) throws IOException {
    List<String> found = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> found.add(JsonReport.anomaly(anomaly)), MEMORY)) {
      analyzer.shared();
      analyzer.retain(0);
      for (TopicRecord one : records) {
        Chunk.decode(one.value()).forEach(analyzer::accept);
      }
      if (ends) {
        analyzer.suspectAll();
      }
      return List.copyOf(found);
    }
  }

  /** The same, each as often. */
  static void assertSame(List<String> found, List<String> expected) {
    List<String> missing = new ArrayList<>(expected);
    List<String> added = new ArrayList<>();
    for (String one : found) {
      if (!missing.remove(one)) {
        added.add(one);
      }
    }
    assertThat(missing)
        .as("missing of %d, with %d others", expected.size(), added.size())
        .isEmpty();
    assertThat(added).as("added to %d", expected.size()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void continuedAnalysisDetectsWhatOneDoesThatNeverStops(long seed) throws IOException {
    List<TimedRecord> records = new SimulatedTraffic(seed, 3, 1, 40, 8_000).inOrder();
    List<String> expected = checked(records.stream().map(TimedRecord::record).toList());
    assertThat(expected).hasSizeGreaterThan(20);

    List<String> found = new ArrayList<>();
    int most = continued(records, (int) seed, found);

    assertSame(found, expected);
    assertThat(most).isLessThan(records.size() / 2);
  }

  /**
   * Versions that the analysis knew before a restart may be unknown after it: then a read may stay
   * unresolved, but is never resolved to another version.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void continuedAnalysisByValueAddsNoAnomaly(long seed) throws IOException {
    List<TimedRecord> records = new SimulatedTraffic(seed, 3, 1, 20, 2_000, true).inOrder();
    List<String> expected = checked(records.stream().map(TimedRecord::record).toList());

    List<String> found = new ArrayList<>();
    continued(records, (int) seed, found);

    assertThat(found).hasSizeGreaterThan(20).isSubsetOf(expected).doesNotHaveDuplicates();
  }

  /** Restarts after every tenth record; returns the most records that were still needed then. */
  private static int continued(List<TimedRecord> records, int first, List<String> found)
      throws IOException {
    boolean[] replays = new boolean[1];
    java.util.function.Consumer<Anomaly> out =
        anomaly -> {
          if (!replays[0]) {
            found.add(JsonReport.anomaly(anomaly));
          }
        };
    DatabaseAnalysis analysis = new DatabaseAnalysis(new AnalysisStart(), out, MEMORY);
    int most = 0;
    for (int i = 0; i < records.size(); i++) {
      analysis.accept(records.get(i));
      if (i % 10 == first) {
        analysis.discard();
        List<TimedRecord> needed = analysis.needed();
        most = Math.max(most, needed.size());
        replays[0] = true;
        analysis = new DatabaseAnalysis(AnalysisStart.of(analysis.start().bytes()), out, MEMORY);
        needed.forEach(analysis::accept);
        replays[0] = false;
      }
    }
    analysis.finish();
    return most;
  }
}
