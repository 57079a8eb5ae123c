package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.Interleavings;
import io.txwatch.dependency.ShedHistory;
import io.txwatch.dependency.Simulation;
import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Event;
import io.txwatch.history.RowShare;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** What is reported while a share of the rows is observed. */
class ShedRowsTest {

  private static final RowShare HALF = new RowShare(RowShare.STEPS_TO_HALF);

  /** Reduce the share to a half. */
  private static final int OVERLOADS = 3;

  private static final char INSIDE = row(true);
  private static final char OUTSIDE = row(false);

  private static char row(boolean inside) {
    char row = 'a';
    while (HALF.contains("t", row) != inside) {
      row++;
    }
    return row;
  }

  /** In the notation, i is a row of the half that is observed, and o is another one. */
  private static List<Event> events(String line) {
    String rows =
        line.replaceAll("(?<=[(,:])i(?=[0-9)])", String.valueOf(INSIDE))
            .replaceAll("(?<=[(,:])o(?=[0-9)])", String.valueOf(OUTSIDE));
    return Notation.events(rows);
  }

  @Test
  void anomalyOnObservedRowsIsReportedAndOnOthersIsNot() {
    String lostUpdate = "r1(i0) r2(i0) w1(i0) c1 w2(i1) c2";
    assertThat(Notation.analyzed(ShedHistory.of(events(lostUpdate), OVERLOADS)))
        .hasSize(1)
        .isEqualTo(Notation.analyzed(events(lostUpdate)));
    assertThat(Notation.analyzed(ShedHistory.of(events(lostUpdate.replace('i', 'o')), OVERLOADS)))
        .isEmpty();
  }

  /** Transaction 1 observes half of the rows. */
  private static List<Event> withHalfByFirst(List<Event> events) {
    List<Event> changed = new ArrayList<>();
    for (Event event : events) {
      changed.add(
          event instanceof Event.TransactionBegan e && e.transaction() == 1
              ? new Event.TransactionBegan(
                  e.session(), e.transaction(), e.level(), e.micros(), e.name(), e.traceId(), HALF)
              : event);
    }
    return changed;
  }

  /** A trigger of an omitted statement may have written an observed row. */
  @Test
  void versionByAStatementThatIsNotKnownIsNoGarbage() {
    List<Event> history = events("w1(i0) c1 r2(o1.7!) r2(i1.7!) c2");
    assertThat(Notation.analyzed(history)).isNotEmpty();
    assertThat(Notation.analyzed(withHalfByFirst(history))).isEmpty();
  }

  /** What transaction 1 wrote to other rows is not known, nor whether it undid it. */
  @Test
  void versionOfAnOmittedWriteProvesNothing() {
    List<Event> history = events("r2(o0) w1(o0) w1(i0) c1 w2(o1) c2");
    assertThat(Notation.analyzed(history)).hasSize(1);
    List<Event> shed = new ArrayList<>(withHalfByFirst(history));
    shed.removeIf(
        event ->
            event instanceof Event.StatementExecuted e
                && e.transaction() == 1
                && e.rows().get(0).row() == OUTSIDE);
    shed.replaceAll(
        event ->
            event instanceof Event.TransactionEnded e && e.transaction() == 1
                ? new Event.TransactionEnded(e.session(), 1, e.outcome(), e.micros(), 2)
                : event);
    assertThat(Notation.analyzed(shed)).isEmpty();
  }

  /** Each cycle consists of dependencies of the whole history, and no verdict is worse. */
  @Property
  void anomaliesAreThoseOfTheWholeHistory(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 20) int transactions,
      @ForAll @IntRange(min = 4, max = 100) int eventsPerChange) {
    Assume.that(mode != Mode.BROKEN); // of contradictory rows, all or nothing may be known
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, 5, false);
    List<Anomaly> all = Notation.analyzed(history);
    Set<String> truth = new HashSet<>();
    new InferredEdges(history).all.forEach(edge -> truth.add(edge.dependency().toString()));
    List<Event> shed =
        Interleavings.reordered(ShedHistory.of(history, random, eventsPerChange), random);
    for (Anomaly anomaly : Notation.analyzed(shed)) {
      assertThat(anomaly.confidence()).isEqualTo(Confidence.CONFIRMED);
      if (anomaly.cycleClass().isPresent()) {
        anomaly.cycle().forEach(edge -> assertThat(truth).contains(edge.toString()));
        assertThat(all).anyMatch(one -> one.verdict().compareTo(anomaly.verdict()) <= 0);
      } else {
        assertThat(all).anyMatch(one -> read(one).equals(read(anomaly)));
      }
    }
  }

  /** A wrong read. One is reported for two transactions, whichever arrives first. */
  private static String read(Anomaly anomaly) {
    Dependency edge = anomaly.cycle().get(0);
    return anomaly.phenomenon() + " " + edge.from() + ">" + edge.to();
  }
}
