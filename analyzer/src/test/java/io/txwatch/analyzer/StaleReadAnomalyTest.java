package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Verdict;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.TextReport;
import io.txwatch.slice.HistorySlice;
import io.txwatch.stale.Across;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Histories of {@link Replicas}: transactions from 5 on are on the standby. */
class StaleReadAnomalyTest {

  private static List<Anomaly> analyzed(Iterable<Event> events, Across across) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      analyzer.across(across);
      events.forEach(analyzer::accept);
    }
    return found;
  }

  private static List<Anomaly> analyzed(String history) {
    return analyzed(Replicas.events(Notation.events(history)), Across.OFF);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "w1(x0) c1 r5(x0) c5                       | STALE_READ 5-rw(x)>1-so>5",
        "w1(x0) c1 r5(x0) a5                       | ''",
        "w1(x0) c1 w2(x1) c2 r5(x0) c5             | STALE_READ 5-rw(x)>2-so>5",
        "w1(x0) a1 r5(x0) c5                       | ''",
        "w1(x0) u1 r5(x0) c5                       | ''",
        "w1(x0) s1(1-1) c1 r5(x0) c5               | ''",
        "w1(x0) c1 r5(x1) c5                       | ''",
        "w1(x0) c1 r5(x0?) c5                      | ''",
        "r5(y0) w1(x0) c1 r5(x0) c5                | ''",
        "w1(x0) r5(x0) c1 c5                       | ''",
        "w1(x0)[a] c1 r5(x0)[b] c5                 | ''",
        "w1(x0)[a] c1 r5(x0)[a,b] c5               | STALE_READ 5-rw(x)>1-so>5",
        "d1(x0) c1 r5(x0) c5                       | STALE_READ 5-rw(x)>1-so>5",
        "w1(x0) c1 r5(x1) c5 r6(x0) c6             | STALE_READ 6-rw(x)>1-so>6",
        "w1(x0) c1 r5(x1) c5 r1(x1) r6(x1) c6      | ''",
      })
  void inOneTrace(String history, String expected) {
    assertThat(analyzed(history).stream().map(Notation::text))
        .containsExactlyElementsOf(expected.isEmpty() ? List.of() : List.of(expected));
  }

  @Test
  void aReadAfterAReadOfANewerVersion() {
    List<Event> events = Notation.events("w1(x0) c1 r2(x1) c2 r5(x0) c5");
    Map<Long, String> traces = Map.of(1L, "B");
    assertThat(analyzed(Replicas.events(events, traces), Across.OFF))
        .extracting(Notation::text)
        .containsExactly("STALE_READ 5-rw(x)>1-wr(x)>2-so>5");
    assertThat(analyzed(Replicas.events(events, Map.of(5L, "B", 1L, "C")), Across.OFF)).isEmpty();
    assertThat(analyzed(Replicas.events(events, Map.of(1L, "", 2L, "", 5L, "")), Across.TRACE))
        .isEmpty();
  }

  @Test
  void isAHazardWithTheDelay() {
    assertThat(analyzed("w1(x0) c1 r5(x0) c5"))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.verdict()).isEqualTo(Verdict.HAZARD);
              assertThat(stale.possible()).isFalse();
              assertThat(TextReport.of(stale))
                  .startsWith("STALE_READ  HAZARD  PostgreSQL 18.6 at READ_COMMITTED  t row 120")
                  .contains(
                      "T2 read an older version on a standby, without T1's write of t row 120;",
                      "T1 is earlier in T2's trace, and had committed before T2 began; T2 ended 0.0",
                      "from the primary");
            });
  }

  /** Whether it had ended before the other one began is not certain then. */
  @Test
  void twoProcessesMakeItPossibleOnly() {
    List<Event> events = new ArrayList<>();
    for (Event event : Replicas.events(Notation.events("w1(x0) c1 r5(x0) c5"))) {
      events.add(ofNode(event, 5, 1L << 32));
    }
    assertThat(analyzed(events, Across.OFF)).isEmpty();
    assertThat(analyzed(events, Across.TRACE))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.possible()).isTrue();
              assertThat(TextReport.of(stale)).contains("(possible: in another process, so");
            });
  }

  private static Event ofNode(Event event, long session, long node) {
    if (event.session() != session) {
      return event;
    }
    if (event instanceof Event.SessionOpened e) {
      return new Event.SessionOpened(node | session, e.name(), e.database());
    }
    if (event instanceof Event.TransactionBegan e) {
      return new Event.TransactionBegan(
          node | session, e.transaction(), e.level(), e.micros(), e.name(), e.traceId(), e.share());
    }
    if (event instanceof Event.StatementExecuted e) {
      return new Event.StatementExecuted(
          node | session,
          e.transaction(),
          e.statement(),
          e.kind(),
          e.sql(),
          e.callSite(),
          e.rows(),
          e.writesSeen(),
          e.sqlState());
    }
    return event instanceof Event.TransactionEnded e
        ? new Event.TransactionEnded(
            node | session, e.transaction(), e.outcome(), e.micros(), e.events())
        : event;
  }

  /** A primary that was started again may have lost transactions, and use their ids again. */
  @Test
  void anotherRunOfThePrimaryIsRelatedToNothingBefore() {
    assertThat(analyzed("w1(x0) c1 2^b r2(y0) c2 r5(x0) c5")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "w1(x0) c1 r5(x0) c5",
        "w1(x0)[a] c1 r5(x0)[a,b] c5",
        "d1(x0) c1 r5(x0) c5",
        "w1(x0) c1 r2(x1) c2 r5(x0) c5"
      })
  void sliceShowsItAgain(String history) {
    Map<Long, String> traces = history.contains("r2") ? Map.of(1L, "B") : Map.of();
    Anomaly stale = analyzed(Replicas.events(Notation.events(history), traces), Across.OFF).get(0);
    List<Anomaly> again = analyzed(HistorySlice.events(stale), Across.OFF);
    assertThat(again.stream().map(AnomalyId::of)).containsExactly(AnomalyId.of(stale));
  }
}
