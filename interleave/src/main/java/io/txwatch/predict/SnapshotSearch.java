package io.txwatch.predict;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.predict.Instance.Step;
import io.txwatch.predict.RuledOut.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The dangerous structures of snapshot isolation (Fekete et al., TODS 2005): P -rw-> Q -rw-> R,
 * where P and Q write no row in common, neither do Q and R, and R reaches P.
 *
 * <p>R commits first of the three. So Q locks no row that R writes: either R would have waited for
 * Q, or Q would have been aborted.
 */
final class SnapshotSearch {

  private record Edge(int from, int to, Step read, Step write) {}

  private final ConflictGraph graph;
  private final FoundRaces found;

  SnapshotSearch(List<Instance> instances, FoundRaces found) {
    this.graph = new ConflictGraph(instances);
    this.found = found;
  }

  void search() {
    for (int i = 0; i < graph.size(); i++) {
      for (int j : graph.neighbours(i)) {
        if (i <= j) {
          pair(graph.instance(i), graph.instance(j));
        }
      }
    }
    if (found.pairsOnly()) {
      return;
    }
    List<List<Edge>> in = new ArrayList<>();
    List<List<Edge>> out = new ArrayList<>();
    for (int i = 0; i < graph.size(); i++) {
      in.add(new ArrayList<>());
      out.add(new ArrayList<>());
    }
    for (int i = 0; i < graph.size(); i++) {
      for (int j : graph.neighbours(i)) {
        for (Edge edge : vulnerable(i, j)) {
          in.get(j).add(edge);
          out.get(i).add(edge);
        }
      }
    }
    for (int pivot = 0; pivot < graph.size(); pivot++) {
      for (Edge first : in.get(pivot)) {
        for (Edge second : out.get(pivot)) {
          structure(first, second);
        }
      }
    }
  }

  /** Two transactions that each read what the other writes. */
  private void pair(Instance first, Instance second) {
    List<Instance> both = List.of(first, second);
    for (Edge one : reads(0, first, 1, second)) {
      for (Edge back : reads(1, second, 0, first)) {
        KeyUnification keys = unify(one, back);
        if (keys.mergesVariables()) {
          continue;
        }
        Optional<Step> aborted = writtenByBoth(0, first, 1, second, keys);
        Optional<Step> held = lockedForOther(0, first, 1, second, keys);
        boolean locked = held.isPresent() && lockedForOther(1, second, 0, first, keys).isPresent();
        if (aborted.isPresent()) {
          found.ruleOut(
              first,
              second,
              one.read,
              one.write,
              Reason.FIRST_WRITER_WINS,
              aborted.get().statement());
        } else if (locked) {
          found.ruleOut(first, second, one.read, one.write, Reason.LOCKED, held.get().statement());
        } else {
          List<TemplateConflict> conflicts = List.of(conflict(one), conflict(back));
          boolean item = conflicts.stream().noneMatch(TemplateConflict::predicate);
          found.add(item ? Phenomenon.WRITE_SKEW : Phenomenon.G2, conflicts, both, keys);
        }
      }
    }
  }

  private void structure(Edge first, Edge second) {
    List<Instance> three =
        List.of(graph.instance(first.from), graph.instance(first.to), graph.instance(second.to));
    Edge in = new Edge(0, 1, first.read, first.write);
    Edge out = new Edge(1, 2, second.read, second.write);
    if (found.isCovered(three)
        || lockedForOther(1, three.get(1), 2, three.get(2), unify(out)).isPresent()
        || !found.mayExamine()) {
      return;
    }
    if (graph.isConnected(second.to, first.from) && closesDirectly(in, out, three)) {
      return;
    }
    List<Integer> way = graph.between(second.to, first.from);
    if (!way.isEmpty()) {
      List<Instance> instances = new ArrayList<>(three);
      way.forEach(one -> instances.add(graph.instance(one)));
      List<TemplateConflict> conflicts = new ArrayList<>(List.of(conflict(in), conflict(out)));
      for (int i = 2; i < instances.size(); i++) {
        int next = (i + 1) % instances.size();
        ConflictGraph.Pair any = ConflictGraph.pairs(instances.get(i), instances.get(next)).get(0);
        conflicts.add(FoundRaces.conflict(i, any.earlier(), next, any.later(), any.kind()));
      }
      found.add(FoundRaces.unnamed(conflicts), conflicts, instances, unify(in, out));
    }
  }

  /** Whether three instances form the cycle with keys that fit all three dependencies. */
  private boolean closesDirectly(Edge in, Edge out, List<Instance> three) {
    for (ConflictGraph.Pair closing : ConflictGraph.pairs(three.get(2), three.get(0))) {
      KeyUnification keys = unify(in, out);
      keys.equate(2, closing.earlier().access(), 0, closing.later().access());
      if (!keys.mergesVariables()
          && writtenByBoth(0, three.get(0), 1, three.get(1), keys).isEmpty()
          && writtenByBoth(1, three.get(1), 2, three.get(2), keys).isEmpty()) {
        List<TemplateConflict> conflicts =
            List.of(
                conflict(in),
                conflict(out),
                FoundRaces.conflict(2, closing.earlier(), 0, closing.later(), closing.kind()));
        if (found.add(FoundRaces.unnamed(conflicts), conflicts, three, keys)) {
          return true;
        }
      }
    }
    return false;
  }

  /** The rw edges between two operations that may run at the same time. */
  private List<Edge> vulnerable(int from, int to) {
    Instance reader = graph.instance(from);
    Instance writer = graph.instance(to);
    List<Edge> edges = new ArrayList<>();
    for (Edge edge : reads(from, reader, to, writer)) {
      KeyUnification keys = unify(new Edge(0, 1, edge.read, edge.write));
      if (!keys.mergesVariables() && writtenByBoth(0, reader, 1, writer, keys).isEmpty()) {
        edges.add(edge);
      }
    }
    return edges;
  }

  private static List<Edge> reads(int from, Instance reader, int to, Instance writer) {
    List<Edge> edges = new ArrayList<>();
    for (Step read : reader.steps()) {
      for (Step write : writer.steps()) {
        if (read.access().readsFrom(write.access())) {
          edges.add(new Edge(from, to, read, write));
        }
      }
    }
    return edges;
  }

  private static KeyUnification unify(Edge... edges) {
    KeyUnification keys = new KeyUnification();
    for (Edge edge : edges) {
      keys.equate(edge.from, edge.read.access(), edge.to, edge.write.access());
    }
    return keys;
  }

  /** A write of the first one, of a row that the second one certainly writes, too. */
  private static Optional<Step> writtenByBoth(
      int one, Instance first, int other, Instance second, KeyUnification keys) {
    return first.steps().stream()
        .filter(step -> step.access().writes())
        .filter(
            step ->
                second.steps().stream()
                    .filter(write -> write.access().writes())
                    .anyMatch(write -> keys.isSameRow(one, step.access(), other, write.access())))
        .findFirst();
  }

  /** A locking read of the first one, of a row that the second one writes: so it commits first. */
  private static Optional<Step> lockedForOther(
      int one, Instance first, int other, Instance second, KeyUnification keys) {
    return first.steps().stream()
        .filter(step -> step.access().lock() != RowLock.NONE)
        .filter(
            step ->
                second.steps().stream()
                    .filter(write -> write.access().writes())
                    .anyMatch(write -> keys.isSameRow(one, step.access(), other, write.access())))
        .findFirst();
  }

  private static TemplateConflict conflict(Edge edge) {
    return FoundRaces.conflict(edge.from, edge.read, edge.to, edge.write, DependencyKind.RW);
  }
}
