package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.coverage.Coverage;
import io.txwatch.dependency.Interleavings;
import io.txwatch.dependency.Simulation;
import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Queues that fill and become empty at chosen events, and what is reported then. */
class LoadShedderTest {

  private static final int CAPACITY = 8;

  private long nanos;

  /** An analyzer behind a shedder, fed event by event. */
  private final class Shed implements AutoCloseable {
    private final List<Anomaly> found = new ArrayList<>();
    private final List<String> lines = new ArrayList<>();
    private final Analyzer analyzer = new Analyzer(Judge.DBMS, found::add);
    private final LoadShedder shedder =
        new LoadShedder(analyzer, analyzer::restart, lines::add, () -> nanos);

    void fill() {
      shedder.backlog(CAPACITY, CAPACITY);
    }

    void becomeEmpty() {
      shedder.backlog(0, CAPACITY);
      nanos += TimeUnit.HOURS.toNanos(1);
      shedder.backlog(0, CAPACITY);
    }

    @Override
    public void close() {
      shedder.close();
    }
  }

  /** Whatever the share is when an event arrives, nothing is reported that is not true. */
  @Property(tries = 1000)
  void sheddingCreatesNoFalseAnomaly(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 12) int transactions) {
    if (mode == Mode.BROKEN) {
      return; // what contradicts a list may be what was omitted
    }
    Random random = new Random(seed);
    List<Event> history =
        Interleavings.reordered(Simulation.run(mode, random, 4, transactions, 4, false), random);
    Set<String> all = edges(Notation.analyzed(history));
    Set<String> truth = new HashSet<>();
    new InferredEdges(history).all.forEach(edge -> truth.add(edge.dependency().toString()));
    Shed shed = new Shed();
    try (shed) {
      for (Event event : history) {
        switch (random.nextInt(12)) {
          case 0 -> shed.fill();
          case 1 -> shed.becomeEmpty();
          default -> {}
        }
        shed.shedder.accept(event);
      }
    }
    for (Anomaly anomaly : shed.found) {
      if (anomaly.cycleClass().isPresent()) {
        anomaly.cycle().forEach(edge -> assertThat(truth).contains(edge.toString()));
      } else {
        assertThat(all).contains(anomaly.phenomenon() + " " + anomaly.cycle());
      }
    }
  }

  /** Of the rows that are kept everything is reported, and of the others nothing. */
  @Property(tries = 500)
  void keptRowsAreJudgedAsIfThereWereNoOthers(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 12) int transactions,
      @ForAll @IntRange(min = 1, max = 2) int halvings) {
    List<Event> history = Simulation.run(mode, new Random(seed), 6, transactions, 4, false);
    Shed shed = new Shed();
    try (shed) {
      for (int i = 0; i < halvings; i++) {
        shed.fill();
        shed.shedder.accept(new Event.Gap(99, 0, GapReason.NO_VERSION_SET, "", 1));
      }
      history.forEach(shed.shedder::accept);
    }
    RowShare share = new RowShare(halvings);
    List<Event> kept = new ArrayList<>();
    for (Event event : history) {
      kept.add(event instanceof Event.StatementExecuted e ? ofShare(e, share) : event);
    }
    assertThat(shed.lines).hasSize(halvings);
    assertThat(edges(shed.found)).isEqualTo(edges(Notation.analyzed(kept)));
  }

  private static Event ofShare(Event.StatementExecuted e, RowShare share) {
    List<RowAccess> rows =
        e.rows().stream().filter(row -> share.contains(row.table(), row.row())).toList();
    return new Event.StatementExecuted(
        e.session(),
        e.transaction(),
        e.statement(),
        e.kind(),
        e.sql(),
        e.callSite(),
        rows,
        e.writesSeen(),
        e.sqlState());
  }

  private static Set<String> edges(List<Anomaly> anomalies) {
    Set<String> texts = new TreeSet<>();
    anomalies.forEach(anomaly -> texts.add(anomaly.phenomenon() + " " + anomaly.cycle()));
    return texts;
  }

  @Test
  void eachShareContainsHalfOfTheRowsOfTheLargerOne() {
    for (int halvings = 0; halvings < 8; halvings++) {
      RowShare larger = new RowShare(halvings);
      RowShare smaller = new RowShare(halvings + 1);
      int of = 0;
      int kept = 0;
      for (long row = 0; row < 100_000; row++) {
        of += larger.contains("account", row) ? 1 : 0;
        if (smaller.contains("account", row)) {
          assertThat(larger.contains("account", row)).isTrue();
          kept++;
        }
      }
      assertThat((double) kept / of).isBetween(0.4, 0.6);
    }
  }

  @Test
  void everyOmittedStatementIsCounted() {
    Shed shed = new Shed();
    try (shed) {
      shed.fill();
      for (long id = 1; id <= 200; id++) {
        for (Event event : Notation.events("r%1$d(x0) w%1$d(y0) c%1$d".formatted(id))) {
          shed.shedder.accept(event);
        }
      }
    }
    Coverage coverage = shed.analyzer.coverage();
    assertThat(coverage.statements() + coverage.gaps().getOrDefault(GapReason.SHED, 0L))
        .isEqualTo(400);
    assertThat(shed.lines)
        .containsExactly(
            "more events arrive than can be analyzed: 1/2 of the rows are, from now on");
  }

  @Test
  void shareGrowsAgainWhenTheQueueStaysEmpty() {
    Shed shed = new Shed();
    try (shed) {
      shed.fill();
      shed.becomeEmpty();
      Notation.events("r1(x0) r2(x0) w1(x0) c1 w2(x1) c2").forEach(shed.shedder::accept);
    }
    assertThat(shed.lines).last().isEqualTo("all rows are analyzed again");
    assertThat(shed.found).hasSize(1);
  }
}
