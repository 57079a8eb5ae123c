package io.txwatch.graph;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The dependency graph of committed transactions, kept in topological order while it grows.
 *
 * <p><b>What it answers.</b> {@link #add(Edge)} tells whether the new edge lies on a cycle. Nodes
 * are joined into strongly connected components (union-find), and the components are kept in a
 * topological order, so an edge that goes forward in that order closes no cycle and costs nothing
 * but its own storage.
 *
 * <p><b>How.</b> After Pearce and Kelly (JEA 2006), on components instead of nodes, and from one
 * end only: an edge u → v against the order starts a search backward from u, over components that
 * stand behind v. What it finds must stand before v and is moved there; what of it is also reached
 * from v makes one component with v. The search never scans v itself: a component of thousands of
 * transactions (a counter that every transaction updates) is typically v, and a young transaction
 * u. New transactions come last in the order, and most edges lead to the younger one, so few edges
 * start a search, and it stays among transactions that ran at about the same time.
 *
 * <p>The order is a linked list with sparse labels, so that moving a component is cheap ({@link
 * ComponentOrder}). The edges into a component are a linked list too: joining components joins the
 * lists, and edges that came to lie inside are dropped from it when they are met.
 *
 * <p>Nodes and edges are dense ints into parallel arrays. Not thread-safe.
 */
public final class DependencyGraph {

  static final int NONE = -1;

  /** Bytes that a transaction takes, with its places in the order and in a search. */
  private static final int NODE_BYTES = 160;

  /** Bytes that an edge takes, in a copy of the graph, too. */
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

  /** An empty graph. */
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

  /** Adds a transaction, and gives it its node. */
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
   * Adds an edge between two transactions that were added.
   *
   * @return true if it lies on a cycle already
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

  /** Adds what another graph has, but for transactions that were discarded. */
  public void addAll(DependencyGraph other) {
    for (Transaction transaction : other.transactions) {
      if (!transaction.isDiscarded()) {
        add(transaction);
      }
    }
    for (Edge edge : other.edges) {
      if (!edge.isDiscarded()) {
        add(edge);
      }
    }
  }

  /** The places, in order, of the transactions that were not discarded. */
  public int[] nodes() {
    IntList nodes = new IntList();
    for (int node = 0; node < transactions.size(); node++) {
      if (!transactions.get(node).isDiscarded()) {
        nodes.add(node);
      }
    }
    return nodes.toArray();
  }

  /** How many transactions there are. */
  public int size() {
    return transactions.size();
  }

  /** How many edges there are. */
  public int edgeCount() {
    return edges.size();
  }

  /** How many bytes it takes, roughly. */
  public long bytes() {
    return (long) NODE_BYTES * size() + (long) EDGE_BYTES * edgeCount();
  }

  /** Whether an edge that was added lies on a cycle, by now. */
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

  /** Puts the order right after an edge against it; true if they were joined. */
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
   * Collects the components behind {@code bound} from which {@code start} is reached; of them those
   * with an edge from {@code bound} itself are touched.
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

  /** Marks with {@code search + 1} what is reached from the bound. */
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
   * Joins {@code component}, already out of the order, into {@code into}, which keeps its place.
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
