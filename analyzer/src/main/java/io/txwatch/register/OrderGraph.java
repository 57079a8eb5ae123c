package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.StrongComponents;
import java.util.Arrays;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * What must happen before what. A history satisfies its level if this graph, with an order of the
 * writes of each key, has no cycle.
 *
 * <p>A transaction is one node, or two under snapshot isolation: its snapshot and its commit. ww,
 * wr and order edges lead from a commit to a snapshot, rw edges from a snapshot to a commit. So a
 * cycle of this graph is a cycle of dependencies without two rw edges next to each other (Cerone
 * and Gotsman, PODC 2016).
 *
 * <p>Edges are numbered in the order in which they were added. An inferred one follows from edges
 * with smaller numbers.
 */
final class OrderGraph implements StrongComponents.Edges {

  /** An edge that follows from nothing but the history. */
  static final int CERTAIN = -1;

  /**
   * A ww edge between two writers of a key, whose other order contradicts the path from the target
   * of this edge back to its source.
   */
  static final int NOT_CONCURRENT = -2;

  /** Within a transaction, or to and from the nodes that stand for points in time. */
  private static final int INNER = DependencyKind.values().length;

  private static final DependencyKind[] KINDS = DependencyKind.values();

  private final int transactions;
  private final boolean split;
  private final int nodes;
  private final int[] heads;
  private int edges;
  private int[] from = new int[256];
  private int[] to = new int[256];
  private int[] nexts = new int[256];
  private byte[] kinds = new byte[256];
  private int[] fromOps = new int[256];
  private int[] toOps = new int[256];
  private int[] causes = new int[256];

  /**
   * Creates a graph without dependencies.
   *
   * @param split whether a transaction has two nodes
   * @param times the number of nodes for points in time
   */
  OrderGraph(int transactions, boolean split, int times) {
    this.transactions = transactions;
    this.split = split;
    this.nodes = (split ? 2 : 1) * transactions + times;
    this.heads = new int[nodes];
    Arrays.fill(heads, -1);
    if (split) {
      for (int t = 0; t < transactions; t++) {
        addInner(snapshot(t), commit(t));
      }
    }
  }

  @Override
  public int nodes() {
    return nodes;
  }

  boolean isSplit() {
    return split;
  }

  int snapshot(int transaction) {
    return split ? 2 * transaction : transaction;
  }

  int commit(int transaction) {
    return split ? 2 * transaction + 1 : transaction;
  }

  int time(int number) {
    return (split ? 2 : 1) * transactions + number;
  }

  /** The transaction of a node; -1 for a point in time. */
  int transaction(int node) {
    int transaction = split ? node / 2 : node;
    return transaction < transactions ? transaction : -1;
  }

  boolean isCommit(int node) {
    return !split || node % 2 == 1;
  }

  void addInner(int source, int target) {
    add(source, target, INNER, -1, -1, CERTAIN);
  }

  /** Adds a ww, wr or order edge between transactions; returns its number. */
  int addDependency(int source, int target, DependencyKind kind, int fromOp, int toOp, int cause) {
    int start = kind == DependencyKind.RW ? snapshot(source) : commit(source);
    int end = kind == DependencyKind.RW ? commit(target) : snapshot(target);
    return add(start, end, kind.ordinal(), fromOp, toOp, cause);
  }

  private int add(int source, int target, int kind, int fromOp, int toOp, int cause) {
    if (edges == from.length) {
      from = Arrays.copyOf(from, edges * 2);
      to = Arrays.copyOf(to, edges * 2);
      nexts = Arrays.copyOf(nexts, edges * 2);
      kinds = Arrays.copyOf(kinds, edges * 2);
      fromOps = Arrays.copyOf(fromOps, edges * 2);
      toOps = Arrays.copyOf(toOps, edges * 2);
      causes = Arrays.copyOf(causes, edges * 2);
    }
    from[edges] = source;
    to[edges] = target;
    kinds[edges] = (byte) kind;
    fromOps[edges] = fromOp;
    toOps[edges] = toOp;
    causes[edges] = cause;
    nexts[edges] = heads[source];
    heads[source] = edges;
    return edges++;
  }

  /** Removes the edges that were added last. */
  void truncate(int size) {
    while (edges > size) {
      edges--;
      heads[from[edges]] = nexts[edges];
    }
  }

  int edges() {
    return edges;
  }

  /** The last edge out of a node; -1 if there is none. */
  @Override
  public int first(int node) {
    return heads[node];
  }

  /** The next edge out of the same node, added before; -1 if there is none. */
  @Override
  public int next(int node, int edge) {
    return nexts[edge];
  }

  @Override
  public int target(int node, int edge) {
    return to[edge];
  }

  int from(int edge) {
    return from[edge];
  }

  int to(int edge) {
    return to[edge];
  }

  /** The kind; null if it is no dependency. */
  @Nullable DependencyKind kind(int edge) {
    return kinds[edge] == INNER ? null : KINDS[kinds[edge]];
  }

  int fromOp(int edge) {
    return fromOps[edge];
  }

  int toOp(int edge) {
    return toOps[edge];
  }

  /**
   * Why a ww edge was inferred: the number of the read that excludes the other order, {@link
   * #NOT_CONCURRENT}, or {@link #CERTAIN}.
   */
  int cause(int edge) {
    return causes[edge];
  }

  /**
   * The nodes in an order that agrees with all edges; of several, the one with the smallest rank
   * first. It is shorter than the number of nodes if there is a cycle.
   */
  int[] topologicalOrder(int[] ranks) {
    int[] waitsFor = new int[nodes];
    for (int edge = 0; edge < edges; edge++) {
      waitsFor[to[edge]]++;
    }
    PriorityQueue<Long> ready = new PriorityQueue<>();
    for (int node = 0; node < nodes; node++) {
      if (waitsFor[node] == 0) {
        ready.add((long) ranks[node] << 32 | node);
      }
    }
    int[] order = new int[nodes];
    int size = 0;
    for (Long first = ready.poll(); first != null; first = ready.poll()) {
      int node = (int) (long) first;
      order[size++] = node;
      for (int edge = heads[node]; edge >= 0; edge = nexts[edge]) {
        if (--waitsFor[to[edge]] == 0) {
          ready.add((long) ranks[to[edge]] << 32 | to[edge]);
        }
      }
    }
    return Arrays.copyOf(order, size);
  }
}
