package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClassifier;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Interleavings;
import io.txwatch.dependency.Simulation;
import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.guarantee.Judge;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** What the analyzer may and must find in every history. */
class AnomalyProperties {

  private static final Set<Phenomenon> OF_SNAPSHOTS =
      Set.of(Phenomenon.WRITE_SKEW, Phenomenon.G2_ITEM);

  @Property
  void serialExecutionHasNoAnomaly(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 60) int transactions) {
    List<Event> history = Simulation.run(Mode.SERIAL, new Random(seed), 3, transactions, 4, false);
    assertThat(Notation.analyzed(history)).isEmpty();
  }

  @Property
  void snapshotIsolationPermitsOnlyAdjacentRwEdges(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int transactions) {
    List<Event> history =
        Simulation.run(Mode.SNAPSHOT, new Random(seed), 5, transactions, 4, false);
    assertThat(Notation.analyzed(history)).extracting(Anomaly::phenomenon).isSubsetOf(OF_SNAPSHOTS);
  }

  @Property
  void readCommittedHasNoDirtyReads(
      @ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int transactions) {
    List<Event> history =
        Simulation.run(Mode.READ_COMMITTED, new Random(seed), 5, transactions, 4, false);
    assertThat(Notation.analyzed(history))
        .extracting(Anomaly::phenomenon)
        .doesNotContain(
            Phenomenon.DIRTY_WRITE,
            Phenomenon.CIRCULAR_INFORMATION_FLOW,
            Phenomenon.ABORTED_READ,
            Phenomenon.INTERMEDIATE_READ,
            Phenomenon.INTERNAL);
  }

  /**
   * For each strong component the worst class of its cycles is reported, and nothing outside the
   * components, in any order of arrival.
   */
  @Property
  void everyComponentIsReportedWithItsWorstCycle(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 10) int transactions) {
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, 3, true);
    boolean inOrder = mode == Mode.BROKEN || random.nextBoolean();
    CycleEnumeration.assertWorstCyclesReported(
        history, Notation.analyzed(inOrder ? history : Interleavings.reordered(history, random)));
  }

  @Property
  void lostEventCreatesNoFalseAnomaly(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 8) int transactions) {
    List<Event> history = Simulation.run(mode, new Random(seed), 4, transactions, 3, false);
    Map<String, Edge> truth = new HashMap<>();
    new InferredEdges(history).all.forEach(edge -> truth.put(CycleEnumeration.text(edge), edge));
    Set<String> direct = CycleEnumeration.direct(Notation.analyzed(history));
    for (int lost = 0; lost < history.size(); lost++) {
      List<Event> rest = new ArrayList<>(history);
      rest.remove(lost);
      List<Anomaly> found = Notation.analyzed(rest);
      if (mode != Mode.BROKEN) {
        assertThat(direct).containsAll(CycleEnumeration.direct(found));
        found.stream()
            .filter(anomaly -> anomaly.cycleClass().isPresent())
            .forEach(anomaly -> assertTrue(anomaly, truth));
      }
    }
  }

  @Property
  void discardingCreatesNoFalseAnomaly(
      @ForAll Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 20) int transactions,
      @ForAll @IntRange(min = 500, max = 20_000) int memory) {
    if (mode == Mode.BROKEN) {
      return; // what contradicts a list may be what was discarded
    }
    List<Event> history = Simulation.run(mode, new Random(seed), 4, transactions, 3, false);
    Map<String, Edge> truth = new HashMap<>();
    new InferredEdges(history).all.forEach(edge -> truth.put(CycleEnumeration.text(edge), edge));
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, memory)) {
      history.forEach(analyzer::accept);
    }
    assertThat(CycleEnumeration.direct(Notation.analyzed(history)))
        .containsAll(CycleEnumeration.direct(found));
    found.stream()
        .filter(anomaly -> anomaly.cycleClass().isPresent())
        .forEach(anomaly -> assertTrue(anomaly, truth));
  }

  @Property
  void anomaliesDoNotDependOnArrivalOrder(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 10) int transactions) {
    if (mode == Mode.BROKEN) {
      return; // which of two contradictory lists comes first decides what is left of the row
    }
    Random random = new Random(seed);
    List<Event> history = Simulation.run(mode, random, 4, transactions, 3, false);
    List<Anomaly> inOrder = Notation.analyzed(history);
    List<Anomaly> otherwise = Notation.analyzed(Interleavings.reordered(history, random));
    assertThat(CycleEnumeration.direct(otherwise)).isEqualTo(CycleEnumeration.direct(inOrder));
    assertThat(CycleEnumeration.pairs(otherwise)).isEqualTo(CycleEnumeration.pairs(inOrder));
  }

  /** However events arrive: who wrote over what came after the version that he had read. */
  @Property
  void lostUpdateIsReportedForTheTransactionThatLostIt(
      @ForAll long seed, @ForAll @IntRange(min = 3, max = 9) int transactions) {
    Random random = new Random(seed);
    StringBuilder line = new StringBuilder();
    Set<Long> lost = new HashSet<>();
    for (int writer = 1; writer <= transactions; writer++) {
      int read = random.nextInt(writer);
      line.append("r%1$d(x%2$d) w%1$d(x%3$d) c%1$d ".formatted(writer, read, writer - 1));
      if (read < writer - 1) {
        lost.add((long) writer);
      }
    }
    Set<Long> accused = new HashSet<>();
    List<Event> history = Interleavings.reordered(Notation.events(line.toString()), random);
    for (Anomaly anomaly : Notation.analyzed(history)) {
      anomaly.cycle().forEach(edge -> accused.add(edge.from()));
    }
    assertThat(accused).containsAll(lost);
  }

  private static void assertTrue(Anomaly anomaly, Map<String, Edge> truth) {
    List<Edge> edges = new ArrayList<>();
    for (Dependency edge : anomaly.cycle()) {
      assertThat(truth).containsKey(CycleEnumeration.text(edge));
      edges.add(truth.get(CycleEnumeration.text(edge)));
    }
    Optional<Finding> named = CycleClassifier.of(edges);
    assertThat(named.map(Finding::phenomenon)).contains(anomaly.phenomenon());
  }
}
