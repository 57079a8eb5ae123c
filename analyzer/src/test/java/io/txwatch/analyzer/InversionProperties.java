package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.PredicateSimulation;
import io.txwatch.history.Event;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Enabled orders only add anomalies to those found by item. */
class InversionProperties {

  @Property
  void realTimeOrderAddsOnlyInversions(
      @ForAll PredicateSimulation.Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 20) int transactions) {
    List<Event> history =
        PredicateSimulation.run(mode, new Random(seed), 3, transactions).events.stream()
            .map(DiscardProperties::byItem)
            .toList();
    List<String> without = InversionTest.found(history, Set.of());
    List<String> with = InversionTest.found(history, EnumSet.allOf(CommitOrder.class));
    with.removeIf(found -> found.contains("-process ") || found.contains("-realtime "));
    assertThat(with).isEqualTo(without);
  }

  @Property
  void serialExecutionHasNoInversion(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 20) int transactions) {
    List<Event> history =
        PredicateSimulation.run(PredicateSimulation.Mode.SERIAL, new Random(seed), 3, transactions)
            .events;
    assertThat(InversionTest.found(history, EnumSet.allOf(CommitOrder.class))).isEmpty();
  }
}
