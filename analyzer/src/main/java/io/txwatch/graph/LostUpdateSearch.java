package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The direct test for lost updates: who wrote a row over versions that came after the one he had
 * read. The shortest cycle through an edge is not always that one. If T1 wrote over T2, T3 and T4,
 * and T3 is the last to be heard of, the edges that close T1's cycle are T2 → T3 → T4; and if T3
 * itself overwrote T2 unseen, theirs is the shorter one.
 *
 * <p>A row's writers follow one another by ww edges, so it is a walk along them: up from the edge
 * to each later writer, and for each rw edge of his through the row up again, from where it leads,
 * to the edge.
 */
public final class LostUpdateSearch {

  /** How many writers may stand between. */
  private static final int MAX_CHAIN_LENGTH = 32;

  private final DependencyGraph graph;
  private int left;

  /** A search in a graph. */
  public LostUpdateSearch(DependencyGraph graph) {
    this.graph = graph;
  }

  /**
   * The cycles of one rw edge and ww edges, all through one row, that lead through an edge.
   *
   * @param edge a ww edge
   * @param budget how many edges may be looked at
   * @return cycles, the rw edge of each first
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

  /**
   * An edge and the row's writers behind it up to another edge; empty if they do not lead there.
   */
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
