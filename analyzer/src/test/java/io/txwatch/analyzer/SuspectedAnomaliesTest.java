package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.guarantee.Judge;
import io.txwatch.history.Database;
import io.txwatch.history.Event;
import io.txwatch.history.Product;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A suspected anomaly is reported once, and later confirmed or withdrawn. */
class SuspectedAnomaliesTest {

  /** The reports, in order, with a search for suspected anomalies at each {@code ;}. */
  private static List<String> reports(String history) {
    return reports(history, Notation.POSTGRESQL);
  }

  private static List<String> reports(String history, Database database) {
    List<String> reports = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS,
            anomaly -> reports.add(anomaly.confidence() + " " + Notation.text(anomaly)))) {
      analyzer.onWithdrawn(anomaly -> reports.add("WITHDRAWN " + Notation.text(anomaly)));
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
    return reports;
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
  void lostUpdateIsSuspectedBeforeItsCommit(String end, String expected) {
    assertThat(String.join(", ", reports("r1(x0) r2(x0); w2(x0) c2 w1(x2); " + end)))
        .isEqualTo(expected);
  }

  @Test
  void shortTransactionIsNotSuspected() {
    assertThat(reports("r1(x0) r2(x0) w2(x0) c2 w1(x2); a1")).isEmpty();
    assertThat(reports("; r1(x0) r2(x0) w2(x0) c2 w1(x2) c1;"))
        .containsExactly("CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void unknownOutcomeIsNeitherCommitNorRollback() {
    assertThat(reports("r1(x0) r2(x0); w2(x0) c2 w1(x2) u1; r3(x1) c3;"))
        .containsExactly("SUSPECTED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void overwrittenUndecidedReadIsWrongWithEitherOutcome() {
    Database mysql = new Database(new Product("MySQL", "9.7.0"), Map.of());
    String uncommitted = "1@RU 2@RU ";
    assertThat(reports(uncommitted + "w1(x0); r2(x1) w1(x1) c2; c1", mysql))
        .containsExactly(
            "SUSPECTED INTERMEDIATE_READ 1-wr(x)>2", "CONFIRMED INTERMEDIATE_READ 1-wr(x)>2");
    assertThat(reports(uncommitted + "w1(x0); r2(x1) w1(x1) c2; a1", mysql))
        .containsExactly(
            "SUSPECTED INTERMEDIATE_READ 1-wr(x)>2", "CONFIRMED ABORTED_READ 1-wr(x)>2");
    assertThat(reports(uncommitted + "r2(y0); w1(x0) r2(x1) a1; a2", mysql))
        .containsExactly("SUSPECTED ABORTED_READ 1-wr(x)>2", "WITHDRAWN ABORTED_READ 1-wr(x)>2");
  }

  @Test
  void cycleMayContainTwoUndecidedTransactions() {
    String skew = "r1(x0) r2(y0) w1(y0); w2(x0); ";
    assertThat(reports(skew + "c1; c2"))
        .containsExactly(
            "SUSPECTED WRITE_SKEW 1-rw(x)>2-rw(y)>1", "CONFIRMED WRITE_SKEW 1-rw(x)>2-rw(y)>1");
    assertThat(reports(skew + "c1; a2"))
        .containsExactly(
            "SUSPECTED WRITE_SKEW 1-rw(x)>2-rw(y)>1", "WITHDRAWN WRITE_SKEW 1-rw(x)>2-rw(y)>1");
  }

  @Test
  void anomalyThatTheLevelForbidsIsNotSuspected() {
    String history = "1@SER 2@SER r1(x0) r2(x0); w2(x0) c2 w1(x2); ";
    assertThat(reports(history + "a1")).isEmpty();
    assertThat(reports(history + "c1")).containsExactly("CONFIRMED LOST_UPDATE 1-rw(x)>2-ww(x)>1");
  }

  @Test
  void transactionWithPossiblyLostEventsIsNotSuspected() {
    List<Event> events = Notation.events("r1(x0) r2(x0) w2(x0) c2 w1(x2)");
    events.removeIf(event -> event instanceof Event.TransactionBegan && event.transaction() == 1);
    List<String> reports = new ArrayList<>();
    try (Analyzer analyzer =
        new Analyzer(Judge.DBMS, anomaly -> reports.add(Notation.text(anomaly)))) {
      events.forEach(analyzer::accept);
      analyzer.suspectAll();
    }
    assertThat(reports).isEmpty();
  }
}
