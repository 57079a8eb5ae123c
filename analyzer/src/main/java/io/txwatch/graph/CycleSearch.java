package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Finds the shortest cycle of a class through an edge: breadth first from its target back to its
 * source, within their component.
 *
 * <p>A state of the search is a node and what the path to it has used (an rw edge, or that its last
 * edge was one). Each search examines at most as many edges as its budget. Exhausted searches are
 * counted, since they may have missed a cycle.
 */
public final class CycleSearch {

  /**
   * The edges that a path may consist of; edges of an {@linkplain DependencyKind#isOrder order} may
   * be anywhere.
   */
  public enum Shape {
    /** ww edges only. */
    G0,
    /** ww and wr edges. */
    G1C,
    /** ww and wr edges, and exactly one rw edge. */
    G_SINGLE,
    /** rw edges, no two next to each other, and others. */
    G_NONADJACENT,
    /** Any edges. */
    G2_ITEM
  }

  private static final int STATES = 2;

  private final DependencyGraph graph;
  private final int budget;
  private int[] stamp = new int[0];
  private int[] via = new int[0];
  private int[] cameFrom = new int[0];
  private int search;
  private long exhaustedSearches;

  /**
   * Creates a search.
   *
   * @param budget the edges that one search may examine
   */
  public CycleSearch(DependencyGraph graph, int budget) {
    this.graph = graph;
    this.budget = budget;
  }

  /** The number of searches that exhausted their budget without a result. */
  public long exhaustedSearches() {
    return exhaustedSearches;
  }

  /** The edges from an edge's target directly back to its source, at most {@code max}. */
  public List<Edge> directReturnEdges(Edge edge, int max) {
    List<Edge> back = new ArrayList<>();
    int seen = 0;
    int source = edge.from().node;
    for (int id = graph.firstOut(edge.to().node);
        id != DependencyGraph.NONE && back.size() < max && seen < budget;
        id = graph.nextOut(id)) {
      seen++;
      if (graph.target(id) == source) {
        back.add(graph.edge(id));
      }
    }
    return back;
  }

  /** The shortest cycle of that shape, starting with {@code edge}; empty if none was found. */
  public List<Edge> shortest(Edge edge, Shape shape) {
    int start = start(edge.kind(), shape);
    if (start < 0) {
      return List.of();
    }
    reserveStates();
    search++;
    int source = edge.from().node;
    IntList queue = new IntList();
    int first = edge.to().node * STATES + start;
    stamp[first] = search;
    cameFrom[first] = DependencyGraph.NONE;
    queue.add(first);
    int scanned = 0;
    for (int i = 0; i < queue.size(); i++) {
      int place = queue.get(i);
      int state = place % STATES;
      for (int id = graph.firstOut(place / STATES);
          id != DependencyGraph.NONE;
          id = graph.nextOut(id)) {
        if (++scanned > budget) {
          exhaustedSearches++;
          return List.of();
        }
        int next = step(shape, state, graph.kind(id));
        if (next < 0) {
          continue;
        }
        if (graph.target(id) != source) {
          reach(place, id, next, source, queue);
        } else if (ends(edge.kind(), shape, next)) {
          return cycle(edge, place, id);
        }
      }
    }
    return List.of();
  }

  private void reserveStates() {
    int size = graph.size() * STATES;
    if (stamp.length < size) {
      stamp = Arrays.copyOf(stamp, size * 2);
      via = Arrays.copyOf(via, size * 2);
      cameFrom = Arrays.copyOf(cameFrom, size * 2);
    }
  }

  /** Adds the target of an edge to the queue, unless it is there or in another component. */
  private void reach(int place, int id, int state, int source, IntList queue) {
    int target = graph.target(id);
    int reached = target * STATES + state;
    if (stamp[reached] != search && graph.together(target, source)) {
      stamp[reached] = search;
      via[reached] = id;
      cameFrom[reached] = place;
      queue.add(reached);
    }
  }

  /** The state after the first edge; -1 if the shape excludes it. */
  private static int start(DependencyKind kind, Shape shape) {
    boolean rw = kind == DependencyKind.RW;
    return switch (shape) {
      case G0 -> rw || kind == DependencyKind.WR ? -1 : 0;
      case G1C -> rw ? -1 : 0;
      case G_SINGLE, G_NONADJACENT -> rw ? 1 : 0;
      case G2_ITEM -> 0;
    };
  }

  private static int step(Shape shape, int state, DependencyKind kind) {
    boolean rw = kind == DependencyKind.RW;
    return switch (shape) {
      case G0 -> rw || kind == DependencyKind.WR ? -1 : 0;
      case G1C -> rw ? -1 : 0;
      case G_SINGLE -> rw ? (state == 1 ? -1 : 1) : state;
      case G_NONADJACENT -> rw ? (state == 1 ? -1 : 1) : 0;
      case G2_ITEM -> 0;
    };
  }

  private static boolean ends(DependencyKind first, Shape shape, int state) {
    return switch (shape) {
      case G0, G1C, G2_ITEM -> true;
      case G_SINGLE -> state == 1;
      case G_NONADJACENT -> first != DependencyKind.RW || state == 0;
    };
  }

  /** Follows the path back; a path that visits a node twice is not a cycle. */
  private List<Edge> cycle(Edge edge, int lastPlace, int lastEdge) {
    List<Edge> cycle = new ArrayList<>();
    cycle.add(graph.edge(lastEdge));
    for (int at = lastPlace; cameFrom[at] != DependencyGraph.NONE; at = cameFrom[at]) {
      cycle.add(graph.edge(via[at]));
    }
    cycle.add(edge);
    Collections.reverse(cycle);
    return cycle.stream().map(Edge::from).distinct().count() == cycle.size() ? cycle : List.of();
  }
}
