package io.txwatch.deadlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.coverage.OperationWaits;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.report.TextReport;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WaitCounterTest {

  private final List<Anomaly> found = new ArrayList<>();

  private Coverage coverage(List<Event> events) {
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      events.forEach(analyzer::accept);
      analyzer.close();
      return analyzer.coverage();
    }
  }

  /** The events, and that the last statement of transaction 2 waited for these transactions. */
  private static List<Event> events(String history, long micros, long... holders) {
    List<Event> events = new ArrayList<>(Notation.events(history));
    int at = 0;
    for (int i = 0; i < events.size(); i++) {
      if (events.get(i) instanceof Event.StatementExecuted e && e.transaction() == 2) {
        at = i;
      }
    }
    Event.StatementExecuted waiting = (Event.StatementExecuted) events.get(at);
    List<Event.Waited.Holder> of = new ArrayList<>();
    for (long holder : holders) {
      of.add(
          holder == 0
              ? Event.Waited.Holder.NOT_WATCHED
              : new Event.Waited.Holder(holder + 100, holder));
    }
    events.add(at + 1, new Event.Waited(waiting.session(), 2, waiting.statement(), of, 0, micros));
    return events;
  }

  @Test
  void eachHolderIsCounted() {
    Coverage coverage = coverage(events("w1(x0) w2(x0) c1 c2", 250_000, 1, 0));
    assertThat(coverage.waits().pairs())
        .extracting(
            OperationWaits.Pair::waiting, OperationWaits.Pair::holding, OperationWaits.Pair::micros)
        .containsExactlyInAnyOrder(
            tuple("T2.java", "T1.java", 250_000L), tuple("T2.java", "not watched", 250_000L));
    assertThat(TextReport.coverage(coverage))
        .contains("waits     2 waits for locks, 500 ms in total")
        .contains("T2.java for T1.java: 1 time, 250 ms at T2.java:1");
  }

  /** The holder's events arrive after the wait's. */
  @Test
  void holderIsNamedOnceItIsKnown() {
    assertThat(coverage(events("w2(x0) c2 w1(x0) c1", 1000, 1)).waits().pairs())
        .extracting(OperationWaits.Pair::holding)
        .containsExactly("T1.java");
  }

  @Test
  void holderOfWhichNoEventArrivesIsNotKnown() {
    assertThat(coverage(events("w2(x0) c2", 1000, 1)).waits().pairs())
        .extracting(OperationWaits.Pair::holding)
        .containsExactly("not known");
  }

  @Test
  void laneShowsTheWait() {
    coverage(events("r1(x0) r2(x0) w1(x0) w2(x1) c1 c2", 1_250_000, 1));
    assertThat(found)
        .singleElement()
        .satisfies(
            anomaly ->
                assertThat(TextReport.of(anomaly).replaceAll("\\s+", " "))
                    .containsPattern("waited 1[.]\\d s for a lock of T\\d"));
  }

  @Test
  void morePairsThanFitAreCountedTogether() {
    List<OperationWaits.Pair> pairs = new ArrayList<>();
    for (int i = 0; i < 150; i++) {
      pairs.add(new OperationWaits.Pair("a" + i, "b", 1, 10, 10, ""));
    }
    List<OperationWaits.Pair> sum = OperationWaits.sum(pairs);
    assertThat(sum).hasSize(101);
    assertThat(new OperationWaits(sum, 0).count()).isEqualTo(150);
    assertThat(sum.get(100))
        .isEqualTo(
            new OperationWaits.Pair("other operations", "other operations", 50, 500, 10, ""));
  }
}
