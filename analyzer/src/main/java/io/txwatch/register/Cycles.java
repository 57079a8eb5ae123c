package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.StrongComponents;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Extracts short cycles of an {@link OrderGraph}, one for each strongly connected component, and
 * replaces inferred ww edges by what they were inferred from. Of the cycles through a bounded
 * number of transactions of the component, it is one with the fewest transactions.
 *
 * <p>An edge from w' to w was inferred because w' precedes a reader r of w. If it closes a cycle, a
 * path leads from w to w'. Then r read a version that w' overwrote, and the cycle is: rw from r to
 * w', and the path from w' to r. Its edges were there before the inferred one, so this ends.
 */
final class Cycles {

  private static final int MAX_CYCLES = 100;
  private static final int MAX_STARTS = 32;

  /** The cycles of a component whose inferred edges are replaced, to report the smallest. */
  private static final int MAX_EXPLAINED = 8;

  /**
   * An edge between transactions.
   *
   * @param fromOp the operation at its source; -1 for session and real-time order
   * @param toOp the operation at its target; -1 for session and real-time order
   */
  record Edge(int from, int to, DependencyKind kind, int fromOp, int toOp) {}

  private final OrderGraph graph;
  private final List<Read> reads;
  private final int[] distances;
  private final int[] via;
  private final Ints visited = new Ints();

  Cycles(OrderGraph graph, List<Read> reads) {
    this.graph = graph;
    this.reads = reads;
    this.distances = new int[graph.nodes()];
    this.via = new int[graph.nodes()];
    Arrays.fill(distances, -1);
  }

  /** Cycles, each of another component. */
  List<List<Edge>> find() {
    int[] component = StrongComponents.of(graph);
    Map<Integer, Ints> members = new HashMap<>();
    for (int node = 0; node < component.length; node++) {
      if (component[node] >= 0 && graph.transaction(node) >= 0) {
        Ints starts = members.computeIfAbsent(component[node], c -> new Ints());
        if (starts.size() < MAX_STARTS) {
          starts.add(node);
        }
      }
    }
    List<List<Edge>> cycles = new ArrayList<>();
    for (Ints starts : members.values()) {
      if (cycles.size() < MAX_CYCLES) {
        cycles.add(smallest(starts));
      }
    }
    return cycles;
  }

  /** The cycle of the fewest transactions, among the shortest ones with inferred edges. */
  private List<Edge> smallest(Ints starts) {
    List<List<Step>> cycles = new ArrayList<>();
    for (int i = 0; i < starts.size(); i++) {
      cycles.add(path(starts.get(i), starts.get(i), graph.edges()));
    }
    cycles.removeIf(List::isEmpty);
    cycles.sort(Comparator.comparing(Cycles::length));
    List<Edge> best = List.of();
    for (List<Step> cycle : cycles.subList(0, Math.min(MAX_EXPLAINED, cycles.size()))) {
      List<Edge> edges = edges(explained(cycle));
      if (best.isEmpty() || edges.size() < best.size()) {
        best = edges;
      }
      if (best.size() == 2) {
        break;
      }
    }
    return best;
  }

  private static long length(List<Step> cycle) {
    return cycle.stream().filter(step -> step.kind != null).count();
  }

  /**
   * An edge of a path between nodes.
   *
   * @param edge its number; -1 if it was not in the graph
   */
  private record Step(
      int edge, int from, int to, @Nullable DependencyKind kind, int fromOp, int toOp) {}

  private Step step(int edge) {
    return new Step(
        edge,
        graph.from(edge),
        graph.to(edge),
        graph.kind(edge),
        graph.fromOp(edge),
        graph.toOp(edge));
  }

  /** Replaces inferred edges. */
  private List<Step> explained(List<Step> cycle) {
    List<Step> now = cycle;
    while (true) {
      boolean hasRw = now.stream().anyMatch(step -> step.kind == DependencyKind.RW);
      Step last = null;
      for (Step step : now) {
        int cause = step.edge < 0 ? OrderGraph.CERTAIN : graph.cause(step.edge);
        boolean replace = cause >= 0 || cause == OrderGraph.NOT_CONCURRENT && !hasRw;
        if (replace && (last == null || step.edge > last.edge)) {
          last = step;
        }
      }
      if (last == null) {
        return now;
      }
      now = replaced(last);
    }
  }

  private List<Step> replaced(Step inferred) {
    int cause = graph.cause(inferred.edge);
    int later = graph.transaction(inferred.from);
    int earlier = graph.transaction(inferred.to);
    List<Step> cycle = new ArrayList<>();
    if (cause >= 0) {
      Read read = reads.get(cause);
      int start = graph.snapshot(read.reader());
      int end = graph.commit(later);
      cycle.add(new Step(-1, start, end, DependencyKind.RW, read.op(), inferred.fromOp));
      cycle.addAll(path(end, start, inferred.edge));
    } else {
      int start = graph.commit(earlier);
      int end = graph.snapshot(later);
      cycle.add(new Step(-1, start, end, DependencyKind.WW, inferred.toOp, inferred.fromOp));
      cycle.addAll(path(end, start, inferred.edge));
    }
    return cycle;
  }

  /** A shortest path of edges with smaller numbers; edges within a transaction do not count. */
  private List<Step> path(int start, int end, int limit) {
    for (int i = 0; i < visited.size(); i++) {
      distances[visited.get(i)] = -1;
    }
    visited.clear();
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    BitSet done = new BitSet();
    queue.add(start);
    boolean first = true;
    int found = -1;
    int best = Integer.MAX_VALUE;
    while (!queue.isEmpty()) {
      int node = queue.removeFirst();
      int distance = first ? 0 : distances[node];
      if (!first && (done.get(node) || distance >= best)) {
        continue;
      }
      if (!first) {
        done.set(node);
      }
      first = false;
      for (int edge = graph.first(node); edge >= 0; edge = graph.next(node, edge)) {
        if (edge >= limit) {
          continue;
        }
        boolean counts = graph.kind(edge) != null;
        int next = distance + (counts ? 1 : 0);
        int to = graph.to(edge);
        if (to == end) {
          if (next < best) {
            best = next;
            found = edge;
          }
        } else if (distances[to] < 0 || next < distances[to]) {
          if (distances[to] < 0) {
            visited.add(to);
          }
          distances[to] = next;
          via[to] = edge;
          if (counts) {
            queue.addLast(to);
          } else {
            queue.addFirst(to);
          }
        }
      }
    }
    List<Step> path = new ArrayList<>();
    for (int edge = found;
        edge >= 0;
        edge = graph.from(edge) == start ? -1 : via[graph.from(edge)]) {
      path.add(0, step(edge));
    }
    return path;
  }

  /** The dependencies of a cycle of nodes, in a cycle that visits no transaction twice. */
  private List<Edge> edges(List<Step> cycle) {
    List<Edge> edges = new ArrayList<>();
    int last = -1;
    for (int round = 0; round < 2 && last < 0; round++) {
      for (Step step : cycle) {
        int t = graph.transaction(step.from);
        last = t >= 0 ? t : last;
      }
    }
    for (Step step : cycle) {
      int source = graph.transaction(step.from);
      last = source >= 0 ? source : last;
      int target = graph.transaction(step.to);
      if (step.kind != null) {
        edges.add(new Edge(source, target, step.kind, step.fromOp, step.toOp));
      } else if (source < 0 && target >= 0) {
        edges.add(new Edge(last, target, DependencyKind.RT, -1, -1));
      }
    }
    return simple(edges);
  }

  /** Leaves out what lies between two visits of a transaction. */
  private List<Edge> simple(List<Edge> cycle) {
    for (int i = 0; i < cycle.size(); i++) {
      for (int j = i + 1; j < cycle.size(); j++) {
        if (cycle.get(i).from() == cycle.get(j).from()) {
          List<Edge> inner = cycle.subList(i, j);
          List<Edge> outer = new ArrayList<>(cycle.subList(j, cycle.size()));
          outer.addAll(cycle.subList(0, i));
          return simple(List.copyOf(isForbidden(inner) ? inner : outer));
        }
      }
    }
    return cycle;
  }

  /** Whether a closed path is a cycle of the graph by itself: at its ends, too. */
  private boolean isForbidden(List<Edge> closed) {
    return !graph.isSplit()
        || closed.get(0).kind() != DependencyKind.RW
        || closed.get(closed.size() - 1).kind() != DependencyKind.RW;
  }
}
