package io.txwatch.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.dependency.Granularity;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowShare;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Histories in {@link Notation}'s language, in which {@code 3~1} runs in the session of 1; beside
 * each the stale writes: reader, other writer, stale writer, row and columns.
 */
class StaleWritesTest {

  private static List<String> found(
      Iterable<Event> events, Across across, Granularity granularity) {
    List<String> found = new ArrayList<>();
    StaleWrites detector =
        new StaleWrites(
            across,
            granularity,
            one ->
                found.add(
                    "%d %d %d %c%s"
                        .formatted(
                            one.reader().id(),
                            one.other().id(),
                            one.writer().id(),
                            (char) one.row(),
                            one.columns())));
    events.forEach(detector::accept);
    return found;
  }

  private static List<String> inSessions(String history) {
    return found(Notation.events(history), Across.SESSION, Granularity.COLUMN);
  }

  /** The same with transactions in traces instead: {@code traces} has the trace of each. */
  private static List<Event> traced(String history, Map<Integer, String> traces) {
    List<Event> events = new ArrayList<>();
    for (Event event : Notation.events(history)) {
      events.add(
          event instanceof Event.TransactionBegan e
              ? new Event.TransactionBegan(
                  e.session(),
                  e.transaction(),
                  e.level(),
                  e.micros(),
                  "",
                  traces.getOrDefault((int) e.transaction(), ""),
                  RowShare.ALL)
              : event);
    }
    return events;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3                | 1 2 3 x[a]",
        "3~1 r1(x0)[a,b] c1 w2(x0)[a,b] c2 w3(x2)[a,b] c3          | 1 2 3 x[a, b]",
        // An entity that was read in a transaction that is rolled back was read all the same.
        "3~1 r1(x0)[a] a1 w2(x0)[a] c2 w3(x2)[a] c3                | 1 2 3 x[a]",
        // The other transaction began before the read; its end becomes known after the write.
        "3~1 w2(y0)[a] r1(x0)[a] c1 w2(x0)[a] w3(x2)[a] c3 c2      | 1 2 3 x[a]",
        // The last other writer of the column is named.
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[a] c4 w3(x4)[a] c3   | 1 4 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[b] c4 w3(x4)[a] c3   | 1 2 3 x[a]",
        // T3 read another column again, not this one.
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 r3(x2)[b] w3(x2)[a] c3      | 1 2 3 x[a]",
        // Its WHERE clause compares what nobody changed.
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a/tenant] c3         | 1 2 3 x[a]",
        // MySQL and MariaDB: a later read shows which versions the UPDATEs by key made.
        "3~1 r1(x0)[a] c1 t2(x0)[a] c2 t3(x2)[a] c3 r4(x3)[a] c4   | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 b2(x0)[a] c2 b3(x2)[a] c3 r4(x3)[z] c4   | 1 2 3 x[a]",
        // The next transaction of the session shows it.
        "3~1 4~1 r1(x0)[a] c1 b2(x0)[a] c2 b3(x2)[a] c3 r4(x3)[a] c4 | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 b2(x0)[a] c2 b3(x2)[a] r3(x3)[a] c3      | 1 2 3 x[a]",
      })
  void writeOfWhatAnEarlierTransactionReadIsStale(String history, String expected) {
    assertThat(inSessions(history)).containsExactly(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nobody wrote in between             | 3~1 r1(x0)[a] c1 w3(x0)[a] c3",
        "another session                     | r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3",
        "read again                          | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 r3(x2)[a] w3(x2)[a] c3",
        "read again, locked                  | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 l3(x2)[a] w3(x2)[a] c3",
        "read again by a transaction between | 3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 r4(x2)[a] c4 w3(x2)[a] c3",
        "read again, and rolled back         | 3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 r4(x2)[a] a4 w3(x2)[a] c3",
        "the UPDATE computes with it         | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a<a] c3",
        "other columns                       | 3~1 r1(x0)[a] c1 w2(x0)[b] c2 w3(x2)[a] c3",
        "what was read is not written        | 3~1 r1(x0)[a] c1 w2(x0)[a,b] c2 w3(x2)[b] c3",
        "WHERE compares the newer version    | 3~1 r1(x0)[a,v] c1 w2(x0)[a,v] c2 w3(x2)[a,v/v] c3",
        "WHERE compares the version, 0 rows  | 3~1 r1(x0)[a,v] c1 w2(x0)[a,v] c2 w3()[a,v/v] c3",
        "the group's own write in between    | 3~1 4~1 r1(x0)[a] c1 w4(x0)[a] c4 w3(x4)[a] c3",
        "written since by the group itself   | 3~1 4~1 r1(x0)[a] w1(x0)[a] c1 w2(x1)[a] c2 w3(x2)[a] c3",
        "the other one is rolled back        | 3~1 r1(x0)[a] c1 w2(x0)[a] a2 w3(x0)[a] c3",
        "the stale one is rolled back        | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] a3",
        "the stale one is undone             | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] s3(1-1) c3",
        "one transaction: a lost update      | r1(x0)[a] w2(x0)[a] c2 w1(x2)[a] c1",
        "columns are not known               | 3~1 r1(x0) c1 w2(x0) c2 w3(x2) c3",
        "a side read, uncertain              | 3~1 r1(x0?)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3",
        "rows of a statement not observed    | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 g3 w3(x2)[a] c3",
        "the same in a transaction between   | 3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 r4(y0)[a] g4 c4 w3(x2)[a] c3",
        "the outcome is not known            | 3~1 r1(x0)[a] c1 w2(x0)[a] u2 w3(x2)[a] c3",
        "a deletion                          | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 d3(x2) c3",
      })
  void noStaleWrite(String why, String history) {
    assertThat(inSessions(history)).as(why).isEmpty();
  }

  @Test
  void transactionsOfOneTraceBelongTogetherInAnySession() {
    String history = "r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3";
    assertThat(found(traced(history, Map.of(1, "A", 3, "A")), Across.TRACE, Granularity.COLUMN))
        .containsExactly("1 2 3 x[a]");
    assertThat(
            found(
                traced(history, Map.of(1, "A", 2, "B", 3, "A")), Across.TRACE, Granularity.COLUMN))
        .containsExactly("1 2 3 x[a]");
    assertThat(
            found(
                traced(history, Map.of(1, "A", 2, "A", 3, "A")), Across.TRACE, Granularity.COLUMN))
        .as("all of one trace")
        .isEmpty();
    assertThat(found(traced(history, Map.of(1, "A", 3, "B")), Across.TRACE, Granularity.COLUMN))
        .isEmpty();
    assertThat(found(traced("3~1 " + history, Map.of()), Across.TRACE, Granularity.COLUMN))
        .as("no trace")
        .isEmpty();
  }

  @Test
  void writeOfTheSameTraceInBetweenCountsAlsoIfItsEndIsKnownLater() {
    String history = "r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[a] w3(x4)[a] c3 c4";
    assertThat(
            found(
                traced(history, Map.of(1, "A", 3, "A", 4, "A")), Across.TRACE, Granularity.COLUMN))
        .isEmpty();
    assertThat(
            found(
                traced(history, Map.of(1, "A", 3, "A", 4, "B")), Across.TRACE, Granularity.COLUMN))
        .containsExactly("1 4 3 x[a]");
  }

  @Test
  void readThatEndedAfterTheWriterBeganIsNoEarlierTransaction() {
    String history = "w3(y0)[a] r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3";
    assertThat(found(traced(history, Map.of(1, "A", 3, "A")), Across.TRACE, Granularity.COLUMN))
        .isEmpty();
  }

  @Test
  void withRowsAsItemsOtherColumnsCount() {
    String history = "3~1 r1(x0)[a] c1 w2(x0)[b] c2 w3(x2)[a] c3";
    assertThat(found(Notation.events(history), Across.SESSION, Granularity.ROW))
        .containsExactly("1 2 3 x[]");
    String reading = "3~1 r1(x0)[a] c1 w2(x0)[b] c2 r3(x2)[b] w3(x2)[a] c3";
    assertThat(found(Notation.events(reading), Across.SESSION, Granularity.ROW)).isEmpty();
  }

  @Test
  void eventsThatWereLostHideWhatPrecedesThem() {
    List<Event> events =
        new ArrayList<>(Notation.events("3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3"));
    events.add(events.size() - 3, new Event.Gap(0, 0, GapReason.OVERFLOW, "", 1));
    assertThat(found(events, Across.SESSION, Granularity.COLUMN)).isEmpty();
  }

  @Test
  void rowsOfOneSessionAreBounded() {
    StaleWrites detector = new StaleWrites(Across.SESSION, Granularity.COLUMN, one -> {});
    for (int i = 1; i <= 2 * StaleWrites.MAX_ROWS_PER_GROUP; i++) {
      ManyReads.of(1, i, i).forEach(detector::accept);
    }
    assertThat(detector.reads()).isEqualTo(StaleWrites.MAX_ROWS_PER_GROUP);
  }

  @Test
  void rowsOfAllSessionsAreBounded() {
    StaleWrites detector = new StaleWrites(Across.SESSION, Granularity.COLUMN, one -> {});
    for (int i = 1; i <= 2 * StaleWrites.MAX_READS; i++) {
      ManyReads.of(i % 100, i, i).forEach(detector::accept);
    }
    assertThat(detector.reads()).isLessThanOrEqualTo(StaleWrites.MAX_READS);
    assertThat(detector.rows()).isLessThanOrEqualTo(StaleWrites.MAX_READS);
  }

  @Test
  void transactionsThatNeverEndAreBounded() {
    StaleWrites detector = new StaleWrites(Across.SESSION, Granularity.COLUMN, one -> {});
    for (int i = 1; i <= 200_000; i++) {
      ManyReads.of(i, i, i).subList(0, 3).forEach(detector::accept);
      assertThat(detector.steps()).isLessThanOrEqualTo(1 << 12);
    }
    assertThat(detector.rows()).isLessThanOrEqualTo(StaleWrites.MAX_READS);
    assertThat(detector.reads()).isZero();
  }

  @Test
  void stepsOfActiveTransactionsAreBounded() {
    StaleWrites detector = new StaleWrites(Across.SESSION, Granularity.COLUMN, one -> {});
    List<Event> events = ManyReads.of(1, 1, 1);
    events.subList(0, 2).forEach(detector::accept);
    for (int i = 0; i < 100_000; i++) {
      detector.accept(events.get(2));
    }
    assertThat(detector.steps()).isEqualTo(1 << 16);
    detector.accept(events.get(3));
    assertThat(detector.steps()).isZero();
    assertThat(detector.reads()).as("it was not observed in full").isZero();
  }

  @Test
  void oldReadsAreForgotten() {
    StaleWrites detector = new StaleWrites(Across.SESSION, Granularity.COLUMN, one -> {});
    ManyReads.of(1, 1, 1).forEach(detector::accept);
    for (long i = 0; i < StaleWrites.MAX_AGE_EVENTS; i++) {
      detector.accept(new Event.RowNamed(1, "t", 1, "1"));
    }
    ManyReads.of(2, 2, 2).forEach(detector::accept);
    assertThat(detector.rows()).isEqualTo(1);
    assertThat(detector.reads()).isEqualTo(1);
  }
}
