package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import io.txwatch.graph.CycleSearch;
import io.txwatch.graph.CycleSearch.Shape;
import io.txwatch.graph.DependencyGraph;
import io.txwatch.graph.LostUpdateSearch;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Maintains a graph, searches for the cycles that new edges close, and reports each cycle once.
 *
 * <p>All edges that an event completes are added before any is searched, so that the worst finding
 * between two transactions is reported ({@link CycleNames#rank}) regardless of the order of edges.
 * For a pair of transactions the same finding is reported once, and no lesser one after it; a lost
 * update by other statements counts as another one. Of wider cycles one through each new edge is
 * reported: of the worst class, of these with the fewest transactions, and of these with the fewest
 * {@linkplain Edge#suppositions suppositions}. Every lost update that contains the edge is
 * reported, too. A wider cycle is not reported if all its transactions were already reported in
 * cycles of the same or a worse class; of the cycles that one event closes, the small ones are
 * reported first.
 */
final class CycleFinder {

  /** The most edges of one kind between two transactions that are searched for each event. */
  private static final int MAX_PARALLEL_EDGES = 16;

  /** The most lost updates between two transactions that are reported separately. */
  private static final int MAX_PLACES = 64;

  /** Worst class first, then the fewest transactions, then the fewest suppositions. */
  private static final Comparator<Finding> MINIMAL_FIRST =
      Comparator.comparing(CycleFinder::cycleClass)
          .thenComparing(finding -> finding.edges().size())
          .thenComparing(CycleFinder::suppositions);

  private final Consumer<Finding> onFinding;
  private final Predicate<Finding> of;
  private DependencyGraph graph = new DependencyGraph();
  private CycleSearch search;
  private LostUpdateSearch lostUpdates;
  private final int budget;
  private final int maxSearches;

  /** The edges since the last flush, and whether they closed a cycle. */
  private final List<Edge> newEdges = new ArrayList<>();

  private boolean closed;
  private final Map<Pair, Reported> reportedPairs;

  /** For each node, the ordinal of the worst class that was reported for it. */
  private byte[] reportedClass = new byte[64];

  private record Pair(long one, long other) {
    static Pair of(Transaction one, Transaction other) {
      return one.id() < other.id()
          ? new Pair(one.id(), other.id())
          : new Pair(other.id(), one.id());
    }
  }

  /** What was reported for a pair: the worst rank, and the statements. */
  private record Reported(int rank, Set<String> places) {}

  /** Identifies the edges of one kind between two transactions. */
  private record Group(Transaction from, Transaction to, DependencyKind kind) {}

  /**
   * Creates a finder with an empty graph.
   *
   * @param onFinding receives each finding
   * @param of selects the findings to report
   * @param budget the edges that one search for a cycle may examine
   * @param maxSearches the edges of one event from which wider cycles are searched
   * @param maxReportedPairs the pairs of transactions whose findings are remembered
   */
  CycleFinder(
      Consumer<Finding> onFinding,
      Predicate<Finding> of,
      int budget,
      int maxSearches,
      int maxReportedPairs) {
    this.onFinding = onFinding;
    this.of = of;
    this.budget = budget;
    this.search = new CycleSearch(graph, budget);
    this.lostUpdates = new LostUpdateSearch(graph);
    this.maxSearches = maxSearches;
    this.reportedPairs = boundedMap(maxReportedPairs);
  }

  void add(Transaction transaction) {
    graph.add(transaction);
    markUnreported(transaction.node);
  }

  /** Adds an edge; the next {@link #flush} searches it. */
  void add(Edge edge) {
    closed |= graph.add(edge);
    newEdges.add(edge);
  }

  /**
   * Rebuilds the graph without the discarded transactions. The others get new nodes, so each finder
   * with the same transactions must do the same before it is used again.
   */
  void discard() {
    DependencyGraph old = graph;
    byte[] reported = reportedClass;
    int[] nodes = old.nodes();
    graph = new DependencyGraph(2 * nodes.length + 64, old.edgeCount() + 64);
    graph.addRetained(old);
    search = new CycleSearch(graph, budget);
    lostUpdates = new LostUpdateSearch(graph);
    reportedClass = new byte[2 * nodes.length + 64];
    for (int node = 0; node < nodes.length; node++) {
      reportedClass[node] = reported[nodes[node]];
    }
    newEdges.clear();
    closed = false;
  }

  int size() {
    return graph.size();
  }

  long bytes() {
    return graph.bytes();
  }

  /** Adds the graph of another finder to this one's empty graph, as if it had been searched. */
  void addAll(CycleFinder other) {
    graph.addAll(other.graph);
    for (int node = 0; node < graph.size(); node++) {
      markUnreported(node);
    }
  }

  private void markUnreported(int node) {
    if (node >= reportedClass.length) {
      reportedClass = Arrays.copyOf(reportedClass, node * 2);
    }
    reportedClass[node] = Byte.MAX_VALUE;
  }

  /** Whether a finding on its two transactions was reported. */
  boolean hasReported(Finding finding) {
    return finding.edges().size() == 2 && reportedPairs.containsKey(pair(finding));
  }

  /**
   * Searches the cycles that the edges since the last call closed. Must be called after each event.
   */
  void flush() {
    if (!closed) {
      newEdges.clear();
      return;
    }
    // All new edges are searched, not only the one that closed a cycle: the shortest cycle through
    // that one may differ from the shortest through an edge added just before it.
    newEdges.removeIf(edge -> !graph.isOnCycle(edge));
    List<Edge> edges = limitParallelEdges();
    newEdges.clear();
    closed = false;
    Map<Pair, List<Finding>> pairs = new LinkedHashMap<>();
    for (Edge edge : edges) {
      for (Edge back : search.directReturnEdges(edge, MAX_PARALLEL_EDGES)) {
        CycleClassifier.of(List.of(edge, back))
            .filter(of)
            .ifPresent(
                finding ->
                    pairs
                        .computeIfAbsent(Pair.of(edge.from(), edge.to()), p -> new ArrayList<>())
                        .add(finding));
      }
    }
    pairs.values().forEach(this::reportWorst);
    // Lost updates come first: another cycle of the same class through the same transactions may be
    // as short and less informative.
    edges.stream()
        .limit(maxSearches)
        .flatMap(this::lostUpdates)
        .filter(this::addsAnything)
        .sorted(MINIMAL_FIRST)
        .forEach(this::reportWider);
    edges.stream()
        .limit(maxSearches)
        .flatMap(edge -> wider(edge).stream())
        .filter(this::addsAnything)
        .sorted(MINIMAL_FIRST)
        .forEach(this::reportWider);
  }

  /** The number of searches that exceeded their budget without a result. */
  long exhaustedSearches() {
    return search.exhaustedSearches();
  }

  private List<Edge> limitParallelEdges() {
    Map<Group, Integer> counts = new HashMap<>();
    List<Edge> few = new ArrayList<>();
    for (Edge edge : newEdges) {
      if (counts.merge(new Group(edge.from(), edge.to(), edge.kind()), 1, Integer::sum)
          <= MAX_PARALLEL_EDGES) {
        few.add(edge);
      }
    }
    return few;
  }

  private void reportWorst(List<Finding> findings) {
    int worst = findings.stream().mapToInt(CycleFinder::rank).min().orElse(0);
    findings.stream()
        .filter(finding -> rank(finding) == worst)
        .sorted(
            Comparator.comparing(CycleFinder::suppositions)
                .thenComparing(CycleFinder::place)
                .thenComparing(CycleFinder::rows))
        .forEach(this::report);
  }

  /** The minimal cycle of the worst class through an edge, of three transactions or more. */
  private Optional<Finding> wider(Edge edge) {
    for (Shape shape : Shape.values()) {
      List<Edge> cycle = search.shortest(edge, shape);
      if (cycle.size() == 2) {
        return Optional.empty();
      }
      Optional<Finding> finding =
          cycle.isEmpty() ? Optional.empty() : CycleClassifier.of(cycle).filter(of);
      if (finding.isPresent()) {
        return finding;
      }
    }
    return Optional.empty();
  }

  private Stream<Finding> lostUpdates(Edge edge) {
    return edge.kind() != DependencyKind.WW
        ? Stream.of()
        : lostUpdates.through(edge, budget).stream()
            .filter(cycle -> cycle.size() > 2)
            .flatMap(cycle -> CycleClassifier.of(cycle).filter(of).stream());
  }

  /** Reports a cycle of three or more transactions, if it adds anything. */
  private void reportWider(Finding finding) {
    if (addsAnything(finding)) {
      reportCycle(finding, cycleClass(finding));
    }
  }

  private boolean addsAnything(Finding finding) {
    int worst = cycleClass(finding).ordinal();
    return finding.edges().stream().anyMatch(edge -> reportedClass[edge.from().node] > worst);
  }

  private static CycleClass cycleClass(Finding finding) {
    return finding.cycleClass().orElse(CycleClass.G2);
  }

  /** Reports a finding on a pair, unless that one or a worse one was reported before. */
  void report(Finding finding) {
    Pair pair = pair(finding);
    Reported before = reportedPairs.get(pair);
    int rank = rank(finding);
    if (before == null || rank < before.rank()) {
      before = new Reported(rank, new HashSet<>());
      reportedPairs.put(pair, before);
    } else if (rank > before.rank() || finding.phenomenon() != Phenomenon.LOST_UPDATE) {
      return;
    }
    if (before.places().size() < MAX_PLACES && before.places().add(place(finding))) {
      reportCycle(finding, cycleClass(finding));
    }
  }

  private void reportCycle(Finding finding, CycleClass cycleClass) {
    for (Edge edge : finding.edges()) {
      int node = edge.from().node;
      reportedClass[node] = (byte) Math.min(reportedClass[node], cycleClass.ordinal());
    }
    onFinding.accept(finding);
  }

  private static int suppositions(Finding finding) {
    return finding.edges().stream().mapToInt(Edge::suppositions).sum();
  }

  private static Pair pair(Finding finding) {
    return Pair.of(finding.edges().get(0).from(), finding.edges().get(0).to());
  }

  private static int rank(Finding finding) {
    return CycleNames.rank(finding.phenomenon());
  }

  /** The statements at the ends of its edges, as a text that can be ordered and compared. */
  private static String place(Finding finding) {
    StringBuilder place = new StringBuilder();
    for (Edge edge : finding.edges()) {
      place.append(edge.fromStatement()).append('>').append(edge.toStatement()).append(' ');
    }
    return place.toString();
  }

  private static String rows(Finding finding) {
    return finding.edges().stream().map(edge -> edge.row().toString()).toList().toString();
  }

  /** A map that evicts its oldest entry beyond a number of entries. */
  static <K, V> Map<K, V> boundedMap(int entries) {
    return new LinkedHashMap<>() {
      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > entries;
      }
    };
  }
}
