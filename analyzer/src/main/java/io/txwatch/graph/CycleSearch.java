package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;

/**
 * Finds the shortest cycle of a class through an edge and, of several, one with the fewest
 * {@linkplain Edge#suppositions suppositions}: breadth first from its target back to its source,
 * within their component.
 *
 * <p>A state of the search is a node and what the path to it has used (an rw edge, or that its last
 * edge was one). A level of the search contains the states at one distance. When a level is
 * complete, each of its states is reached by a path with the fewest suppositions, since all paths
 * to it come from the level before.
 *
 * <p>Each search examines at most as many edges as its budget. If it is used up after a cycle was
 * found, that cycle is the result: a shortest one, perhaps not with the fewest suppositions.
 * Otherwise the search is counted as exhausted, since it may have missed a cycle.
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

  /** The length of the path to a state, and its suppositions. */
  private int[] distance = new int[0];

  private int[] suppositions = new int[0];
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

  /**
   * The shortest cycle of that shape, starting with {@code edge}, with the fewest suppositions;
   * empty if none was found.
   */
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
    reach(first, DependencyGraph.NONE, DependencyGraph.NONE, 0, 0);
    queue.add(first);
    int scanned = 0;
    int least = edge.isFromUndecided() ? 1 : 0;
    int fewest = Integer.MAX_VALUE;
    int lastPlace = DependencyGraph.NONE;
    int lastEdge = DependencyGraph.NONE;
    for (int i = 0; i < queue.size(); i++) {
      int place = queue.get(i);
      if (fewest == least || lastPlace >= 0 && distance[place] > distance[lastPlace]) {
        break; // the rest only closes longer cycles
      }
      int state = place % STATES;
      for (int id = graph.firstOut(place / STATES);
          id != DependencyGraph.NONE && fewest > least;
          id = graph.nextOut(id)) {
        if (++scanned > budget) {
          exhaustedSearches += lastPlace < 0 ? 1 : 0;
          return lastPlace < 0 ? List.of() : cycle(edge, lastPlace, lastEdge);
        }
        int next = step(shape, state, graph.kind(id));
        if (next < 0) {
          continue;
        }
        int supposed = suppositions[place] + graph.suppositions(id);
        if (graph.target(id) != source) {
          extend(place, id, next, supposed, source, queue);
        } else if (supposed < fewest && ends(edge.kind(), shape, next)) {
          fewest = supposed;
          lastPlace = place;
          lastEdge = id;
        }
      }
    }
    return lastPlace < 0 ? List.of() : cycle(edge, lastPlace, lastEdge);
  }

  private void reserveStates() {
    int size = graph.size() * STATES;
    if (stamp.length < size) {
      stamp = Arrays.copyOf(stamp, size * 2);
      via = Arrays.copyOf(via, size * 2);
      cameFrom = Arrays.copyOf(cameFrom, size * 2);
      distance = Arrays.copyOf(distance, size * 2);
      suppositions = Arrays.copyOf(suppositions, size * 2);
    }
  }

  /**
   * Extends a path by an edge, unless that leaves the component or its end was reached by a better
   * path.
   */
  private void extend(int place, int id, int state, int supposed, int source, IntList queue) {
    int target = graph.target(id);
    int reached = target * STATES + state;
    int length = distance[place] + 1;
    if (stamp[reached] != search) {
      if (graph.together(target, source)) {
        reach(reached, place, id, length, supposed);
        queue.add(reached);
      }
    } else if (distance[reached] == length && supposed < suppositions[reached]) {
      reach(reached, place, id, length, supposed);
    }
  }

  private void reach(int reached, int from, int edge, int length, int supposed) {
    stamp[reached] = search;
    via[reached] = edge;
    cameFrom[reached] = from;
    distance[reached] = length;
    suppositions[reached] = supposed;
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
