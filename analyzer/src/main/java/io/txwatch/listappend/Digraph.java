package io.txwatch.listappend;

/** A graph by the outgoing edges of each node, in two arrays. Immutable. */
final class Digraph {

  private final int[] starts;
  private final int[] packed;
  private final int[] edges;

  /**
   * Indexes edges.
   *
   * @param withEdges whether {@link #edge} is needed
   */
  Digraph(int nodes, EdgeList list, boolean withEdges) {
    starts = new int[nodes + 1];
    for (int edge = 0; edge < list.size(); edge++) {
      starts[list.from(edge) + 1]++;
    }
    for (int node = 0; node < nodes; node++) {
      starts[node + 1] += starts[node];
    }
    packed = new int[list.size()];
    edges = new int[withEdges ? list.size() : 0];
    for (int edge = list.size() - 1; edge >= 0; edge--) {
      int at = --starts[list.from(edge) + 1];
      packed[at] = list.packed(edge);
      if (withEdges) {
        edges[at] = edge;
      }
    }
    // Each start was moved to that of the node before: move them back.
    System.arraycopy(starts, 1, starts, 0, nodes);
    starts[nodes] = list.size();
  }

  int nodes() {
    return starts.length - 1;
  }

  /** The first of a node's outgoing edges, which are numbered consecutively. */
  int start(int node) {
    return starts[node];
  }

  /** The end of a node's outgoing edges, exclusive. */
  int end(int node) {
    return starts[node + 1];
  }

  int target(int out) {
    return EdgeList.node(packed[out]);
  }

  int kind(int out) {
    return EdgeList.kindOf(packed[out]);
  }

  /** Its number in the list of edges. */
  int edge(int out) {
    return edges[out];
  }
}
