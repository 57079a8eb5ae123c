package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The dependency graph of committed transactions, maintained in topological order as it grows.
 *
 * <p><b>Purpose.</b> {@link #add(Edge)} returns whether the new edge lies on a cycle. Nodes are
 * joined into strongly connected components (union-find), and the components are kept in
 * topological order. An edge that goes forward in that order closes no cycle and costs only its
 * storage.
 *
 * <p><b>Algorithm.</b> Pearce and Kelly (JEA 2006), on components instead of nodes, and searching
 * from one end only. An edge u → v against the order starts a search backward from u, over
 * components ordered after v. The components found must precede v and are moved there; those that v
 * also reaches form one component with v. The search never scans v itself: a component of thousands
 * of transactions (a counter that every transaction updates) is typically v, and u a young
 * transaction. New transactions come last in the order, and most edges lead to the younger
 * transaction. So few edges start a search, and a search stays among transactions that ran at about
 * the same time.
 *
 * <p>The order is a linked list with sparse labels, so moving a component is cheap ({@link
 * ComponentOrder}). The incoming edges of a component are a linked list, too: joining components
 * concatenates the lists, and edges that became internal are dropped when a search encounters them.
 *
 * <p>Nodes and edges are dense ints into parallel arrays. Not thread-safe.
 */
public final class DependencyGraph {

  static final int NONE = -1;

  /** The bytes of a transaction, with its places in the order and in a search. */
  private static final int NODE_BYTES = 160;

  /** The bytes of an edge, including a copy of the graph. */
  private static final int EDGE_BYTES = 100;

  private final ComponentOrder order;
  private final List<Transaction> transactions;

  /** Union-find. */
  private int[] parent;

  private int[] firstIn;
  private int[] lastIn;
  private int[] firstOut;
  private int[] visited;
  private int search;

  private final List<Edge> edges;
  private int[] source;
  private int[] target;
  private int[] nextOut;
  private int[] nextIn;

  private final IntList region = new IntList();
  private final IntList arcs = new IntList();
  private final IntList touched = new IntList();

  public DependencyGraph() {
    this(64, 128);
  }

  /**
   * An empty graph.
   *
   * @param nodes room for so many transactions, at least 1, before it grows
   * @param edges the same for edges
   */
  public DependencyGraph(int nodes, int edges) {
    this.order = new ComponentOrder(nodes);
    this.transactions = new ArrayList<>(nodes);
    this.parent = new int[nodes];
    this.firstIn = new int[nodes];
    this.lastIn = new int[nodes];
    this.firstOut = new int[nodes];
    this.visited = new int[nodes];
    this.edges = new ArrayList<>(edges);
    this.source = new int[edges];
    this.target = new int[edges];
    this.nextOut = new int[edges];
    this.nextIn = new int[edges];
  }

  /** Adds a transaction and sets its node. */
  public void add(Transaction transaction) {
    int node = transactions.size();
    transaction.node = node;
    transactions.add(transaction);
    if (node == parent.length) {
      int size = node * 2;
      parent = Arrays.copyOf(parent, size);
      firstIn = Arrays.copyOf(firstIn, size);
      lastIn = Arrays.copyOf(lastIn, size);
      firstOut = Arrays.copyOf(firstOut, size);
      visited = Arrays.copyOf(visited, size);
    }
    parent[node] = node;
    firstIn[node] = NONE;
    lastIn[node] = NONE;
    firstOut[node] = NONE;
    visited[node] = 0;
    order.append(node);
  }

  /**
   * Adds an edge between two transactions of the graph.
   *
   * @return whether it lies on a cycle
   */
  public boolean add(Edge edge) {
    int id = edges.size();
    edges.add(edge);
    if (id == nextOut.length) {
      source = Arrays.copyOf(source, id * 2);
      target = Arrays.copyOf(target, id * 2);
      nextOut = Arrays.copyOf(nextOut, id * 2);
      nextIn = Arrays.copyOf(nextIn, id * 2);
    }
    int from = edge.from().node;
    nextOut[id] = firstOut[from];
    firstOut[from] = id;
    source[id] = from;
    target[id] = edge.to().node;
    int later = component(from);
    int earlier = component(target[id]);
    if (later == earlier) {
      return true;
    }
    addIn(earlier, id);
    return order.isBefore(earlier, later) && reorder(later, earlier);
  }

  /**
   * Adds the transactions of another graph to this empty one, each at the node that it has there,
   * and the edges between those that were not discarded.
   */
  public void addAll(DependencyGraph other) {
    other.transactions.forEach(this::add);
    addEdges(other);
  }

  /**
   * Adds another graph to this empty one, except for discarded transactions. The others get new
   * nodes, so no graph that contains them can be used any more unless it is rebuilt, too.
   */
  public void addRetained(DependencyGraph other) {
    for (Transaction transaction : other.transactions) {
      if (!transaction.isDiscarded()) {
        add(transaction);
      }
    }
    addEdges(other);
  }

  private void addEdges(DependencyGraph other) {
    for (Edge edge : other.edges) {
      if (!edge.isDiscarded()) {
        add(edge);
      }
    }
  }

  /** The nodes, in order, of the transactions that were not discarded. */
  public int[] nodes() {
    IntList nodes = new IntList();
    for (int node = 0; node < transactions.size(); node++) {
      if (!transactions.get(node).isDiscarded()) {
        nodes.add(node);
      }
    }
    return nodes.toArray();
  }

  public int size() {
    return transactions.size();
  }

  public int edgeCount() {
    return edges.size();
  }

  /** The approximate memory that it takes. */
  public long bytes() {
    return (long) NODE_BYTES * size() + (long) EDGE_BYTES * edgeCount();
  }

  /** Whether an edge of the graph lies on a cycle by now. */
  public boolean isOnCycle(Edge edge) {
    return together(edge.from().node, edge.to().node);
  }

  /** Whether two nodes lie on a common cycle. */
  boolean together(int node, int other) {
    return component(node) == component(other);
  }

  int firstOut(int node) {
    return firstOut[node];
  }

  int nextOut(int edge) {
    return nextOut[edge];
  }

  int target(int edge) {
    return target[edge];
  }

  DependencyKind kind(int edge) {
    return edges.get(edge).kind();
  }

  int suppositions(int edge) {
    return edges.get(edge).suppositions();
  }

  Edge edge(int id) {
    return edges.get(id);
  }

  private void addIn(int component, int edge) {
    nextIn[edge] = NONE;
    if (firstIn[component] == NONE) {
      firstIn[component] = edge;
    } else {
      nextIn[lastIn[component]] = edge;
    }
    lastIn[component] = edge;
  }

  /** Repairs the order after an edge against it; true if components were joined. */
  private boolean reorder(int from, int to) {
    searchBackward(from, to);
    markReached();
    boolean cycle = visited[from] == search + 1;
    int[] found = region.toArray();
    order.sort(found);
    for (int component : found) {
      order.remove(component);
      if (visited[component] == search) {
        order.insertBefore(component, to);
      }
    }
    for (int component : found) {
      if (visited[component] == search + 1) {
        join(component, to);
      }
    }
    return cycle;
  }

  /**
   * Collects the components after {@code bound} that reach {@code start}, and marks those with an
   * edge from {@code bound} itself.
   */
  private void searchBackward(int start, int bound) {
    search += 2;
    region.clear();
    arcs.clear();
    touched.clear();
    visited[start] = search;
    region.add(start);
    for (int i = 0; i < region.size(); i++) {
      int component = region.get(i);
      int before = NONE;
      for (int edge = firstIn[component]; edge != NONE; edge = nextIn[edge]) {
        int from = component(source[edge]);
        if (from == component) {
          dropIn(component, before, edge);
          continue;
        }
        before = edge;
        if (from == bound) {
          touched.add(component);
        } else if (order.isBefore(bound, from)) {
          arcs.add(from);
          arcs.add(component);
          if (visited[from] != search) {
            visited[from] = search;
            region.add(from);
          }
        }
      }
    }
  }

  /** Marks with {@code search + 1} the components that {@code bound} reaches. */
  private void markReached() {
    for (int i = 0; i < touched.size(); i++) {
      visited[touched.get(i)] = search + 1;
    }
    boolean more = touched.size() > 0;
    while (more) {
      more = false;
      for (int i = arcs.size() - 2; i >= 0; i -= 2) {
        int to = arcs.get(i + 1);
        if (visited[arcs.get(i)] == search + 1 && visited[to] == search) {
          visited[to] = search + 1;
          more = true;
        }
      }
    }
  }

  private void dropIn(int component, int before, int edge) {
    if (before == NONE) {
      firstIn[component] = nextIn[edge];
    } else {
      nextIn[before] = nextIn[edge];
    }
    if (lastIn[component] == edge) {
      lastIn[component] = before;
    }
  }

  /**
   * Joins {@code component}, already removed from the order, into {@code into}, which keeps its
   * place.
   */
  private void join(int component, int into) {
    parent[component] = into;
    if (firstIn[component] == NONE) {
      return;
    }
    if (firstIn[into] == NONE) {
      firstIn[into] = firstIn[component];
    } else {
      nextIn[lastIn[into]] = firstIn[component];
    }
    lastIn[into] = lastIn[component];
  }

  private int component(int node) {
    int at = node;
    while (parent[at] != at) {
      parent[at] = parent[parent[at]];
      at = parent[at];
    }
    return at;
  }
}
