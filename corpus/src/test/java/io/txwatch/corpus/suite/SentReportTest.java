package io.txwatch.corpus.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.corpus.suite.SentReport.Run;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When two raw runs and a watched one count as equal. */
class SentReportTest {

  private static final List<String> ONE = List.of("Query INSERT 1", "Quit");
  private static final List<String> CHANGED = List.of("Query INSERT 1", "Query SELECT 0", "Quit");
  private static final List<String> OWN = List.of("Query SHOW MASTER STATUS", "Quit");

  @Test
  void aConnectionOfBothRawRunsMustBeInTheWatchedOne() {
    assertThat(report(List.of(ONE), List.of(ONE), List.of(ONE, OWN)).isEqual()).isTrue();
    SentReport changed = report(List.of(ONE), List.of(ONE), List.of(CHANGED));
    assertThat(changed.isEqual()).isFalse();
    assertThat(changed.text())
        .contains("1 of the 1 connections that are equal in both raw runs are missing watched")
        .contains("watched Query SELECT 0");
  }

  @Test
  void aConnectionMoreIsADifferenceIfTheRawRunsAreEqual() {
    assertThat(report(List.of(ONE), List.of(ONE), List.of(ONE, ONE)).isEqual()).isFalse();
  }

  @Test
  void whatDiffersBetweenTheRawRunsIsNoDifference() {
    List<String> now = List.of("Query INSERT 09:54", "Quit");
    List<String> later = List.of("Query INSERT 10:08", "Quit");
    List<String> last = List.of("Query INSERT 10:11", "Quit");
    assertThat(report(List.of(ONE, now), List.of(ONE, later), List.of(ONE, last)).isEqual())
        .isTrue();
  }

  private static SentReport report(
      List<List<String>> raw, List<List<String>> second, List<List<String>> watched) {
    return SentReport.of(new Run(raw, 0), new Run(second, 0), new Run(watched, 0));
  }
}
