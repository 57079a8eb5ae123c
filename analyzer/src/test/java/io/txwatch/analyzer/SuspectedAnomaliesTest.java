package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is suspected while it is undecided is told once, then confirmed or withdrawn. */
class SuspectedAnomaliesTest {

  /** What is told, in order, with a look at what is undecided at each {@code ;}. */
  private static List<String> told(String history) {
    return told(history, Notation.POSTGRESQL);
  }

  private static List<String> told(String history, Database database) {
    List<String> told = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS, anomaly -> told.add(anomaly.confidence() + " " + Notation.text(anomaly)))) {
      analyzer.onWithdrawn(anomaly -> told.add("WITHDRAWN " + Notation.text(anomaly)));
      String soFar = "";
      int taken = 0;
      for (String part : history.split(";", -1)) {
        soFar = (soFar + " " + part).strip();
        List<Event> events = soFar.isEmpty() ? List.of() : Notation.events(soFar, database);
        events.subList(taken, events.size()).forEach(analyzer::accept);
        taken = events.size();
        analyzer.suspect();
      }
    }
    return told;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "c1 | SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1, CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "a1 | SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1, WITHDRAWN LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "u1 | SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "r1(y0); r1(z0); c1 | SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1,"
            + " CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1",
        "s1(2-2); c1 | SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1,"
            + " WITHDRAWN LOST_UPDATE 1-rw(x)>2-ww(x)>1",
      })
  void aLostUpdateBeforeItIsCommitted(String end, String expected) {
    assertThat(String.join(", ", told("r1(x0) r2(x0); w2(x0) c2 w1(x2); " + end)))
        .isEqualTo(expected);
  }

  @Test
  void whoIsQuickIsNotSuspected() {
    assertThat(told("r1(x0) r2(x0) w2(x0) c2 w1(x2); a1")).isEmpty();
    assertThat(told("; r1(x0) r2(x0) w2(x0) c2 w1(x2) c1;"))
        .containsExactly("CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void anUnknownOutcomeIsNeitherACommitNorARollback() {
    assertThat(told("r1(x0) r2(x0); w2(x0) c2 w1(x2) u1; r3(x1) c3;"))
        .containsExactly("SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void aReadOfWhatIsUndecidedIsWrongEitherWayOnceItWasOverwritten() {
    Database mysql = new Database("MySQL", "9.7.0", Map.of());
    String uncommitted = "1@RU 2@RU ";
    assertThat(told(uncommitted + "w1(x0); r2(x1) w1(x1) c2; c1", mysql))
        .containsExactly(
            "SUSPECTED INTERMEDIATE_READ 1-wr(x)>2", "CONFIRMED INTERMEDIATE_READ 1-wr(x)>2");
    assertThat(told(uncommitted + "w1(x0); r2(x1) w1(x1) c2; a1", mysql))
        .containsExactly(
            "SUSPECTED INTERMEDIATE_READ 1-wr(x)>2", "CONFIRMED ABORTED_READ 1-wr(x)>2");
    assertThat(told(uncommitted + "r2(y0); w1(x0) r2(x1) a1; a2", mysql))
        .containsExactly("SUSPECTED ABORTED_READ 1-wr(x)>2", "WITHDRAWN ABORTED_READ 1-wr(x)>2");
  }

  @Test
  void twoMayBeUndecided() {
    String skew = "r1(x0) r2(y0) w1(y0); w2(x0); ";
    assertThat(told(skew + "c1; c2"))
        .containsExactly(
            "SUSPECTED WRITE_SKEW 1-rw(x)>2-rw(y)>1", "CONFIRMED WRITE_SKEW 1-rw(x)>2-rw(y)>1");
    assertThat(told(skew + "c1; a2"))
        .containsExactly(
            "SUSPECTED WRITE_SKEW 1-rw(x)>2-rw(y)>1", "WITHDRAWN WRITE_SKEW 1-rw(x)>2-rw(y)>1");
  }

  @Test
  void whatTheLevelForbidsIsNotSuspected() {
    String history = "1@SER 2@SER r1(x0) r2(x0); w2(x0) c2 w1(x2); ";
    assertThat(told(history + "a1")).isEmpty();
    assertThat(told(history + "c1")).containsExactly("CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void whoseEventsMayBeMissingIsNotSuspected() {
    List<Event> events = Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2)");
    events.removeIf(event -> event instanceof Event.TransactionBegan && event.transaction() == 1);
    List<String> told = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> told.add(Notation.text(anomaly)))) {
      events.forEach(analyzer::accept);
      analyzer.suspectAll();
    }
    assertThat(told).isEmpty();
  }
}
