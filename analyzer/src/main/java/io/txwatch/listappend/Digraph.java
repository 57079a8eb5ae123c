package io.txwatch.listappend;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.StrongComponents;
import java.util.function.Consumer;

/** A graph by the outgoing edges of each node, in two arrays. Immutable. */
final class Digraph {

  private static final int RW = DependencyKind.RW.ordinal();

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

  /**
   * The edges of some kinds, for the components of its nodes.
   *
   * @param kinds the kinds, as bits
   */
  StrongComponents.Edges walks(int kinds) {
    return new Walks(kinds);
  }

  /**
   * Walks that never follow an rw edge directly by another one: node n is 2n, and 2n + 1 after an
   * rw edge. A component then consists of the states of closed walks without adjacent rw edges,
   * which snapshot isolation proscribes (Cerone and Gotsman 2016, theorem 4.1).
   *
   * @param kinds the kinds of edges that count, as bits
   */
  StrongComponents.Edges nonadjacentWalks(int kinds) {
    return new NonadjacentWalks(kinds);
  }

  private final class Walks implements StrongComponents.Edges {
    private final int kinds;

    Walks(int kinds) {
      this.kinds = kinds;
    }

    @Override
    public int nodes() {
      return Digraph.this.nodes();
    }

    @Override
    public int first(int node) {
      return start(node) < end(node) ? start(node) : -1;
    }

    @Override
    public int next(int node, int edge) {
      return edge + 1 < end(node) ? edge + 1 : -1;
    }

    @Override
    public int target(int node, int edge) {
      return (kinds >> kind(edge) & 1) == 0 ? -1 : Digraph.this.target(edge);
    }
  }

  private final class NonadjacentWalks implements StrongComponents.Edges {
    private final Walks walks;

    NonadjacentWalks(int kinds) {
      walks = new Walks(kinds);
    }

    @Override
    public int nodes() {
      return 2 * walks.nodes();
    }

    @Override
    public int first(int state) {
      return walks.first(state >> 1);
    }

    @Override
    public int next(int state, int edge) {
      return walks.next(state >> 1, edge);
    }

    @Override
    public int target(int state, int edge) {
      int target = walks.target(state >> 1, edge);
      int kind = kind(edge);
      if (target < 0) {
        return -1;
      } else if (kind == RW) {
        return (state & 1) == 0 ? 2 * target + 1 : -1;
      }
      return 2 * target + (kind == EdgeList.THROUGH ? state & 1 : 0);
    }
  }
}
