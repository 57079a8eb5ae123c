package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.CycleClassifier;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
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
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.alg.cycle.JohnsonSimpleCycles;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

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
    InferredEdges edges = new InferredEdges(history);
    Map<Set<Long>, CycleClass> worst = worstByComponent(edges);
    Map<Set<Long>, CycleClass> reported = new HashMap<>();
    boolean inOrder = mode == Mode.BROKEN || random.nextBoolean();
    for (Anomaly anomaly :
        Notation.analyzed(inOrder ? history : Interleavings.reordered(history, random))) {
      boolean fork = anomaly.cycle().stream().allMatch(e -> !contains(edges, e));
      if (anomaly.cycleClass().isEmpty() || fork) {
        continue;
      }
      Set<Long> component =
          worst.keySet().stream()
              .filter(c -> c.contains(anomaly.cycle().get(0).from()))
              .findFirst()
              .orElseThrow();
      assertThat(component).containsAll(anomaly.cycle().stream().map(Dependency::to).toList());
      reported.merge(
          component, anomaly.cycleClass().orElseThrow(), (a, b) -> a.compareTo(b) < 0 ? a : b);
    }
    // Rereads excuse a write; then the component's worst may be another, or none.
    worst.forEach(
        (component, cycleClass) -> {
          if (reported.containsKey(component) || !excusable(edges, component)) {
            assertThat(reported).containsKey(component);
            if (!excusable(edges, component)) {
              assertThat(reported).containsEntry(component, cycleClass);
            }
          }
        });
  }

  @Property
  void lostEventCreatesNoFalseAnomaly(
      @ForAll Mode mode, @ForAll long seed, @ForAll @IntRange(min = 2, max = 8) int transactions) {
    List<Event> history = Simulation.run(mode, new Random(seed), 4, transactions, 3, false);
    Map<String, Edge> truth = new HashMap<>();
    new InferredEdges(history).all.forEach(edge -> truth.put(text(edge), edge));
    Set<String> direct = direct(Notation.analyzed(history));
    for (int lost = 0; lost < history.size(); lost++) {
      List<Event> rest = new ArrayList<>(history);
      rest.remove(lost);
      List<Anomaly> found = Notation.analyzed(rest);
      if (mode != Mode.BROKEN) {
        assertThat(direct).containsAll(direct(found));
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
    new InferredEdges(history).all.forEach(edge -> truth.put(text(edge), edge));
    List<Anomaly> found = new ArrayList<>();
    try (Analyzer analyzer = new Analyzer(Judge.DBMS, found::add, memory)) {
      history.forEach(analyzer::accept);
    }
    assertThat(direct(Notation.analyzed(history))).containsAll(direct(found));
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
    assertThat(direct(otherwise)).isEqualTo(direct(inOrder));
    assertThat(pairs(otherwise)).isEqualTo(pairs(inOrder));
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
      assertThat(truth).containsKey(text(edge));
      edges.add(truth.get(text(edge)));
    }
    Optional<Finding> named = CycleClassifier.of(edges);
    assertThat(named.map(Finding::phenomenon)).contains(anomaly.phenomenon());
  }

  private static Set<String> direct(List<Anomaly> anomalies) {
    Set<String> texts = new TreeSet<>();
    for (Anomaly anomaly : anomalies) {
      if (anomaly.cycleClass().isEmpty()) {
        Dependency edge = anomaly.cycle().get(0);
        texts.add(anomaly.phenomenon() + " " + edge.from() + ">" + edge.to());
      }
    }
    return texts;
  }

  /** The worst phenomenon reported for each pair of transactions. */
  private static Map<String, Phenomenon> pairs(List<Anomaly> anomalies) {
    Map<String, Phenomenon> pairs = new TreeMap<>();
    for (Anomaly anomaly : anomalies) {
      if (anomaly.cycle().size() == 2) {
        long from = anomaly.cycle().get(0).from();
        long to = anomaly.cycle().get(0).to();
        // A later report for the same pair is worse than an earlier one.
        pairs.put(Math.min(from, to) + "," + Math.max(from, to), anomaly.phenomenon());
      }
    }
    return pairs;
  }

  private static Map<Set<Long>, CycleClass> worstByComponent(InferredEdges edges) {
    Map<Set<Long>, CycleClass> worst = new HashMap<>();
    DefaultDirectedGraph<Long, DefaultEdge> graph = edges.graph(Set.of(DependencyKind.values()));
    for (Set<Long> component :
        new KosarajuStrongConnectivityInspector<>(graph).stronglyConnectedSets()) {
      if (component.size() > 1) {
        worst.put(component, CycleClass.G2_ITEM);
      }
    }
    new JohnsonSimpleCycles<>(graph)
        .findSimpleCycles(
            cycle -> {
              Set<Long> component =
                  worst.keySet().stream()
                      .filter(c -> c.containsAll(cycle))
                      .findFirst()
                      .orElseThrow();
              forEachChoice(
                  edges,
                  cycle,
                  0,
                  new ArrayList<>(),
                  choice ->
                      worst.merge(
                          component,
                          CycleClassifier.classOf(choice),
                          (a, b) -> a.compareTo(b) < 0 ? a : b));
            });
    return worst;
  }

  /** A cycle of transactions may run along several edges from each to the next. */
  private static void forEachChoice(
      InferredEdges edges,
      List<Long> cycle,
      int at,
      List<Edge> chosen,
      Consumer<List<Edge>> action) {
    if (at == cycle.size()) {
      action.accept(chosen);
      return;
    }
    long from = cycle.get(at);
    long to = cycle.get((at + 1) % cycle.size());
    Set<DependencyKind> kinds = new HashSet<>();
    for (Edge edge : edges.all) {
      if (edge.from().id() == from && edge.to().id() == to && kinds.add(edge.kind())) {
        chosen.add(edge);
        forEachChoice(edges, cycle, at + 1, chosen, action);
        chosen.remove(chosen.size() - 1);
      }
    }
  }

  /** Whether some transaction of a component read a row twice, so that a cycle may be excused. */
  private static boolean excusable(InferredEdges edges, Set<Long> component) {
    return edges.all.stream()
        .map(Edge::from)
        .filter(t -> component.contains(t.id()))
        .distinct()
        .anyMatch(
            t ->
                edges.all.stream()
                    .filter(edge -> edge.from() == t)
                    .anyMatch(edge -> t.rereads(edge.row(), edge.columns(), 0, Integer.MAX_VALUE)));
  }

  private static boolean contains(InferredEdges edges, Dependency dependency) {
    return edges.all.stream().anyMatch(edge -> text(edge).equals(text(dependency)));
  }

  private static String text(Edge e) {
    return text(
        new Dependency(
            e.from().id(),
            e.to().id(),
            e.kind(),
            e.row().table(),
            e.row().id(),
            e.fromStatement(),
            e.toStatement(),
            e.evidence()));
  }

  private static String text(Dependency dependency) {
    return dependency.toString();
  }
}
