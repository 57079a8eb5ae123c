package io.txwatch.listappend;

import java.util.function.Consumer;

/** A graph by the outgoing edges of each node, in two arrays. Immutable. */
final class Digraph {

  private final int[] starts;
  private final int[] packed;
  private final int[] edges;

  /**
   * Indexes the edges of a list, with their numbers in it.
   *
   * @param nodes the number of nodes
   */
  Digraph(int nodes, EdgeList list) {
    this(nodes, list::forEach, true);
  }

  /**
   * Indexes edges without keeping a list of them.
   *
   * @param nodes the number of nodes
   * @param source emits the edges; called twice, it must emit the same ones in the same order
   */
  Digraph(int nodes, Consumer<ListDependencies.Sink> source) {
    this(nodes, source, false);
  }

  private Digraph(int nodes, Consumer<ListDependencies.Sink> source, boolean withEdges) {
    // While edges are added, starts[n + 1] is where the next edge of node n belongs: in the end,
    // where those of node n + 1 begin.
    int[] next = new int[nodes + 2];
    source.accept((from, to, kind, fromOp, toOp) -> next[from + 2]++);
    for (int node = 1; node <= nodes; node++) {
      next[node + 1] += next[node];
    }
    starts = next;
    packed = new int[next[nodes + 1]];
    edges = new int[withEdges ? packed.length : 0];
    source.accept(
        new ListDependencies.Sink() {
          private int edge;

          @Override
          public void edge(int from, int to, int kind, int fromOp, int toOp) {
            int at = next[from + 1]++;
            packed[at] = EdgeList.pack(to, kind);
            if (withEdges) {
              edges[at] = edge++;
            }
          }
        });
  }

  int nodes() {
    return starts.length - 2;
  }

  boolean hasEdges() {
    return packed.length > 0;
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
