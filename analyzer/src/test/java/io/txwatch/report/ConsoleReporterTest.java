package io.txwatch.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is printed, and when. */
class ConsoleReporterTest {

  private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
  private long seconds;
  private final ConsoleReporter log =
      new ConsoleReporter(
          LogTarget.of(new PrintStream(printed, true, StandardCharsets.UTF_8)),
          () -> TimeUnit.SECONDS.toNanos(seconds));

  private String printed() {
    String text = printed.toString(StandardCharsets.UTF_8);
    printed.reset();
    return text;
  }

  /** A lost update at the lines of a transaction of that number. */
  private static Anomaly lostUpdate(int number) {
    List<Event> events =
        Notation.events("r_(x0) r2(x0) w2(x0) c2 w_(x2) c_".replace("_", "" + (10 + number)));
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      events.forEach(analyzer::accept);
    }
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static long count(String text, String part) {
    return text.lines().filter(line -> line.contains(part)).count();
  }

  @Test
  void firstOfAGroupIsPrintedInFullAndOthersCountedAtGrowingIntervals() {
    Anomaly anomaly = lostUpdate(1);
    log.report(anomaly);
    assertThat(printed()).contains("LOST_UPDATE", "T11.java:1", "prevent");
    List<Long> at = new ArrayList<>();
    for (seconds = 1; seconds <= 3600; seconds++) {
      log.report(anomaly);
      log.tick();
      String text = printed();
      if (!text.isEmpty()) {
        at.add(seconds);
        assertThat(text.lines()).hasSize(2);
        assertThat(text).contains("more, LOST_UPDATE", "T11.java:1", "T2.java:2");
      }
    }
    assertThat(at).containsExactly(10L, 40L, 100L, 400L, 1000L, 1600L, 2200L, 2800L, 3400L);
  }

  @Test
  void oneIsNotMany() {
    for (int i = 0; i <= ConsoleReporter.MAX_BLOCKS; i++) {
      log.report(lostUpdate(i));
    }
    printed();
    seconds = 10;
    log.tick();
    assertThat(printed()).contains("txwatch: 1 more anomaly\n", "  1 time  at ");
  }

  @Test
  void twentyOfManyConcurrentGroupsArePrintedInFull() {
    for (int i = 0; i < 300; i++) {
      log.report(lostUpdate(i));
      log.report(lostUpdate(i));
      log.tick();
    }
    String text = printed();
    assertThat(count(text, "LOST_UPDATE")).isEqualTo(ConsoleReporter.MAX_BLOCKS);
    assertThat(text.lines()).hasSizeLessThan(20 * ConsoleReporter.MAX_BLOCKS);
    seconds = 10;
    log.tick();
    text = printed();
    assertThat(text).contains("580 more anomalies", "and more of 290 other groups");
    assertThat(text.lines()).hasSize(12);
    seconds = 11;
    log.report(lostUpdate(1000));
    assertThat(printed()).contains("LOST_UPDATE", "T1010.java:1", "prevent");
  }

  @Test
  void summaryListsEveryGroupWithItsCountInOneText() {
    for (int i = 0; i < 300; i++) {
      for (int times = 0; times <= i % 3; times++) {
        log.report(lostUpdate(i));
      }
    }
    log.withdraw(lostUpdate(0));
    printed();
    log.close(Coverage.NONE);
    String text = printed();
    assertThat(text).startsWith("txwatch: in all\n").contains("coverage");
    assertThat(count(text, "LOST_UPDATE")).isEqualTo(300);
    assertThat(count(text, "  1 time ")).isEqualTo(100);
    assertThat(count(text, "  3 times")).isEqualTo(100);
    assertThat(text).contains("1 suspected one came to nothing");
    for (int i = 0; i < 300; i++) {
      assertThat(text).contains("T" + (10 + i) + ".java:2");
    }
  }

  @Test
  void summaryWithoutAnomaliesIsTheCoverage() {
    log.close(Coverage.NONE);
    assertThat(printed()).startsWith("coverage");
  }

  @Test
  void periodWithoutConnectionsPrintsASummaryIfThereIsAnythingNew() {
    Coverage seen = new Coverage(1, 2, 2, 4, 4, 2, 2, 0, 0, 0, Map.of());
    log.rest(Coverage.NONE);
    assertThat(printed()).isEmpty();

    log.report(lostUpdate(1));
    printed();
    log.rest(seen);
    assertThat(printed()).startsWith("txwatch: in all\n").contains("coverage");
    log.rest(seen);
    log.close(seen);
    assertThat(printed()).isEmpty();

    log.report(lostUpdate(1));
    log.close(seen);
    assertThat(printed()).startsWith("txwatch: in all\n");
  }
}
