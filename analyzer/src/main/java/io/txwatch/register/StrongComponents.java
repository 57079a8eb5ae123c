package io.txwatch.register;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Set;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/**
 * Computes which nodes lie on common cycles. JGraphT does so, on the graph without the nodes that
 * cannot be on a cycle, which is usually empty.
 */
final class StrongComponents {

  private StrongComponents() {}

  /**
   * A number for each node, equal for nodes on common cycles; -1 if a node lies on none.
   *
   * @param nodes the number of nodes
   * @param from the source of each edge; no edge leads from a node to itself
   * @param to the target of each edge
   */
  static int[] of(int nodes, int[] from, int[] to) {
    BitSet rest = new BitSet(nodes);
    rest.set(0, nodes);
    removeUnreachable(rest, nodes, from, to);
    removeUnreachable(rest, nodes, to, from);
    Graph<Integer, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    rest.stream().forEach(graph::addVertex);
    for (int edge = 0; edge < from.length; edge++) {
      if (rest.get(from[edge]) && rest.get(to[edge])) {
        graph.addEdge(from[edge], to[edge]);
      }
    }
    int[] component = new int[nodes];
    Arrays.fill(component, -1);
    int number = 0;
    for (Set<Integer> strong :
        new KosarajuStrongConnectivityInspector<>(graph).stronglyConnectedSets()) {
      if (strong.size() > 1) {
        for (int node : strong) {
          component[node] = number;
        }
        number++;
      }
    }
    return component;
  }

  /** Removes nodes without incoming edges, repeatedly. */
  private static void removeUnreachable(BitSet rest, int nodes, int[] from, int[] to) {
    int[] leadTo = new int[nodes];
    int[] end = new int[nodes + 1];
    for (int edge = 0; edge < from.length; edge++) {
      leadTo[to[edge]]++;
      end[from[edge] + 1]++;
    }
    for (int node = 0; node < nodes; node++) {
      end[node + 1] += end[node];
    }
    int[] begin = end.clone();
    int[] targets = new int[from.length];
    for (int edge = 0; edge < from.length; edge++) {
      targets[begin[from[edge]]++] = to[edge];
    }
    int[] gone = new int[nodes];
    int size = 0;
    for (int node = 0; node < nodes; node++) {
      if (leadTo[node] == 0) {
        gone[size++] = node;
      }
    }
    for (int i = 0; i < size; i++) {
      rest.clear(gone[i]);
      for (int edge = end[gone[i]]; edge < end[gone[i] + 1]; edge++) {
        if (--leadTo[targets[edge]] == 0) {
          gone[size++] = targets[edge];
        }
      }
    }
  }
}
