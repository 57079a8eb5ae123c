package io.txwatch.stale;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.Notation;
import io.txwatch.dependency.Granularity;
import io.txwatch.history.Event;
import io.txwatch.history.RowValues;
import io.txwatch.stale.ByValue.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The histories of {@link StaleWritesTest} by value, and what may be missing there. */
class StaleWritesByValueTest {

  private static final String STALE = "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3";

  private static List<String> found(List<Event> events) {
    List<String> found = new ArrayList<>();
    ByValue.detect(
        events,
        Across.SESSION,
        Granularity.COLUMN,
        one ->
            found.add(
                "%d %d %d %c%s"
                    .formatted(
                        one.reader().id(),
                        one.other().id(),
                        one.writer().id(),
                        ByValue.row(one.row()),
                        one.columns())));
    return found;
  }

  private static List<Event> events(String history, Source source) {
    return ByValue.events(Notation.events(history), source);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        STALE + "                                                  | 1 2 3 x[a]",
        "3~1 r1(x0)[a,b] c1 w2(x0)[a,b] c2 w3(x2)[a,b] c3          | 1 2 3 x[a, b]",
        "3~1 w2(y0)[a] r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a] c3      | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[a] c4 w3(x4)[a] c3   | 1 4 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[b] c4 w3(x4)[a] c3   | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] w2(x2)[a] c2 w3(x2)[a] c3      | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 r3(x2)[b] w3(x2)[a] c3      | 1 2 3 x[a]",
        "3~1 r1(x0)[a] c1 w2(x0)[a] c2 w3(x2)[a/tenant] c3         | 1 2 3 x[a]",
        "3~1 r1(x0,y0)[a] c1 w2(y0)[a] c2 w3(x0,y2)[a] c3          | 1 2 3 y[a]",
        "3~1 4~1 5~1 r1(x0)[a] c1 r5(y0)[a] a5 r4(x0)[a] c4 w2(x0)[a] c2 w3(x2)[a] c3 | 4 2 3 x[a]",
      })
  void whatIsFoundWithColumnsIsFound(String history, String expected) {
    for (Source source : Source.values()) {
      assertThat(found(events(history, source))).as(source.name()).containsExactly(expected);
    }
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
        "rows of a statement not observed    | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 g3 w3(x2)[a] c3",
        "the outcome is not known            | 3~1 r1(x0)[a] c1 w2(x0)[a] u2 w3(x2)[a] c3",
        "a deletion                          | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 d3(x2) c3",
        "a deletion, and an INSERT           | 3~1 r1(x0)[a] c1 d2(x0) i2(x) c2 w3(x2)[a] c3",
      })
  void noStaleWrite(String why, String history) {
    for (Source source : Source.values()) {
      assertThat(found(events(history, source))).as(why + ", " + source).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "by another session               | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 b4(x2)[a] c4 w3(x4)[a] c3",
        "by the session itself            | 3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 b4(x2)[a] c4 w3(x4)[a] c3",
        "by the stale writer              | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 b3(x2)[a] w3(x3)[a] c3",
        "by a transaction that is active  | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 b4(y0)[a] w3(x2)[a] c3 c4",
        "by one whose outcome is unknown  | 3~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(x2)[a] u4 w3(x4)[a] c3",
        "while the read was active        | 3~1 r1(x0)[a] b4(y0)[a] c4 c1 w2(x0)[a] c2 w3(x2)[a] c3",
      })
  void withoutARecordNothingIsFoundAroundWritesThatAreNotStated(String why, String history) {
    assertThat(found(events(history, Source.STATEMENTS))).as(why).isEmpty();
  }

  @Test
  void writesThatAreNotStatedConcernNoLaterReads() {
    String history = "1~5 3~5 b5(z0)[a] c5 b4(x0)[a] c4 r1(x4)[a] c1 w2(x4)[a] c2 w3(x2)[a] c3";
    assertThat(found(events(history, Source.STATEMENTS))).containsExactly("1 2 3 x[a]");
  }

  /** The same events, with other values of one transaction's statements. */
  private static List<Event> edited(
      List<Event> events, long transaction, UnaryOperator<Event.ValuesObserved> edit) {
    return events.stream()
        .map(
            event ->
                event instanceof Event.ValuesObserved e && e.transaction() == transaction
                    ? edit.apply(e)
                    : event)
        .toList();
  }

  private static Event.ValuesObserved withReads(
      Event.ValuesObserved of, long returned, List<RowValues> reads, String unread) {
    return new Event.ValuesObserved(
        of.session(),
        of.transaction(),
        of.statement(),
        of.sent(),
        returned,
        reads,
        of.writes(),
        unread);
  }

  /** Another transaction of the session read it again, which its values do not show. */
  @ParameterizedTest
  @EnumSource
  void aReadThatIsNotResolvedMayBeOfTheRow(Source source) {
    List<Event> events =
        events("3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 r4(y0)[a] c4 w3(x2)[a] c3", source);
    assertThat(found(events)).containsExactly("1 2 3 x[a]");
    assertThat(found(edited(events, 4, e -> withReads(e, e.returned(), List.of(), "a subquery"))))
        .as("not observed")
        .isEmpty();
    RowValues withoutKey = new RowValues("t", List.of("v"), new long[1], new int[] {5});
    assertThat(found(edited(events, 4, e -> withReads(e, e.returned(), List.of(withoutKey), ""))))
        .as("without its key")
        .isEmpty();
    List<Event> late = new ArrayList<>(events);
    late.removeIf(e -> e instanceof Event.ValuesObserved one && one.transaction() == 4);
    late.removeIf(e -> e instanceof Event.ChangesRead);
    assertThat(found(late)).as("the record was not read").hasSize(source.isLog() ? 0 : 1);
  }

  /** It lasted until the other one had committed: values show the version, or nothing does. */
  @ParameterizedTest
  @EnumSource
  void aReadOfWhichOnlyBoundsAreKnownStartsNoStaleWrite(Source source) {
    List<Event> events = events(STALE, source);
    long end =
        events.stream()
            .filter(e -> e instanceof Event.EndTimed one && one.transaction() == 2)
            .mapToLong(e -> ((Event.EndTimed) e).returned())
            .findFirst()
            .orElseThrow();
    List<Event> showing = edited(events, 1, e -> withReads(e, end + 1, e.reads(), ""));
    assertThat(found(showing)).hasSize(source.isLog() ? 1 : 0);
    List<Event> bounded =
        edited(
            events,
            1,
            e -> {
              RowValues read = e.reads().get(0);
              int[] ids = {read.value(0, 0)};
              RowValues key = new RowValues("t", List.of("id"), read.keys(), ids);
              return withReads(e, end + 1, List.of(key), "");
            });
    assertThat(found(bounded)).isEmpty();
  }

  /**
   * MySQL and MariaDB record no UPDATE that changes nothing: the session knows the row all the
   * same.
   */
  @Test
  void anUpdateThatTheRecordDoesNotShowMayHaveWrittenTheRow() {
    List<Event> events =
        new ArrayList<>(
            events("3~1 4~1 r1(x0)[a] c1 w2(x0)[a] c2 w4(y0)[a] c4 w3(x2)[a] c3", Source.LOG));
    assertThat(found(events)).containsExactly("1 2 3 x[a]");
    events.removeIf(
        event -> event instanceof Event.Changed e && e.changes().get(0).keyAfter() == key('y'));
    assertThat(found(events)).isEmpty();
  }

  /** Whose the changes are is not known, so they may be the session's own. */
  @Test
  void aWriterThatIsNotKnownIsNoOtherOne() {
    List<Event> events = new ArrayList<>();
    for (Event event : events(STALE, Source.LOG)) {
      boolean isOfOther = event instanceof Event.Changed e && e.connection() == 102;
      events.add(
          isOfOther && event instanceof Event.Changed e
              ? new Event.Changed(
                  e.session(), 77, e.position(), e.received(), e.micros(), e.changes())
              : event);
    }
    assertThat(found(events)).isEmpty();
  }

  private static long key(char row) {
    return ByValue.HASH.ofKey(row);
  }
}
