package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.register.ReadsFrom.Read;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Adds the edges that hold in every valid order of writes, until there are no more (the pruning of
 * Cobra, OSDI 2020, section 3.3, and of PolySI, VLDB 2023, section 4.3, without listing pairs of
 * writers). Let r read version w of a key, and let w' be another writer of it.
 *
 * <ol>
 *   <li>If w' precedes r, then w' precedes w: otherwise r would have read w' or a later one.
 *   <li>If w precedes w', then r precedes w', by an rw edge.
 *   <li>Under snapshot isolation, if the snapshot of w' precedes the commit of w, then w' commits
 *       before the snapshot of w: transactions that write one key are not concurrent.
 * </ol>
 *
 * <p>What precedes a node is kept as the last position in each {@linkplain Chains chain}. Only the
 * last such w' of each chain needs an edge. If the table of positions would be too large, the
 * chains are taken in blocks.
 */
final class Saturation {

  private static final long MAX_TABLE = Math.max(1 << 20, Runtime.getRuntime().maxMemory() / 32);

  private final OrderGraph graph;
  private final Versions versions;
  private final List<Read> reads;
  private final Chains chains;
  private final int[] ranks;
  private final Budget budget;
  private final int width;
  private final int[] clock;
  private final boolean[] dirty;
  private final int[] places;
  private final Set<Long> inferred = new HashSet<>();
  private int firstChain;
  private int current;
  private boolean again;
  private boolean cyclic;

  /**
   * Prepares.
   *
   * @param ranks for each node, its place in a plausible order
   */
  Saturation(
      OrderGraph graph,
      Versions versions,
      List<Read> reads,
      Chains chains,
      int[] ranks,
      Budget budget) {
    this.graph = graph;
    this.versions = versions;
    this.reads = reads;
    this.chains = chains;
    this.ranks = ranks;
    this.budget = budget;
    this.width =
        (int) Math.max(1, Math.min(chains.count(), MAX_TABLE / Math.max(1, graph.nodes())));
    this.clock = new int[graph.nodes() * width];
    this.dirty = new boolean[graph.nodes()];
    this.places = new int[graph.nodes()];
  }

  /** Whether {@link #precedes} can answer: the table holds all chains. */
  boolean isWhole() {
    return width >= chains.count();
  }

  /** Whether a cycle was found. */
  boolean isCyclic() {
    return cyclic;
  }

  /**
   * Adds edges.
   *
   * @return whether it is complete or has found a cycle; false if the budget ended first
   */
  boolean run() {
    int before;
    do {
      before = graph.edges();
      for (firstChain = 0; firstChain < Math.max(1, chains.count()); firstChain += width) {
        if (!block()) {
          return false;
        }
        if (cyclic) {
          return true;
        }
      }
      firstChain = 0;
    } while (!isWhole() && graph.edges() > before);
    return true;
  }

  private boolean block() {
    Arrays.fill(clock, -1);
    Arrays.fill(dirty, true);
    for (int node = 0; node < graph.nodes(); node++) {
      int t = graph.transaction(node);
      int column = t < 0 ? -1 : column(chains.chain(t));
      if (column >= 0) {
        clock[node * width + column] = 2 * chains.position(t) + (graph.isCommit(node) ? 1 : 0);
      }
    }
    int known;
    do {
      known = graph.edges();
      int[] order = graph.topologicalOrder(ranks);
      if (order.length < graph.nodes()) {
        cyclic = true;
        return true;
      }
      for (int i = 0; i < order.length; i++) {
        places[order[i]] = i;
      }
      again = false;
      for (int i = 0; i < order.length && !cyclic; i++) {
        if (dirty[order[i]] && !visit(order[i])) {
          return false;
        }
      }
    } while (!cyclic && (again || graph.edges() > known));
    return true;
  }

  /** The column of a chain; -1 if it is in another block. */
  private int column(int chain) {
    return chain >= firstChain && chain < firstChain + width ? chain - firstChain : -1;
  }

  private boolean visit(int node) {
    dirty[node] = false;
    current = places[node];
    int t = graph.transaction(node);
    if (t >= 0 && chains.chain(t) >= 0) {
      if (node == graph.snapshot(t)) {
        for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
          beforeTheRead(node, versions.readBy(i));
        }
        for (int v = versions.firstVersion(t); v < versions.endVersion(t); v++) {
          afterTheReaders(node, t, v);
        }
      }
      if (graph.isSplit() && graph.isCommit(node)) {
        for (int v = versions.firstVersion(t); v < versions.endVersion(t); v++) {
          notConcurrent(node, t, v);
        }
      }
    }
    for (int edge = graph.first(node); edge >= 0; edge = graph.next(node, edge)) {
      merge(node, graph.to(edge));
    }
    return !budget.isExhausted();
  }

  private void merge(int from, int to) {
    int source = from * width;
    int target = to * width;
    boolean changed = false;
    for (int column = 0; column < width; column++) {
      if (clock[source + column] > clock[target + column]) {
        clock[target + column] = clock[source + column];
        changed = true;
      }
    }
    if (changed && !dirty[to]) {
      dirty[to] = true;
    }
    again |= changed && places[to] <= current;
  }

  /** Rule 1. */
  private void beforeTheRead(int node, int read) {
    int version = versions.readVersion(read);
    if (versions.isInitial(version)) {
      return; // it precedes every writer, by certain edges
    }
    int key = versions.key(version);
    int writer = versions.writer(version);
    for (int group = chains.firstGroup(key); group < chains.endGroup(key); group++) {
      int other = lastCommitted(group, node);
      if (other >= 0 && other != version) {
        order(other, versions.writer(other), version, writer, read);
      }
    }
  }

  /** Rule 3. */
  private void notConcurrent(int node, int t, int version) {
    int key = versions.key(version);
    for (int group = chains.firstGroup(key); group < chains.endGroup(key); group++) {
      if (chains.groupChain(group) != chains.chain(t)) {
        int other = last(group, node, 0);
        if (other >= 0) {
          order(other, versions.writer(other), version, t, OrderGraph.NOT_CONCURRENT);
        }
      }
    }
  }

  private void order(int other, int writer, int version, int before, int cause) {
    int start = graph.commit(writer);
    int end = graph.snapshot(before);
    int column = column(chains.chain(writer));
    if (writer != before && clock[end * width + column] < 2 * chains.position(writer) + 1) {
      infer(
          writer,
          before,
          DependencyKind.WW,
          versions.write(other),
          versions.write(version),
          cause,
          start,
          end);
    }
  }

  /** Rule 2. */
  private void afterTheReaders(int node, int t, int version) {
    int key = versions.key(version);
    for (int group = chains.firstGroup(key); group < chains.endGroup(key); group++) {
      int before = lastCommitted(group, node);
      if (before < 0) {
        continue;
      }
      for (int i = versions.firstReadOf(before); i < versions.endReadOf(before); i++) {
        Read read = reads.get(versions.readOf(i));
        int column = column(chains.chain(read.reader()));
        int end = graph.commit(t);
        if (read.reader() != t
            && (column < 0 || clock[end * width + column] < 2 * chains.position(read.reader()))) {
          infer(
              read.reader(),
              t,
              DependencyKind.RW,
              read.op(),
              versions.write(version),
              OrderGraph.CERTAIN,
              graph.snapshot(read.reader()),
              end);
        }
      }
    }
  }

  private void infer(
      int from, int to, DependencyKind kind, int fromOp, int toOp, int cause, int start, int end) {
    if (!isWhole() && !inferred.add((long) start << 32 | end)) {
      return;
    }
    graph.addDependency(from, to, kind, fromOp, toOp, cause);
    int column = column(chains.chain(to));
    int own = 2 * chains.position(to) + (graph.isCommit(end) ? 1 : 0);
    if (column >= 0 && clock[start * width + column] >= own) {
      cyclic = true;
      return;
    }
    merge(start, end);
  }

  /** The last version of a group whose commit precedes a node, besides the node's own; or -1. */
  private int lastCommitted(int group, int node) {
    return last(group, node, 1);
  }

  /**
   * The last version of a group whose snapshot (0) or commit (1) precedes a node, of another
   * transaction; -1 if there is none.
   */
  private int last(int group, int node, int step) {
    int column = column(chains.groupChain(group));
    if (column < 0) {
      return -1;
    }
    int t = graph.transaction(node);
    int bound = clock[node * width + column];
    if (chains.groupChain(group) == chains.chain(t)) {
      bound = Math.min(bound, 2 * chains.position(t) - 1);
    }
    return lastUntil(group, bound - step);
  }

  /** The last version of a group whose position, doubled, is at most that; -1 if there is none. */
  private int lastUntil(int group, int doubled) {
    int low = chains.groupStart(group);
    int high = chains.groupEnd(group);
    while (low < high) {
      int middle = low + high >>> 1;
      if (2 * chains.position(versions.writer(chains.member(middle))) <= doubled) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low == chains.groupStart(group) ? -1 : chains.member(low - 1);
  }

  /** Whether the commit of a transaction precedes the snapshot of another. */
  boolean precedes(int one, int other) {
    return clock[graph.snapshot(other) * width + chains.chain(one)] >= 2 * chains.position(one) + 1;
  }

  /**
   * The last version of a group whose commit precedes the snapshot of a transaction; -1 if there is
   * none.
   */
  int lastBefore(int group, int transaction) {
    return last(group, graph.snapshot(transaction), 1);
  }
}
