package io.txwatch.listappend;

import io.txwatch.anomaly.CycleClass;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.StrongComponents;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * Finds the cycles of a list-append history's dependencies.
 *
 * <p>A history is acyclic if its graph has no strongly connected component, which takes time in
 * proportion to its operations. In each component every cycle of two transactions without an
 * auxiliary node is reported, by its worst class, and one other cycle of the worst class if that is
 * worse: one with the fewest transactions, as far as the search is within its bounds. Whether a
 * class occurs is always decided: G0 and G1c by the components of fewer kinds of edges, cycles
 * without adjacent rw edges by the components of the graph whose nodes have two states.
 *
 * <p>Cycles that exist only because of an order are searched afterwards, and reported if they are
 * of a worse class than what was found without.
 */
final class ListCycles {

  /** An edge of a cycle; the operations are -1 for the edges of orders. */
  record Edge(int from, int to, DependencyKind kind, int fromOp, int toOp) {}

  private static final int WW = 1 << DependencyKind.WW.ordinal();
  private static final int WR = 1 << DependencyKind.WR.ordinal();
  private static final int RW = 1 << DependencyKind.RW.ordinal();
  private static final int ORDERS =
      1 << DependencyKind.SO.ordinal() | 1 << DependencyKind.RT.ordinal() | 1 << EdgeList.THROUGH;

  /** All kinds of edges, as bits. */
  static final int ALL = WW | WR | RW | ORDERS;

  /** The edges from which a shortest cycle of a component is searched, whatever that costs. */
  private static final int MAX_STARTS = 32;

  /** The edges from which a cycle with one rw edge is searched: most of them may have none. */
  private static final int MAX_SINGLE_STARTS = 256;

  /** A cycle is searched from further edges while each edge was examined so often, on average. */
  private static final int MAX_SCANS_PER_EDGE = 64;

  private final ListDependencies dependencies;
  private final Set<CommitOrder> orders;
  private final int transactions;
  private final ToIntFunction<List<Edge>> rank;
  private final Consumer<List<Edge>> found;

  /** The worst class, by its ordinal, of the cycles reported through each transaction. */
  private final byte[] worst;

  private boolean related;

  /**
   * Prepares a search.
   *
   * @param rank the place of a cycle among those of the same class between two transactions, worst
   *     first
   * @param found receives each cycle
   */
  ListCycles(
      ListDependencies dependencies,
      Set<CommitOrder> orders,
      int transactions,
      ToIntFunction<List<Edge>> rank,
      Consumer<List<Edge>> found) {
    this.dependencies = dependencies;
    this.orders = orders;
    this.transactions = transactions;
    this.rank = rank;
    this.found = found;
    this.worst = new byte[transactions];
    Arrays.fill(worst, Byte.MAX_VALUE);
  }

  /** Whether any transaction depends on another. */
  boolean related() {
    return related;
  }

  /**
   * Reports cycles.
   *
   * @return the component of each node with the orders that count, -1 for none
   */
  int[] search() {
    Digraph graph = new Digraph(dependencies.nodes(), dependencies::forEach);
    related = graph.hasEdges();
    int[] components = search(graph, Set.of());
    return orders.isEmpty() ? components : search(withOrders(), orders);
  }

  private Digraph withOrders() {
    return new Digraph(
        dependencies.nodes(),
        sink -> {
          dependencies.forEach(sink);
          dependencies.forEachOrder(orders, sink);
        });
  }

  private int[] search(Digraph graph, Set<CommitOrder> with) {
    int[] components = StrongComponents.of(graph.walks(ALL));
    if (Arrays.stream(components).anyMatch(component -> component >= 0)) {
      new Part(new CyclicPart(dependencies, components, with), with).search();
    }
    return components;
  }

  private static CycleClass classOf(List<Edge> cycle) {
    return CycleClass.of(cycle.size(), i -> cycle.get(i).kind());
  }

  /** The search in the part of one graph that lies on cycles. */
  private final class Part {

    private final CyclicPart part;
    private final EdgeList edges;
    private final Set<CommitOrder> with;
    private final PathSearch paths;

    /** The worst class, by its ordinal, of what is known of each component. */
    private final byte[] known;

    Part(CyclicPart part, Set<CommitOrder> with) {
      this.part = part;
      this.edges = part.edges();
      this.with = with;
      this.paths = new PathSearch(part);
      this.known = new byte[part.components()];
      Arrays.fill(known, Byte.MAX_VALUE);
      for (int node = 0; node < part.graph().nodes(); node++) {
        if (part.original(node) < transactions) {
          know(part.component(node), worst[part.original(node)]);
        }
      }
    }

    private void know(int component, int cycleClass) {
      known[component] = (byte) Math.min(known[component], cycleClass);
    }

    void search() {
      if (with.isEmpty()) {
        pairs();
      } else {
        inversions();
      }
      searchClosed(CycleClass.G0, WW, WW);
      searchClosed(CycleClass.G1C, WW | WR, WR);
      searchSingle();
      searchNonadjacent();
      searchAny();
    }

    /**
     * Reports each pair of transactions with edges in both directions, none by an auxiliary node.
     */
    private void pairs() {
      Digraph graph = part.graph();
      for (int node = 0; node < graph.nodes(); node++) {
        Set<Integer> partners = new HashSet<>();
        for (int out = graph.start(node); out < graph.end(node); out++) {
          int target = graph.target(out);
          if (target > node && partners.add(target)) {
            for (int back = graph.start(target); back < graph.end(target); back++) {
              if (graph.target(back) == node) {
                pair(node, target);
                break;
              }
            }
          }
        }
      }
    }

    private void pair(int one, int other) {
      List<Edge> best = List.of();
      Digraph graph = part.graph();
      for (int out = graph.start(one); out < graph.end(one); out++) {
        for (int back = graph.start(other);
            graph.target(out) == other && back < graph.end(other);
            back++) {
          if (graph.target(back) == one) {
            List<Edge> pair = List.of(part.edge(graph.edge(out)), part.edge(graph.edge(back)));
            best = best.isEmpty() || isWorse(pair, best) ? pair : best;
          }
        }
      }
      report(part.component(one), best);
    }

    private boolean isWorse(List<Edge> one, List<Edge> other) {
      int order = classOf(one).compareTo(classOf(other));
      return order < 0 || order == 0 && rank.applyAsInt(one) < rank.applyAsInt(other);
    }

    /** Reports each dependency on a transaction that came later by an order that counts. */
    private void inversions() {
      for (int edge = 0; edge < edges.size(); edge++) {
        int from = part.original(edges.from(edge));
        int to = part.original(edges.to(edge));
        if (from < transactions && to < transactions && (1 << edges.kind(edge) & ORDERS) == 0) {
          int kind = dependencies.orderBetween(to, from, with);
          if (kind >= 0) {
            Edge back = new Edge(to, from, EdgeList.dependencyKind(kind), -1, -1);
            List<Edge> cycle = List.of(part.edge(edge), back);
            if (classOf(cycle).ordinal() < Math.max(worst[from], worst[to])) {
              report(part.component(edges.from(edge)), cycle);
            }
          }
        }
      }
    }

    /** Reports a cycle of only these kinds of edges, and with one of a kind. */
    private void searchClosed(CycleClass cycleClass, int kinds, int needed) {
      if (nothingWorseThan(cycleClass)) {
        return;
      }
      int[] closed = StrongComponents.of(part.graph().walks(kinds | ORDERS));
      Shortest shortest = new Shortest(part.graph().nodes(), MAX_STARTS, kinds | ORDERS, false);
      for (int edge = 0; edge < edges.size(); edge++) {
        int component = closed[edges.from(edge)];
        if (component >= 0
            && component == closed[edges.to(edge)]
            && (1 << edges.kind(edge) & needed) != 0
            && known[part.component(edges.from(edge))] > cycleClass.ordinal()) {
          shortest.search(component, edge);
        }
      }
      shortest.report();
    }

    private void searchSingle() {
      if (nothingWorseThan(CycleClass.G_SINGLE)) {
        return;
      }
      searchByComponent(CycleClass.G_SINGLE, MAX_SINGLE_STARTS, WW | WR | ORDERS);
    }

    private void searchNonadjacent() {
      if (nothingWorseThan(CycleClass.G_NONADJACENT)) {
        return;
      }
      int[] closed = StrongComponents.of(part.graph().nonadjacentWalks(ALL));
      Shortest shortest = new Shortest(known.length, MAX_STARTS, ALL, true);
      for (int edge = 0; edge < edges.size(); edge++) {
        int component = part.component(edges.from(edge));
        int within = closed[2 * edges.from(edge)];
        if ((1 << edges.kind(edge) & RW) != 0
            && within >= 0
            && within == closed[2 * edges.to(edge) + 1]
            && known[component] > CycleClass.G_NONADJACENT.ordinal()) {
          shortest.search(component, edge);
        }
      }
      shortest.report();
    }

    private void searchAny() {
      if (!nothingWorseThan(CycleClass.G2_ITEM)) {
        searchByComponent(CycleClass.G2_ITEM, MAX_STARTS, ALL);
      }
    }

    /** Reports a shortest cycle of each component through an rw edge and edges of some kinds. */
    private void searchByComponent(CycleClass cycleClass, int maxStarts, int kinds) {
      Shortest shortest = new Shortest(known.length, maxStarts, kinds, false);
      for (int edge = 0; edge < edges.size(); edge++) {
        int component = part.component(edges.from(edge));
        if ((1 << edges.kind(edge) & RW) != 0 && known[component] > cycleClass.ordinal()) {
          shortest.search(component, edge);
        }
      }
      shortest.report();
    }

    private boolean nothingWorseThan(CycleClass cycleClass) {
      for (byte of : known) {
        if (of > cycleClass.ordinal()) {
          return false;
        }
      }
      return true;
    }

    private void report(List<Integer> path) {
      if (!path.isEmpty()) {
        report(part.component(edges.from(path.get(0))), part.transactions(path));
      }
    }

    private void report(int component, List<Edge> cycle) {
      int cycleClass = classOf(cycle).ordinal();
      know(component, cycleClass);
      for (Edge edge : cycle) {
        if (with.isEmpty()) {
          worst[edge.from()] = (byte) Math.min(worst[edge.from()], cycleClass);
        }
      }
      found.accept(cycle);
    }

    /** The shortest cycle of each component, among those through the edges searched so far. */
    private final class Shortest {
      private final List<List<Integer>> cycles;
      private final int[] starts;
      private final int maxStarts;
      private final int kinds;
      private final boolean nonadjacent;
      private final long scannedBefore = paths.scanned();

      Shortest(int components, int maxStarts, int kinds, boolean nonadjacent) {
        this.cycles = new ArrayList<>(Collections.nCopies(components, List.of()));
        this.starts = new int[components];
        this.maxStarts = maxStarts;
        this.kinds = kinds;
        this.nonadjacent = nonadjacent;
      }

      /** Searches a shorter cycle through an edge, unless that exceeds the bounds. */
      void search(int component, int edge) {
        List<Integer> best = cycles.get(component);
        int length = best.isEmpty() ? Integer.MAX_VALUE : paths.length(best);
        boolean isInBounds =
            starts[component]++ < maxStarts
                || paths.scanned() - scannedBefore < (long) MAX_SCANS_PER_EDGE * edges.size();
        if (length > 2 && isInBounds) {
          List<Integer> cycle = paths.cycle(edge, kinds, nonadjacent, length - 1);
          if (!cycle.isEmpty()) {
            cycles.set(component, cycle);
          }
        }
      }

      void report() {
        cycles.forEach(cycle -> Part.this.report(nonadjacent ? simple(cycle) : cycle));
      }

      /**
       * The cycle in a closed path that may visit a transaction twice, once after an rw edge. What
       * is between the two visits has no adjacent rw edges, or else the rest has none.
       */
      private List<Integer> simple(List<Integer> closed) {
        for (int i = 0; i < closed.size(); i++) {
          for (int j = i + 1; j < closed.size(); j++) {
            if (edges.from(closed.get(i)) == edges.from(closed.get(j))) {
              List<Integer> inner = closed.subList(i, j);
              List<Integer> outer = new ArrayList<>(closed.subList(j, closed.size()));
              outer.addAll(closed.subList(0, i));
              boolean adjacent = isRw(inner.get(0)) && isRw(lastDependency(inner));
              return simple(adjacent ? outer : List.copyOf(inner));
            }
          }
        }
        return closed;
      }

      private int lastDependency(List<Integer> path) {
        int last = path.size() - 1;
        while (last > 0 && edges.kind(path.get(last)) == EdgeList.THROUGH) {
          last--;
        }
        return path.get(last);
      }

      private boolean isRw(int edge) {
        return edges.kind(edge) == DependencyKind.RW.ordinal();
      }
    }
  }
}
