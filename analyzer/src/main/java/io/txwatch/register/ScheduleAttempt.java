package io.txwatch.register;

import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;

/**
 * One attempt to execute a history's transactions so that every read returns what it did return,
 * without backtracking. If it succeeds, the history satisfies its level; if not, nothing follows.
 *
 * <p>A step is a node of the {@link OrderGraph}: a transaction, or its snapshot or commit. It may
 * be taken after its predecessors, when no other step still has to read a version that it replaces.
 * A snapshot of a transaction that writes also waits until no other one that writes such a key is
 * between its snapshot and its commit. Most valid histories pass, since their graph is saturated.
 */
final class ScheduleAttempt {

  private static final long WRITES = 1L << 62;

  private final OrderGraph graph;
  private final Versions versions;
  private final int[] ranks;
  private final int[] waitsFor;
  private final int[] pendingReads;
  private final int[] currents;
  private final boolean[] claimed;
  private final List<Ints> waiting = new ArrayList<>();
  private final PriorityQueue<Long> ready = new PriorityQueue<>();

  ScheduleAttempt(OrderGraph graph, Versions versions, List<Read> reads, int[] ranks) {
    this.graph = graph;
    this.versions = versions;
    this.ranks = ranks;
    this.waitsFor = new int[graph.nodes()];
    this.pendingReads = new int[versions.count() + versions.keys()];
    this.currents = new int[versions.keys()];
    this.claimed = new boolean[versions.keys()];
    for (int key = 0; key < versions.keys(); key++) {
      currents[key] = versions.initial(key);
      waiting.add(new Ints());
    }
    for (int i = 0; i < reads.size(); i++) {
      pendingReads[versions.readVersion(i)]++;
    }
    for (int edge = 0; edge < graph.edges(); edge++) {
      waitsFor[graph.to(edge)]++;
    }
  }

  /** Whether all steps could be taken; false if not, or if the budget ended. */
  boolean succeeds(Budget budget) {
    for (int node = 0; node < graph.nodes(); node++) {
      if (waitsFor[node] == 0) {
        addReady(node);
      }
    }
    int left = graph.nodes();
    for (Long next = ready.poll(); next != null; next = ready.poll()) {
      int node = (int) (long) next;
      if (budget.isExhausted()) {
        return false;
      }
      int obstacle = obstacle(node);
      if (obstacle >= 0) {
        waiting.get(obstacle).add(node);
      } else {
        take(node);
        left--;
      }
    }
    return left == 0;
  }

  /** Steps that write nothing come first, since they never block another. */
  private void addReady(int node) {
    int t = graph.transaction(node);
    boolean writes = t >= 0 && versions.firstVersion(t) < versions.endVersion(t);
    ready.add((writes ? WRITES : 0) | (long) ranks[node] << 32 | node);
  }

  /** The key that blocks a step; -1 if none does. */
  private int obstacle(int node) {
    int t = graph.transaction(node);
    if (t < 0) {
      return -1;
    }
    if (node == graph.snapshot(t)) {
      for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
        int version = versions.readVersion(versions.readBy(i));
        if (currents[versions.key(version)] != version) {
          return versions.key(version);
        }
      }
      for (int v = versions.firstVersion(t); graph.isSplit() && v < versions.endVersion(t); v++) {
        if (claimed[versions.key(v)]) {
          return versions.key(v);
        }
      }
    }
    if (graph.isCommit(node)) {
      for (int v = versions.firstVersion(t); v < versions.endVersion(t); v++) {
        int replaced = currents[versions.key(v)];
        int own = graph.isSplit() ? 0 : ownReads(t, replaced);
        if (pendingReads[replaced] > own) {
          return versions.key(v);
        }
      }
    }
    return -1;
  }

  private int ownReads(int t, int version) {
    int own = 0;
    for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
      own += versions.readVersion(versions.readBy(i)) == version ? 1 : 0;
    }
    return own;
  }

  private void take(int node) {
    int t = graph.transaction(node);
    if (t >= 0 && node == graph.snapshot(t)) {
      for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
        int version = versions.readVersion(versions.readBy(i));
        if (--pendingReads[version] <= 1) {
          wake(versions.key(version));
        }
      }
    }
    for (int v = t < 0 ? 0 : versions.firstVersion(t); t >= 0 && v < versions.endVersion(t); v++) {
      int key = versions.key(v);
      if (graph.isCommit(node)) {
        currents[key] = v;
        wake(key);
      }
      claimed[key] = graph.isSplit() && !graph.isCommit(node);
    }
    for (int edge = graph.first(node); edge >= 0; edge = graph.next(node, edge)) {
      if (--waitsFor[graph.to(edge)] == 0) {
        addReady(graph.to(edge));
      }
    }
  }

  private void wake(int key) {
    Ints nodes = waiting.get(key);
    for (int i = 0; i < nodes.size(); i++) {
      addReady(nodes.get(i));
    }
    nodes.clear();
  }
}
