package io.txwatch.listappend;

import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.IntList;
import io.txwatch.listappend.ListCycles.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * The part of the graph that lies on cycles, with the operations of its edges: nearly always
 * nothing or little. Its nodes are renumbered.
 */
final class CyclicPart {

  private final EdgeList edges = new EdgeList();
  private final Digraph graph;
  private final int[] whole;
  private final int[] component;
  private final int count;
  private final IntList nodes = new IntList();

  /**
   * Selects the edges within components.
   *
   * @param components the component of each node, -1 for none
   */
  CyclicPart(ListDependencies dependencies, int[] components, Set<CommitOrder> orders) {
    int[] numbers = new int[components.length];
    for (int node = 0; node < components.length; node++) {
      if (components[node] >= 0) {
        numbers[node] = nodes.size();
        nodes.add(node);
      }
    }
    ListDependencies.Sink inside =
        (from, to, kind, fromOp, toOp) -> {
          if (components[from] >= 0 && components[from] == components[to]) {
            edges.edge(numbers[from], numbers[to], kind, fromOp, toOp);
          }
        };
    dependencies.forEach(inside);
    dependencies.forEachOrder(orders, inside);
    graph = new Digraph(nodes.size(), edges);
    whole = new int[nodes.size()];
    Arrays.setAll(whole, node -> components[nodes.get(node)]);
    int[] ordered = Arrays.stream(whole).sorted().distinct().toArray();
    component = Arrays.stream(whole).map(of -> Arrays.binarySearch(ordered, of)).toArray();
    count = ordered.length;
  }

  EdgeList edges() {
    return edges;
  }

  Digraph graph() {
    return graph;
  }

  /** The component of a node: 0, 1, … */
  int component(int node) {
    return component[node];
  }

  int components() {
    return count;
  }

  /** The component of a node in the whole graph. */
  int wholeComponent(int node) {
    return whole[node];
  }

  /** The node with that number in the whole graph. */
  int node(int original) {
    int low = 0;
    int high = nodes.size() - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (nodes.get(middle) < original) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** The number of a node in the whole graph. */
  int original(int node) {
    return nodes.get(node);
  }

  /** An edge with the numbers of the whole graph. */
  Edge edge(int edge) {
    int kind = edges.kind(edge);
    return new Edge(
        original(edges.from(edge)),
        original(edges.to(edge)),
        kind == EdgeList.THROUGH ? DependencyKind.RT : EdgeList.dependencyKind(kind),
        edges.fromOp(edge),
        edges.toOp(edge));
  }

  /**
   * A path or cycle without auxiliary nodes. A path starts with a transaction; a cycle may be
   * rotated to do so.
   */
  List<Edge> transactions(List<Integer> path) {
    int first = 0;
    while (edges.kind(path.get(first)) == EdgeList.THROUGH) {
      first++;
    }
    List<Edge> result = new ArrayList<>();
    for (int i = 0; i < path.size(); i++) {
      int number = path.get((first + i) % path.size());
      Edge edge = edge(number);
      if (edges.kind(number) == EdgeList.THROUGH) {
        Edge into = result.remove(result.size() - 1);
        result.add(new Edge(into.from(), edge.to(), into.kind(), into.fromOp(), edge.toOp()));
      } else {
        result.add(edge);
      }
    }
    return result;
  }
}
