package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.PredicateSimulation;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.JsonReport;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Wall clocks are used for display only: a jump changes no anomaly and breaks no report. */
class ClockProperties {

  @Property(tries = 200)
  void clockJumpsChangeNoResult(
      @ForAll PredicateSimulation.Mode mode,
      @ForAll long seed,
      @ForAll long jumps,
      @ForAll @IntRange(min = 2, max = 20) int transactions) {
    List<Event> history =
        PredicateSimulation.run(mode, new Random(seed), 3, transactions).events.stream()
            .map(DiscardProperties::byItem)
            .toList();
    Random clock = new Random(jumps);
    List<Event> jumping = history.stream().map(event -> at(event, anyTime(clock))).toList();
    assertThat(found(jumping)).isEqualTo(found(history));
  }

  /** Now and then the least and the greatest there is, and before 1970. */
  private static long anyTime(Random random) {
    return switch (random.nextInt(4)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> random.nextLong();
      default -> 1_800_000_000_000_000L + random.nextInt(1_000_000);
    };
  }

  private static Event at(Event event, long micros) {
    if (event instanceof Event.TransactionBegan e) {
      return new Event.TransactionBegan(e.session(), e.transaction(), e.level(), micros);
    } else if (event instanceof Event.TransactionEnded e) {
      return new Event.TransactionEnded(
          e.session(), e.transaction(), e.outcome(), micros, e.events());
    }
    return event;
  }

  private static List<String> found(List<Event> history) {
    List<String> found = new ArrayList<>();
    AnomalyGroups groups = new AnomalyGroups();
    try (Analyzer analyzer =
        new Analyzer(
            Judge.DBMS,
            anomaly -> {
              found.add(anomaly.confidence() + " " + Notation.text(anomaly));
              groups.add(anomaly);
            },
            1 << 28,
            EnumSet.allOf(CommitOrder.class))) {
      analyzer.onWithdrawn(anomaly -> found.add("WITHDRAWN " + Notation.text(anomaly)));
      for (Event event : history) {
        analyzer.accept(event);
        analyzer.suspect();
      }
    }
    for (AnomalyGroups.Group group : groups.groups()) {
      Anomaly first = group.first();
      assertThat(JsonReport.anomaly(first)).contains(first.phenomenon().name());
      assertThat(group.perSecond().orElse(0)).isGreaterThanOrEqualTo(0);
    }
    return found;
  }
}
