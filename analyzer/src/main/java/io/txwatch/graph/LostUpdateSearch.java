package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds lost updates directly: a transaction that wrote a row over versions newer than the one it
 * had read. The shortest cycle through an edge is not always such a cycle. If T1 overwrote T2, T3
 * and T4, and T3's events arrive last, the edges that close T1's cycle are T2 → T3 → T4; and if T3
 * itself overwrote T2 unseen, its own cycle is shorter.
 *
 * <p>A row's writers are connected by ww edges, so the search walks along them: from the edge up to
 * each later writer, and, for each rw edge of that writer through the row, from its target up again
 * to the edge.
 */
public final class LostUpdateSearch {

  /** The most writers in between. */
  private static final int MAX_CHAIN_LENGTH = 32;

  private final DependencyGraph graph;
  private int left;

  public LostUpdateSearch(DependencyGraph graph) {
    this.graph = graph;
  }

  /**
   * The cycles through an edge that consist of one rw edge and ww edges, all through one row.
   *
   * @param edge a ww edge
   * @param budget the edges that may be examined
   * @return cycles, each starting with its rw edge
   */
  public List<List<Edge>> through(Edge edge, int budget) {
    left = budget;
    List<List<Edge>> cycles = new ArrayList<>();
    List<Edge> behind = new ArrayList<>(List.of(edge));
    Optional<Edge> next = Optional.of(edge);
    while (next.isPresent() && behind.size() <= MAX_CHAIN_LENGTH && left > 0) {
      Edge last = next.get();
      int node = last.to().node;
      for (int id = graph.firstOut(node); id != DependencyGraph.NONE; id = graph.nextOut(id)) {
        Edge out = graph.edge(id);
        if (left-- <= 0) {
          return cycles;
        }
        if (isThrough(out, DependencyKind.RW, edge.row())
            && out.fromStatement() <= last.toStatement()) {
          ahead(out, edge)
              .ifPresent(
                  ahead -> {
                    ahead.addAll(behind);
                    cycles.add(ahead);
                  });
        }
      }
      next = next(node, edge.row());
      next.ifPresent(behind::add);
    }
    return cycles;
  }

  /** An edge and the row's following writers up to another edge; empty if they do not reach it. */
  private Optional<List<Edge>> ahead(Edge first, Edge upTo) {
    List<Edge> path = new ArrayList<>(List.of(first));
    int node = first.to().node;
    while (node != upTo.from().node) {
      Optional<Edge> next = next(node, upTo.row());
      if (next.isEmpty() || path.size() > MAX_CHAIN_LENGTH) {
        return Optional.empty();
      }
      path.add(next.get());
      node = next.get().to().node;
    }
    return Optional.of(path);
  }

  /** The edge to the next writer of a row. */
  private Optional<Edge> next(int node, Row row) {
    for (int id = graph.firstOut(node); id != DependencyGraph.NONE; id = graph.nextOut(id)) {
      if (left-- <= 0) {
        return Optional.empty();
      }
      if (isThrough(graph.edge(id), DependencyKind.WW, row)) {
        return Optional.of(graph.edge(id));
      }
    }
    return Optional.empty();
  }

  private static boolean isThrough(Edge edge, DependencyKind kind, Row row) {
    return edge.kind() == kind && edge.row() == row && !edge.evidence().byPredicate();
  }
}
