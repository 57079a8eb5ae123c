package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.graph.CycleSearch.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/** A few transactions with random dependencies, of which some are possible, and all its cycles. */
final class RandomGraph {

  private static final List<DependencyKind> KINDS =
      List.of(DependencyKind.WW, DependencyKind.WR, DependencyKind.RW);

  /** No statement of the transactions has such a number. */
  private static final int FIRST_STATEMENT = 10;

  /** The fewest transactions, then the fewest suppositions. */
  static final Comparator<List<Edge>> MINIMAL_FIRST =
      Comparator.<List<Edge>>comparingInt(List::size).thenComparing(RandomGraph::suppositions);

  final List<Transaction> transactions;
  final List<Edge> edges = new ArrayList<>();

  RandomGraph(Random random, int nodes, int edgeCount) {
    transactions = DependencyGraphProperties.transactions(nodes);
    for (int i = 0; i < edgeCount; i++) {
      Transaction from = transactions.get(random.nextInt(nodes));
      Transaction to = transactions.get(random.nextInt(nodes));
      if (from != to) {
        edges.add(
            new Edge(
                from,
                to,
                KINDS.get(random.nextInt(KINDS.size())),
                Row.NONE,
                FIRST_STATEMENT + i,
                FIRST_STATEMENT + i,
                random.nextBoolean() ? EdgeEvidence.ITEM : EdgeEvidence.POSSIBLE_ITEM));
      }
    }
  }

  DependencyGraph graph() {
    DependencyGraph graph = new DependencyGraph();
    transactions.forEach(graph::add);
    edges.forEach(graph::add);
    return graph;
  }

  static int suppositions(List<Edge> cycle) {
    return cycle.stream().mapToInt(Edge::suppositions).sum();
  }

  /** Whether a cycle has a shape, by the definition of the shape. */
  static boolean has(List<Edge> cycle, Shape shape) {
    long rw = cycle.stream().filter(edge -> edge.kind() == DependencyKind.RW).count();
    boolean wr = cycle.stream().anyMatch(edge -> edge.kind() == DependencyKind.WR);
    return switch (shape) {
      case G0 -> rw == 0 && !wr;
      case G1C -> rw == 0;
      case G_SINGLE -> rw == 1;
      case G_NONADJACENT -> !hasAdjacentRw(cycle);
      case G2_ITEM -> true;
    };
  }

  private static boolean hasAdjacentRw(List<Edge> cycle) {
    for (int i = 0; i < cycle.size(); i++) {
      if (cycle.get(i).kind() == DependencyKind.RW
          && cycle.get((i + 1) % cycle.size()).kind() == DependencyKind.RW) {
        return true;
      }
    }
    return false;
  }

  /** All cycles through an edge that visit no transaction twice, starting with it. */
  List<List<Edge>> cyclesThrough(Edge edge) {
    return cyclesThrough(edge, edges);
  }

  /** The cycles through an edge that consist of some of the edges. */
  static List<List<Edge>> cyclesThrough(Edge edge, List<Edge> of) {
    List<List<Edge>> cycles = new ArrayList<>();
    extend(new ArrayList<>(List.of(edge)), of, cycles::add);
    return cycles;
  }

  private static void extend(List<Edge> path, List<Edge> of, Consumer<List<Edge>> onCycle) {
    Transaction start = path.get(0).from();
    Transaction end = path.get(path.size() - 1).to();
    if (start == end) {
      onCycle.accept(List.copyOf(path));
    } else if (path.stream().noneMatch(edge -> edge.from() == end)) {
      for (Edge edge : of) {
        if (edge.from() == end) {
          path.add(edge);
          extend(path, of, onCycle);
          path.remove(path.size() - 1);
        }
      }
    }
  }

  /**
   * Whether a smaller cycle of the same or a worse shape exists. The shortest path of such a shape
   * may visit a transaction twice; then it contains a smaller cycle.
   */
  boolean hasSmaller(Shape shape, Optional<List<Edge>> best) {
    return (shape == Shape.G_SINGLE || shape == Shape.G_NONADJACENT)
        && edges.stream()
            .flatMap(edge -> cyclesThrough(edge).stream())
            .filter(cycle -> has(cycle, shape) || has(cycle, Shape.G1C))
            .anyMatch(cycle -> cycle.size() < best.orElseThrow().size());
  }
}
