package io.txwatch.listappend;

import io.txwatch.dependency.DependencyKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Finds paths with the fewest transactions, by breadth-first search. Its arrays are reused.
 *
 * <p>An edge out of an auxiliary node continues the one into it and adds nothing to the length.
 *
 * <p>Node n is searched in two states: 2n, and 2n + 1 after an rw edge that no other may follow.
 */
final class PathSearch {

  private static final int RW = DependencyKind.RW.ordinal();

  private final EdgeList edges;
  private final Digraph graph;
  private final int[] seen;
  private final int[] edgeInto;
  private final int[] before;
  private final int[] distance;
  private int stamp;
  private long scanned;

  PathSearch(CyclicPart part) {
    this.edges = part.edges();
    this.graph = part.graph();
    this.seen = new int[2 * graph.nodes()];
    this.edgeInto = new int[2 * graph.nodes()];
    this.before = new int[2 * graph.nodes()];
    this.distance = new int[2 * graph.nodes()];
  }

  /**
   * The shortest cycle that starts with an edge; empty if there is none.
   *
   * @param kinds the kinds that its other edges may have, as bits
   * @param nonadjacent whether no rw edge may follow another
   * @param maxLength the most transactions
   */
  List<Integer> cycle(int edge, int kinds, boolean nonadjacent, int maxLength) {
    boolean single = nonadjacent && edges.kind(edge) == RW;
    List<Integer> path = new ArrayList<>();
    if (find(
        2 * edges.to(edge) + (single ? 1 : 0),
        edges.from(edge),
        !single,
        kinds,
        nonadjacent,
        maxLength - 1)) {
      path.add(edge);
      addPath(path);
    }
    return path;
  }

  /** The number of transactions of a cycle. */
  int length(List<Integer> cycle) {
    int length = 0;
    for (int edge : cycle) {
      length += lengthOf(edges.kind(edge));
    }
    return length;
  }

  /** The number of edges that all searches examined. */
  long scanned() {
    return scanned;
  }

  private static int lengthOf(int kind) {
    return kind == EdgeList.THROUGH ? 0 : 1;
  }

  /** The shortest path between two nodes without adjacent rw edges; empty if there is none. */
  List<Integer> nonadjacentPath(int from, int to, int kinds) {
    List<Integer> path = new ArrayList<>();
    if (find(2 * from, to, true, kinds, true, Integer.MAX_VALUE)) {
      addPath(path);
    }
    return path;
  }

  private int first;
  private int last;

  /**
   * Searches.
   *
   * @param afterRw whether the path may end with an rw edge
   */
  private boolean find(
      int from, int goal, boolean afterRw, int kinds, boolean nonadjacent, int maxLength) {
    first = from;
    stamp++;
    seen[from] = stamp;
    distance[from] = 0;
    ArrayDeque<Integer> queue = new ArrayDeque<>();
    queue.add(from);
    while (!queue.isEmpty()) {
      int state = queue.remove();
      if (state >> 1 == goal && (afterRw || (state & 1) == 0)) {
        last = state;
        return true;
      }
      int node = state >> 1;
      scanned += graph.end(node) - graph.start(node);
      for (int out = graph.start(node); out < graph.end(node); out++) {
        int target = target(state, out, kinds, nonadjacent);
        int length = distance[state] + lengthOf(graph.kind(out));
        if (target >= 0
            && length <= maxLength
            && (seen[target] != stamp || length < distance[target])) {
          seen[target] = stamp;
          distance[target] = length;
          edgeInto[target] = graph.edge(out);
          before[target] = state;
          if (length == distance[state]) {
            queue.addFirst(target); // it is as near as what comes next
          } else {
            queue.addLast(target);
          }
        }
      }
    }
    return false;
  }

  private int target(int state, int out, int kinds, boolean nonadjacent) {
    int kind = graph.kind(out);
    if ((kinds >> kind & 1) == 0) {
      return -1;
    } else if (!nonadjacent) {
      return 2 * graph.target(out);
    } else if (kind == RW) {
      return (state & 1) == 0 ? 2 * graph.target(out) + 1 : -1;
    }
    return 2 * graph.target(out) + (kind == EdgeList.THROUGH ? state & 1 : 0);
  }

  private void addPath(List<Integer> path) {
    int size = path.size();
    for (int state = last; state != first; state = before[state]) {
      path.add(edgeInto[state]);
    }
    Collections.reverse(path.subList(size, path.size()));
  }
}
