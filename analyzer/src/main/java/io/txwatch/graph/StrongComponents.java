package io.txwatch.graph;

import java.util.Arrays;

/**
 * The strongly connected components of a graph, by Tarjan's algorithm (1972), iteratively, in
 * arrays of one number for each node.
 *
 * <p>JGraphT's need an object for each node and edge: of a history of a million transactions with
 * cycles throughout they take a minute and gigabytes, this takes half a second (decision 18).
 */
public final class StrongComponents {

  /** A graph by the outgoing edges of each node; nodes are numbered from 0. */
  public interface Edges {
    /** The number of nodes. */
    int nodes();

    /** The first edge out of a node; -1 if there is none. */
    int first(int node);

    /** The edge out of a node after another one; -1 if there is none. */
    int next(int node, int edge);

    /** The node that an edge leads to; -1 if the edge does not count. */
    int target(int node, int edge);
  }

  private final Edges edges;
  private final int[] component;
  private int count;

  /** By node: the order of the visit from 1, and, while on the stack, the lowest one reachable. */
  private final int[] low;

  private final int[] next;
  private int[] stack = new int[1024];
  private int stacked;
  private int[] path = new int[1024];
  private int depth;
  private int visits;

  private StrongComponents(Edges edges) {
    this.edges = edges;
    int nodes = edges.nodes();
    component = new int[nodes];
    low = new int[nodes];
    next = new int[nodes];
    Arrays.fill(component, -1);
  }

  /** A number for each node, equal for nodes on common cycles; -1 if a node lies on none. */
  public static int[] of(Edges edges) {
    return new StrongComponents(edges).compute();
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

  private void step(int node) {
    while (next[node] >= 0) {
      int target = edges.target(node, next[node]);
      next[node] = edges.next(node, next[node]);
      if (target < 0) {
        continue;
      } else if (low[target] == 0) {
        enter(target);
        return;
      }
      low[node] = Math.min(low[node], low[target]);
    }
    depth--;
    if (depth > 0) {
      int before = path[depth - 1];
      low[before] = Math.min(low[before], low[node]);
    }
    leave(node);
  }

  private void enter(int node) {
    low[node] = ++visits;
    next[node] = edges.first(node);
    stack = push(stack, stacked++, node);
    path = push(path, depth++, node);
    component[node] = -visits - 1; // its own number, while it is on the stack
  }

  /** Ends the component of a node that reaches nothing visited before it. */
  private void leave(int node) {
    if (low[node] != -component[node] - 1) {
      return;
    }
    boolean alone = stack[stacked - 1] == node;
    int member;
    do {
      member = stack[--stacked];
      component[member] = alone ? -1 : count;
      low[member] = Integer.MAX_VALUE;
    } while (member != node);
    count += alone ? 0 : 1;
  }

  private static int[] push(int[] to, int at, int value) {
    int[] grown = at == to.length ? Arrays.copyOf(to, 2 * at) : to;
    grown[at] = value;
    return grown;
  }
}
