package io.txwatch.listappend;

import io.txwatch.dependency.DependencyKind;
import java.util.Arrays;

/**
 * The edges of a graph whose nodes are numbers, with their kinds and the operations at their ends.
 */
final class EdgeList implements ListDependencies.Sink {

  /** The kind of an edge out of an auxiliary node: it continues the edge that leads into it. */
  static final int THROUGH = DependencyKind.values().length;

  private static final DependencyKind[] KINDS = DependencyKind.values();
  private static final int KIND_SHIFT = 28;

  /** The most nodes. */
  static final int MAX_NODES = 1 << KIND_SHIFT;

  private int[] from = new int[64];
  private int[] to = new int[64];
  private int[] fromOps = new int[64];
  private int[] toOps = new int[64];
  private int size;

  @Override
  public void edge(int source, int target, int kind, int fromOp, int toOp) {
    if (size == from.length) {
      int length = size + (size >> 1) + 1;
      from = Arrays.copyOf(from, length);
      to = Arrays.copyOf(to, length);
      fromOps = Arrays.copyOf(fromOps, length);
      toOps = Arrays.copyOf(toOps, length);
    }
    from[size] = source;
    to[size] = pack(target, kind);
    fromOps[size] = fromOp;
    toOps[size] = toOp;
    size++;
  }

  /** Emits the edges in the order of their numbers. */
  void forEach(ListDependencies.Sink sink) {
    for (int edge = 0; edge < size; edge++) {
      sink.edge(from[edge], to(edge), kind(edge), fromOps[edge], toOps[edge]);
    }
  }

  static int pack(int target, int kind) {
    return kind << KIND_SHIFT | target;
  }

  static int node(int packed) {
    return packed & MAX_NODES - 1;
  }

  static int kindOf(int packed) {
    return packed >>> KIND_SHIFT;
  }

  static DependencyKind dependencyKind(int kind) {
    return KINDS[kind];
  }

  int size() {
    return size;
  }

  int from(int edge) {
    return from[edge];
  }

  int to(int edge) {
    return node(to[edge]);
  }

  int kind(int edge) {
    return kindOf(to[edge]);
  }

  int fromOp(int edge) {
    return fromOps[edge];
  }

  int toOp(int edge) {
    return toOps[edge];
  }
}
