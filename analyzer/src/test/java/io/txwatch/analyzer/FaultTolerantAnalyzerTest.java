package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * An analyzer that fails within an event starts again, and is switched off after repeated faults.
 */
class FaultTolerantAnalyzerTest {

  private final List<String> warnings = new ArrayList<>();
  private final List<Anomaly> found = new ArrayList<>();
  private int failures;

  /** Fails a given number of times when an anomaly is found, within the analysis of an event. */
  private FaultTolerantAnalyzer analyzer(int times) {
    failures = times;
    return new FaultTolerantAnalyzer(
        new Analyzer(
            Judge.DBMS,
            anomaly -> {
              if (failures-- > 0) {
                throw new OutOfMemoryError("none left");
              }
              found.add(anomaly);
            }),
        warnings::add);
  }

  /** Lost updates, each of other transactions and of another row. */
  private static void loseUpdates(FaultTolerantAnalyzer analyzer, int times) {
    for (int i = 0; i < times; i++) {
      int one = 2 * i + 10;
      int other = one + 1;
      String row = String.valueOf((char) ('a' + i % 26));
      List<Event> events =
          Notation.events(
              "r1(x0) r2(x0) w2(x0) c2 w1(x2) c1"
                  .replace("2", "_")
                  .replace("1", "" + one)
                  .replace("_", "" + other)
                  .replace("x", row));
      events.forEach(analyzer::accept);
    }
  }

  @Test
  void continuesAfterAFaultAndReportsItOnce() {
    FaultTolerantAnalyzer analyzer = analyzer(3);
    loseUpdates(analyzer, 5);
    assertThat(found).hasSize(2);
    assertThat(warnings).hasSize(1);
    assertThat(warnings.get(0)).contains("starts again", "none left");
    assertThat(analyzer.coverage().gaps().get(GapReason.FAULT)).isEqualTo(3);
    assertThat(analyzer.coverage().gaps()).containsKey(GapReason.FORGOTTEN);
  }

  @Test
  void switchesItselfOffAfterRepeatedFaults() {
    FaultTolerantAnalyzer analyzer = analyzer(Integer.MAX_VALUE);
    loseUpdates(analyzer, FaultTolerantAnalyzer.MAX_FAULTS);
    Coverage before = analyzer.coverage();
    failures = 0;
    loseUpdates(analyzer, 10);
    analyzer.suspect();
    analyzer.close();
    assertThat(found).isEmpty();
    assertThat(warnings).hasSize(2);
    assertThat(warnings.get(1)).contains("switched off");
    assertThat(analyzer.coverage().statements()).isEqualTo(before.statements());
    assertThat(analyzer.coverage().gaps().get(GapReason.FAULT))
        .isGreaterThan(before.gaps().getOrDefault(GapReason.FAULT, 0L));
  }

  @Test
  void aFaultWhoseReportFailsThrowsNothing() {
    FaultTolerantAnalyzer analyzer =
        new FaultTolerantAnalyzer(
            new Analyzer(
                Judge.DBMS,
                anomaly -> {
                  throw new StackOverflowError();
                }),
            line -> {
              throw new OutOfMemoryError();
            });
    loseUpdates(analyzer, 100);
    assertThat(analyzer.coverage().gaps()).isNotEqualTo(Map.of());
  }
}
