package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.RowShare;
import io.txwatch.report.AnomalyId;
import io.txwatch.report.JsonReport;
import io.txwatch.report.TextReport;
import io.txwatch.slice.HistorySlice;
import io.txwatch.stale.Across;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stale writes as the analyzer reports them. */
class StaleWriteAnomalyTest {

  private static final String HISTORY =
      "1@SER 2@SER 3@SER 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3";

  private static List<Anomaly> analyzed(Iterable<Event> events, Across across) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      analyzer.across(across);
      events.forEach(analyzer::accept);
    }
    return found;
  }

  /** Each transaction in a session of its own, and in one trace with the other of the two. */
  private static List<Event> traced() {
    List<Event> events = new ArrayList<>();
    for (Event event : Notation.events(HISTORY.replace("3~1 ", ""))) {
      events.add(
          event instanceof Event.TransactionBegan e
              ? new Event.TransactionBegan(
                  e.session(),
                  e.transaction(),
                  e.level(),
                  e.micros(),
                  "",
                  e.transaction() == 2 ? "<b>other" : "4bf92f3577b34da6a3ce929d0e0e4736",
                  RowShare.ALL)
              : event);
    }
    return events;
  }

  @Test
  void nothingIsReportedUnlessRequested() {
    assertThat(analyzed(Notation.events(HISTORY), Across.OFF)).isEmpty();
    assertThat(analyzed(traced(), Across.OFF)).isEmpty();
  }

  @Test
  void isAHazardAtEveryLevelAndOnlyPossible() {
    assertThat(analyzed(Notation.events(HISTORY), Across.SESSION))
        .singleElement()
        .satisfies(
            stale -> {
              assertThat(stale.phenomenon()).isEqualTo(Phenomenon.STALE_WRITE);
              assertThat(stale.verdict()).isEqualTo(Verdict.HAZARD);
              assertThat(stale.confidence()).isEqualTo(Confidence.CONFIRMED);
              assertThat(stale.possible()).isTrue();
              assertThat(stale.cycleTerm()).isEmpty();
              assertThat(Notation.text(stale)).isEqualTo("STALE_WRITE 1-rw(x)>2-ww(x)>3");
              assertThat(stale.cycle()).extracting(Dependency::columns).containsOnly(List.of("a"));
              assertThat(stale.advice()).contains("UPDATE at T3.java:1");
            });
  }

  @Test
  void rowHasItsKey() {
    List<Event> events = new ArrayList<>(Notation.events(HISTORY));
    events.add(1, new Event.RowNamed(1, "t", 'x', "42"));
    assertThat(analyzed(events, Across.SESSION).get(0).cycle())
        .extracting(Dependency::key)
        .containsOnly("42");
  }

  @Test
  void reportHasTheEvidenceAndTheDoubt() {
    String text = TextReport.of(analyzed(traced(), Across.TRACE).get(0));
    assertThat(text)
        .startsWith("STALE_WRITE  HAZARD (possible)  PostgreSQL 18.6 at SERIALIZABLE  t row 120")
        .contains(
            "T1 read t row 120, column a, and T2 wrote it after that;",
            "T3, later in T1's trace, overwrote T2's write without having read the row again.",
            "(possible: T3 may have used other data than T1 read)");
    assertThat(TextReport.of(analyzed(Notation.events(HISTORY), Across.SESSION).get(0)))
        .contains(
            "T3, later in T1's session,",
            "(possible: a pool lends one connection to many requests,");
  }

  @Test
  void jsonHasTheTracesAndIsPossible() {
    assertThat(JsonReport.anomaly(analyzed(traced(), Across.TRACE).get(0)))
        .contains(
            "\"phenomenon\":\"STALE_WRITE\",\"cycleClass\":null",
            "\"confidence\":\"CONFIRMED\",\"possible\":true",
            "\"traceId\":\"4bf92f3577b34da6a3ce929d0e0e4736\"",
            "\\u003Cb\\u003Eother");
  }

  @ParameterizedTest
  @ValueSource(strings = {HISTORY, "3~1 r1(x0)[a,b] a1 w2(x0)[a,b] c2 w3(x2)[a,b] c3"})
  void sliceShowsItAgain(String history) {
    Anomaly stale = analyzed(Notation.events(history), Across.SESSION).get(0);
    List<Anomaly> again = analyzed(HistorySlice.events(stale), Across.SESSION);
    assertThat(again.stream().map(AnomalyId::of)).containsExactly(AnomalyId.of(stale));
  }

  @Test
  void sliceOfATraceShowsItAgain() {
    Anomaly stale = analyzed(traced(), Across.TRACE).get(0);
    List<Anomaly> again = analyzed(HistorySlice.events(stale), Across.TRACE);
    assertThat(again.stream().map(AnomalyId::of)).containsExactly(AnomalyId.of(stale));
  }

  @Test
  void restartForgetsWhatWasRead() {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      analyzer.across(Across.SESSION);
      List<Event> events = Notation.events(HISTORY);
      events.subList(0, 4).forEach(analyzer::accept);
      analyzer.restart();
      events.subList(4, events.size()).forEach(analyzer::accept);
    }
    assertThat(found).isEmpty();
  }
}
