package io.txwatch.predict;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.predict.Instance.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Which operations depend on each other if their keys are equal: the static dependency graph. An
 * operation may be connected with itself, since it may run twice.
 */
final class ConflictGraph {

  /** A step of an instance, and one of a later instance that depends on it. */
  record Pair(Step earlier, Step later, DependencyKind kind) {}

  private final List<Instance> instances;
  private final List<BitSet> neighbours = new ArrayList<>();

  ConflictGraph(List<Instance> instances) {
    this.instances = instances;
    Map<String, BitSet> byTable = new HashMap<>();
    for (int i = 0; i < instances.size(); i++) {
      for (String table : instances.get(i).tables()) {
        byTable.computeIfAbsent(table, name -> new BitSet()).set(i);
      }
    }
    for (Instance instance : instances) {
      BitSet near = new BitSet();
      instance.tables().forEach(table -> near.or(byTable.getOrDefault(table, new BitSet())));
      BitSet connected = new BitSet();
      near.stream()
          .filter(other -> !pairs(instance, instances.get(other)).isEmpty())
          .forEach(connected::set);
      neighbours.add(connected);
    }
  }

  /** The operations that are connected with one. */
  int[] neighbours(int of) {
    return neighbours.get(of).stream().toArray();
  }

  boolean isConnected(int one, int other) {
    return neighbours.get(one).get(other);
  }

  /** The dependencies of a later instance on an earlier one. */
  static List<Pair> pairs(Instance first, Instance second) {
    List<Pair> pairs = new ArrayList<>();
    for (Step earlier : first.steps()) {
      for (Step later : second.steps()) {
        kind(earlier, later).ifPresent(kind -> pairs.add(new Pair(earlier, later, kind)));
      }
    }
    return pairs;
  }

  /** How an access depends on one before it, if the rows are the same. */
  static Optional<DependencyKind> kind(Step earlier, Step later) {
    if (later.access().readsFrom(earlier.access())) {
      return Optional.of(DependencyKind.WR);
    } else if (later.access().overwrites(earlier.access())) {
      return Optional.of(DependencyKind.WW);
    } else if (earlier.access().readsFrom(later.access())) {
      return Optional.of(DependencyKind.RW);
    }
    return Optional.empty();
  }

  /** The shortest way from one operation to another through at least one more; empty if none. */
  List<Integer> between(int from, int to) {
    Map<Integer, Integer> reachedFrom = new HashMap<>();
    Deque<Integer> waiting = new ArrayDeque<>();
    for (int next : neighbours(from)) {
      reachedFrom.put(next, -1);
      waiting.add(next);
    }
    while (!waiting.isEmpty()) {
      int at = waiting.remove();
      if (isConnected(at, to)) {
        List<Integer> way = new ArrayList<>();
        for (int back = at; back >= 0; back = reachedFrom.getOrDefault(back, -1)) {
          way.add(back);
        }
        Collections.reverse(way);
        return way;
      }
      for (int next : neighbours(at)) {
        if (reachedFrom.putIfAbsent(next, at) == null) {
          waiting.add(next);
        }
      }
    }
    return List.of();
  }

  Instance instance(int index) {
    return instances.get(index);
  }

  int size() {
    return instances.size();
  }
}
