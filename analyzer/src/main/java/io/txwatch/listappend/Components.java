package io.txwatch.listappend;

import io.txwatch.dependency.DependencyKind;
import java.util.Arrays;

/**
 * The strongly connected components of a graph, by Tarjan's algorithm (1972), iteratively.
 *
 * <p>With {@code nonadjacent}, walks never follow an rw edge directly by another one: each node
 * exists in two states, the second one after an rw edge. A component then consists of the nodes and
 * states of closed walks without adjacent rw edges, which snapshot isolation proscribes (Cerone and
 * Gotsman 2016, theorem 4.1).
 */
final class Components {

  private static final int RW = DependencyKind.RW.ordinal();

  private final Digraph graph;
  private final int kinds;
  private final boolean nonadjacent;
  private final int[] component;
  private int count;

  /** By state: the order of the visit from 1, and, while on the stack, the lowest one reachable. */
  private final int[] low;

  private final int[] next;
  private int[] stack = new int[1024];
  private int stacked;
  private int[] path = new int[1024];
  private int depth;
  private int visits;

  private Components(Digraph graph, int kinds, boolean nonadjacent) {
    this.graph = graph;
    this.kinds = kinds;
    this.nonadjacent = nonadjacent;
    int states = graph.nodes() * (nonadjacent ? 2 : 1);
    component = new int[states];
    low = new int[states];
    next = new int[states];
    Arrays.fill(component, -1);
  }

  /**
   * A number for each node, equal for nodes on common cycles; -1 if a node lies on none.
   *
   * @param kinds the kinds of edges that count, as bits
   */
  static int[] of(Digraph graph, int kinds) {
    return new Components(graph, kinds, false).compute();
  }

  /** The same for walks without adjacent rw edges: node n is 2n, and 2n + 1 after an rw edge. */
  static int[] nonadjacent(Digraph graph, int kinds) {
    return new Components(graph, kinds, true).compute();
  }

  /** The state that an edge leads to; -1 if it does not count or must not follow. */
  private int target(int state, int out) {
    int kind = graph.kind(out);
    if ((kinds >> kind & 1) == 0) {
      return -1;
    }
    int target = graph.target(out);
    if (!nonadjacent) {
      return target;
    } else if (kind == RW) {
      return (state & 1) == 0 ? 2 * target + 1 : -1;
    }
    return 2 * target + (kind == EdgeList.THROUGH ? state & 1 : 0);
  }

  private int node(int state) {
    return nonadjacent ? state >> 1 : state;
  }

  private int[] compute() {
    for (int root = 0; root < low.length; root++) {
      if (low[root] == 0) {
        enter(root);
        while (depth > 0) {
          step(path[depth - 1]);
        }
      }
    }
    return component;
  }

  private void step(int state) {
    int end = graph.end(node(state));
    while (next[state] < end) {
      int target = target(state, next[state]++);
      if (target < 0) {
        continue;
      } else if (low[target] == 0) {
        enter(target);
        return;
      }
      low[state] = Math.min(low[state], low[target]);
    }
    depth--;
    if (depth > 0) {
      int before = path[depth - 1];
      low[before] = Math.min(low[before], low[state]);
    }
    leave(state);
  }

  private void enter(int state) {
    low[state] = ++visits;
    next[state] = graph.start(node(state));
    stack = push(stack, stacked++, state);
    path = push(path, depth++, state);
    component[state] = -visits - 1; // its own number, while it is on the stack
  }

  /** Ends the component of a state that reaches nothing visited before it. */
  private void leave(int state) {
    if (low[state] != -component[state] - 1) {
      return;
    }
    boolean alone = stack[stacked - 1] == state;
    int member;
    do {
      member = stack[--stacked];
      component[member] = alone ? -1 : count;
      low[member] = Integer.MAX_VALUE;
    } while (member != state);
    count += alone ? 0 : 1;
  }

  private static int[] push(int[] to, int at, int value) {
    int[] grown = at == to.length ? Arrays.copyOf(to, 2 * at) : to;
    grown[at] = value;
    return grown;
  }
}
