package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The dependencies that hold in every order of versions, and their cycles.
 *
 * <ul>
 *   <li>wr: a read's value identifies its writer.
 *   <li>so: session order, if the level includes it.
 *   <li>ww: a transaction that read a version and then wrote the key wrote the next version, if no
 *       update is lost. If two transactions did, one update is lost: a cycle of two rw edges.
 *   <li>rw: a transaction that read the initial value precedes every writer of the key; one that
 *       read a version precedes the transaction that also read it and then wrote the next one.
 * </ul>
 *
 * <p>The ww and rw edges hold at SNAPSHOT, REPEATABLE_READ and SERIALIZABLE, where no update may be
 * lost. Below these, only wr and so edges are added.
 */
final class CertainEdges {

  /** The readers and writers of a key that get edges; more of them add nothing. */
  private static final int MAX_ACCESSES_PER_KEY = 64;

  private static final int MAX_CYCLES = 100;

  /**
   * An edge.
   *
   * @param fromOp the operation at its source; -1 for session order
   * @param toOp the operation at its target; -1 for session order
   */
  record Edge(int from, int to, DependencyKind kind, int fromOp, int toOp) {}

  private final RegisterHistory history;
  private final ReadsFrom readsFrom;
  private final List<List<Edge>> out = new ArrayList<>();
  private final List<List<Edge>> lost = new ArrayList<>();
  private long count;

  /** Starts with the wr edges. */
  CertainEdges(RegisterHistory history, ReadsFrom readsFrom) {
    this.history = history;
    this.readsFrom = readsFrom;
    for (int t = 0; t < history.transactions(); t++) {
      out.add(new ArrayList<>(4));
    }
    for (Read read : readsFrom.reads()) {
      if (read.writer() >= 0) {
        add(read.writer(), read.reader(), DependencyKind.WR, read.write(), read.op());
      }
    }
  }

  private void add(int from, int to, DependencyKind kind, int fromOp, int toOp) {
    if (from != to) {
      out.get(from).add(new Edge(from, to, kind, fromOp, toOp));
      count += kind == DependencyKind.SO ? 0 : 1;
    }
  }

  void addSessionOrder() {
    Map<Long, Integer> last = new HashMap<>();
    for (int t = 0; t < history.transactions(); t++) {
      if (readsFrom.isCommitted(t)) {
        Integer before = last.put(history.session(t), t);
        if (before != null) {
          add(before, t, DependencyKind.SO, -1, -1);
        }
      }
    }
  }

  /** Adds the ww and rw edges that follow where every lost update is excluded. */
  void addOverwrites() {
    Map<Integer, List<Read>> byWrite = new HashMap<>();
    Map<Integer, List<Read>> initial = new HashMap<>();
    for (Read read : readsFrom.reads()) {
      (read.writer() >= 0
              ? byWrite.computeIfAbsent(read.write(), w -> new ArrayList<>(2))
              : initial.computeIfAbsent(history.key(read.op()), k -> new ArrayList<>(2)))
          .add(read);
    }
    byWrite.values().forEach(this::overwritten);
    initial.values().forEach(this::overwritten);
    initial.forEach(this::beforeAllWrites);
  }

  /** Adds edges from the readers of a version to those among them that wrote the next one. */
  private void overwritten(List<Read> readers) {
    int key = history.key(readers.get(0).op());
    int overwriters = 0;
    @Nullable Read first = null;
    for (Read overwriter : readers) {
      int write = readsFrom.lastWrite(overwriter.reader(), key);
      if (write < 0 || overwriters++ >= MAX_ACCESSES_PER_KEY) {
        continue;
      }
      if (first != null && first.reader() != overwriter.reader() && lost.size() < MAX_CYCLES) {
        int firstWrite = readsFrom.lastWrite(first.reader(), key);
        lost.add(
            List.of(
                new Edge(first.reader(), overwriter.reader(), DependencyKind.RW, first.op(), write),
                new Edge(
                    overwriter.reader(),
                    first.reader(),
                    DependencyKind.RW,
                    overwriter.op(),
                    firstWrite)));
      }
      first = overwriter;
      if (overwriter.writer() >= 0) {
        add(overwriter.writer(), overwriter.reader(), DependencyKind.WW, overwriter.write(), write);
      }
      for (Read reader : readers.subList(0, Math.min(readers.size(), MAX_ACCESSES_PER_KEY))) {
        add(reader.reader(), overwriter.reader(), DependencyKind.RW, reader.op(), write);
      }
    }
  }

  private void beforeAllWrites(int key, List<Read> readers) {
    List<Read> few = readers.subList(0, Math.min(readers.size(), MAX_ACCESSES_PER_KEY));
    int writers = 0;
    for (int t = 0; t < history.transactions() && writers < MAX_ACCESSES_PER_KEY; t++) {
      int write = readsFrom.isCommitted(t) ? readsFrom.lastWrite(t, key) : -1;
      if (write >= 0) {
        writers++;
        for (Read reader : few) {
          add(reader.reader(), t, DependencyKind.RW, reader.op(), write);
        }
      }
    }
  }

  /** The number of edges besides session order. */
  long count() {
    return count;
  }

  /**
   * Cycles, one for each strongly connected component.
   *
   * @param adjacent whether two rw edges may be adjacent, as SNAPSHOT allows
   */
  List<List<Edge>> cycles(boolean adjacent) {
    int[] component = components();
    // SNAPSHOT allows adjacent rw edges, but no lost update.
    List<List<Edge>> cycles = new ArrayList<>(adjacent ? List.of() : lost);
    BitSet reported = new BitSet();
    for (int t = 0; t < out.size() && cycles.size() < MAX_CYCLES; t++) {
      if (component[t] >= 0 && !reported.get(component[t])) {
        List<Edge> cycle = new ShortestCycle(t, component, adjacent).find();
        if (!cycle.isEmpty()) {
          reported.set(component[t]);
          cycles.add(cycle);
        }
      }
    }
    return cycles;
  }

  /**
   * Searches for the shortest cycle through a transaction, breadth first. A state of the search is
   * a transaction, whether the edge into it was rw, and whether the first edge was.
   */
  private final class ShortestCycle {
    private final int start;
    private final int[] component;
    private final boolean adjacent;
    private final long origin;
    private final Map<Long, Edge> via = new HashMap<>();
    private final Map<Long, Long> from = new HashMap<>();
    private final List<Long> queue = new ArrayList<>();

    ShortestCycle(int start, int[] component, boolean adjacent) {
      this.start = start;
      this.component = component;
      this.adjacent = adjacent;
      this.origin = 4L * start;
    }

    /** The cycle; empty if there is none. */
    List<Edge> find() {
      queue.add(origin);
      for (int i = 0; i < queue.size(); i++) {
        long place = queue.get(i);
        for (Edge edge : out.get((int) (place / 4))) {
          if (isExcluded(edge, place)) {
            continue;
          }
          if (edge.to() != start) {
            reach(edge, place);
          } else if (adjacent || !isRw(edge) || !startsWithRw(edge, place)) {
            return path(edge, place);
          }
        }
      }
      return List.of();
    }

    private boolean isExcluded(Edge edge, long place) {
      boolean followsRw = place != origin && (place & 1) != 0;
      return component[edge.to()] != component[start] || !adjacent && isRw(edge) && followsRw;
    }

    private static boolean isRw(Edge edge) {
      return edge.kind() == DependencyKind.RW;
    }

    private boolean startsWithRw(Edge edge, long place) {
      return place == origin ? isRw(edge) : (place & 2) != 0;
    }

    private void reach(Edge edge, long place) {
      long next = 4L * edge.to() + (isRw(edge) ? 1 : 0) + (startsWithRw(edge, place) ? 2 : 0);
      if (via.putIfAbsent(next, edge) == null) {
        from.put(next, place);
        queue.add(next);
      }
    }

    private List<Edge> path(Edge last, long place) {
      List<Edge> cycle = new ArrayList<>();
      cycle.add(last);
      long at = place;
      while (at != origin) {
        Edge edge = via.get(at);
        Long before = from.get(at);
        if (edge == null || before == null) {
          return List.of();
        }
        cycle.add(edge);
        at = before;
      }
      Collections.reverse(cycle);
      boolean simple = cycle.stream().map(Edge::from).distinct().count() == cycle.size();
      return simple ? cycle : List.of();
    }
  }

  /** The {@linkplain StrongComponents component} of each transaction; -1 if it is on no cycle. */
  private int[] components() {
    int edges = out.stream().mapToInt(List::size).sum();
    int[] from = new int[edges];
    int[] to = new int[edges];
    int next = 0;
    for (List<Edge> of : out) {
      for (Edge edge : of) {
        from[next] = edge.from();
        to[next++] = edge.to();
      }
    }
    return StrongComponents.of(out.size(), from, to);
  }
}
