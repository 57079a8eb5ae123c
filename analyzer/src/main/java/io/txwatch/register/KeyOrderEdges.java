package io.txwatch.register;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Outcome;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Adds the ww edges that follow from what is assumed of each register ({@link KeyOrder}). */
final class KeyOrderEdges {

  private final RegisterHistory history;
  private final ReadsFrom readsFrom;
  private final List<Read> reads;
  private final Versions versions;
  private final Set<KeyOrder> assumed;
  private final OrderGraph graph;

  /**
   * A transaction's use of a key.
   *
   * @param first the version that it read first; otherwise what it wrote
   * @param last the version that it wrote; otherwise what it read
   * @param op an operation of it
   */
  private record Use(int transaction, int first, int last, int op) {}

  KeyOrderEdges(
      RegisterHistory history,
      ReadsFrom readsFrom,
      List<Read> reads,
      Versions versions,
      Set<KeyOrder> assumed,
      OrderGraph graph) {
    this.history = history;
    this.readsFrom = readsFrom;
    this.reads = reads;
    this.versions = versions;
    this.assumed = assumed;
    this.graph = graph;
  }

  void add() {
    boolean sequential = assumed.contains(KeyOrder.SEQUENTIAL);
    boolean linearizable = assumed.contains(KeyOrder.LINEARIZABLE);
    if (!sequential && !linearizable) {
      return;
    }
    Map<Long, Use> lastOfSession = new HashMap<>();
    Ended[] ended = new Ended[versions.keys()];
    for (int t = 0; t < history.transactions(); t++) {
      if (!readsFrom.isCommitted(t)) {
        continue;
      }
      for (Use use : uses(t)) {
        int key = versions.key(use.last);
        if (sequential) {
          Use before = lastOfSession.put(history.session(t) * versions.keys() + key, use);
          if (before != null) {
            order(before, use, DependencyKind.SO);
          }
        }
        if (linearizable) {
          ended[key] = ended[key] == null ? new Ended() : ended[key];
          ended[key].add(use);
        }
      }
    }
  }

  /** The uses of a key whose end is known, in its order. */
  private final class Ended {
    private final List<Use> uses = new ArrayList<>();
    // The latest start of uses[0] to uses[i].
    private final Ints latestStarts = new Ints();

    void add(Use use) {
      int startedAfter = history.startedAfter(use.transaction);
      int place = lastEndedBefore(startedAfter);
      // Those that ended before the start of one of them are ordered through it.
      for (int i = place; i >= 0 && uses.get(i).transaction >= latestStarts.get(place); i--) {
        order(uses.get(i), use, DependencyKind.RT);
      }
      if (history.outcome(use.transaction) == Outcome.COMMITTED) {
        int before = uses.isEmpty() ? 0 : latestStarts.get(uses.size() - 1);
        uses.add(use);
        latestStarts.add(Math.max(before, startedAfter));
      }
    }

    private int lastEndedBefore(int end) {
      int low = 0;
      int high = uses.size();
      while (low < high) {
        int middle = low + high >>> 1;
        if (uses.get(middle).transaction < end) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low - 1;
    }
  }

  private List<Use> uses(int t) {
    Map<Integer, Use> uses = new HashMap<>();
    for (int i = versions.firstReadBy(t); i < versions.endReadBy(t); i++) {
      int version = versions.readVersion(versions.readBy(i));
      int op = reads.get(versions.readBy(i)).op();
      uses.putIfAbsent(versions.key(version), new Use(t, version, version, op));
    }
    for (int version = versions.firstVersion(t); version < versions.endVersion(t); version++) {
      Use read = uses.get(versions.key(version));
      uses.put(
          versions.key(version),
          new Use(t, read == null ? version : read.first, version, versions.write(version)));
    }
    return List.copyOf(uses.values());
  }

  private void order(Use before, Use after, DependencyKind kind) {
    if (before.last == after.first || versions.isInitial(before.last)) {
      return;
    }
    if (versions.isInitial(after.first)) {
      // A version before the initial one: the order of the two transactions contradicts it.
      graph.addDependency(before.transaction, after.transaction, kind, -1, -1, OrderGraph.CERTAIN);
      return;
    }
    int earlier = versions.writer(before.last);
    int later = versions.writer(after.first);
    if (earlier != later) {
      graph.addDependency(
          earlier,
          later,
          DependencyKind.WW,
          versions.write(before.last),
          versions.write(after.first),
          OrderGraph.CERTAIN);
    }
  }
}
