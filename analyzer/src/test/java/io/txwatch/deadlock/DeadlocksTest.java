package io.txwatch.deadlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Analyzer;
import io.txwatch.analyzer.Notation;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Verdict;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.history.StatementKind;
import io.txwatch.report.Explanation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlocksTest {

  private static List<Anomaly> found(List<Event> events) {
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add)) {
      events.forEach(analyzer::accept);
    }
    return found;
  }

  /** The first statement of each locks what the other waits for. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "w1(x0) w2(y0) w2(x0) k1(2) a1 c2",
        "w1(x0) w2(y0) w2(x0) k1(2) a1",
        "w1(x0) w2(y0) w2(x0) c2 k1(2) a1"
      })
  void bothSidesWaitForOneLockOfTheOther(String history) {
    assertThat(found(Notation.events(history)))
        .singleElement()
        .satisfies(
            deadlock -> {
              assertThat(deadlock.verdict()).isEqualTo(Verdict.DEADLOCK);
              assertThat(deadlock.possible()).isFalse();
              assertThat(Explanation.of(deadlock))
                  .containsExactly(
                      "T1 waited in statement 2 for a lock that T2 held since its statement 1;",
                      "T2 waited in statement 2 for a lock that T1 held since its statement 1; the"
                          + " DBMS rolled T1 back.");
              assertThat(deadlock.advice())
                  .contains("T1 locks first at T1.java:1 and then at T1.java:2")
                  .contains("T2 locks first at T2.java:1 and then at T2.java:2");
            });
  }

  /** Which of two statements holds the lock is not known: none is named. */
  @Test
  void lockOfOneOfSeveralStatementsIsNotNamed() {
    assertThat(found(Notation.events("w1(x0) w1(z0) w2(y0) w2(x0) k1(2) a1 c2")))
        .singleElement()
        .satisfies(
            deadlock ->
                assertThat(Explanation.of(deadlock).get(1))
                    .isEqualTo(
                        "T2 waited in statement 2 for a lock that T1 held; the DBMS rolled T1"
                            + " back."));
  }

  @Test
  void otherSideMayBeUnknown() {
    assertThat(found(Notation.events("w1(x0) k1() a1 w2(x0) c2")))
        .singleElement()
        .satisfies(
            deadlock -> {
              assertThat(deadlock.transactions().get(1).session()).isEqualTo("not known");
              assertThat(deadlock.transactions().get(1).statements()).isEmpty();
            });
  }

  /** A session's transaction fails twice; the third one, which fails by a deadlock, is reported. */
  @ParameterizedTest
  @CsvSource({
    "'UPDATE a', Job.java:7, third try",
    "'UPDATE b', Job.java:7, ",
    "'UPDATE a', Job.java:9, "
  })
  void repeatedTransactionIsCounted(String sql, String line, String attempt) {
    List<Event> events = new ArrayList<>();
    events.add(new Event.SessionOpened(1, "pool-1", Notation.POSTGRESQL));
    fail(events, 1, "UPDATE a", "Job.java:7");
    fail(events, 2, "UPDATE a", "Job.java:7");
    fail(events, 3, sql, line);
    events.add(events.size() - 1, new Event.Deadlocked(1, 3, 2, false, List.of()));
    assertThat(found(events))
        .singleElement()
        .extracting(deadlock -> deadlock.transactions().get(0))
        .extracting(ObservedTransaction::title)
        .isEqualTo(attempt == null ? "pool-1" : "pool-1, " + attempt);
  }

  private static void fail(List<Event> events, long id, String sql, String line) {
    events.add(new Event.TransactionBegan(1, id, IsolationLevel.READ_COMMITTED, 0));
    for (int number = 1; number <= 2; number++) {
      events.add(
          new Event.StatementExecuted(
              1,
              id,
              number,
              StatementKind.UPDATE,
              number == 1 ? sql : "UPDATE z",
              line,
              List.of(),
              true,
              number == 1 ? null : "40001"));
    }
    events.add(new Event.TransactionEnded(1, id, Outcome.ABORTED, 0, 3));
  }
}
