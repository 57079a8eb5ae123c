package io.txwatch.predict;

import io.txwatch.dependency.DependencyKind;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Two instances of operations that use the same rows if their keys are equal: what is executed to
 * test that they are serializable.
 */
public final class ConflictingPairs {

  /** Ways to make keys of one pair equal. */
  private static final int MAX_OF_ONE = 4;

  private ConflictingPairs() {}

  /**
   * The pairs, an operation with itself included, each with the ways to make their keys equal: all
   * of them at once, or one after the other where that would make keys of one operation equal.
   */
  public static List<List<RaceCandidate>> of(List<OperationTemplate> operations) {
    List<Instance> instances = new ArrayList<>();
    operations.forEach(one -> instances.add(Instance.of(instances.size(), one)));
    ConflictGraph graph = new ConflictGraph(instances);
    List<List<RaceCandidate>> pairs = new ArrayList<>();
    for (int i = 0; i < instances.size(); i++) {
      for (int j : graph.neighbours(i)) {
        if (i <= j) {
          pairs.add(ways(instances.get(i), instances.get(j)));
        }
      }
    }
    return pairs;
  }

  private static List<RaceCandidate> ways(Instance first, Instance second) {
    List<ConflictGraph.Pair> conflicts = ConflictGraph.pairs(first, second);
    KeyUnification all = new KeyUnification();
    conflicts.forEach(one -> equate(all, one));
    if (!all.mergesVariables()) {
      return List.of(pair(first, second, conflicts.get(0), all));
    }
    Map<List<KeyEquality>, RaceCandidate> ways = new LinkedHashMap<>();
    for (ConflictGraph.Pair conflict : conflicts) {
      KeyUnification keys = new KeyUnification();
      equate(keys, conflict);
      if (!keys.mergesVariables() && ways.size() < MAX_OF_ONE) {
        ways.putIfAbsent(keys.equalities(), pair(first, second, conflict, keys));
      }
    }
    return List.copyOf(ways.values());
  }

  private static void equate(KeyUnification keys, ConflictGraph.Pair conflict) {
    keys.equate(0, conflict.earlier().access(), 1, conflict.later().access());
  }

  private static RaceCandidate pair(
      Instance first, Instance second, ConflictGraph.Pair conflict, KeyUnification keys) {
    DependencyKind back =
        ConflictGraph.kind(conflict.later(), conflict.earlier()).orElse(DependencyKind.RW);
    List<TemplateConflict> cycle =
        List.of(
            FoundRaces.conflict(0, conflict.earlier(), 1, conflict.later(), conflict.kind()),
            FoundRaces.conflict(1, conflict.later(), 0, conflict.earlier(), back));
    return new RaceCandidate(
        FoundRaces.unnamed(cycle),
        FoundRaces.cycleClass(cycle),
        Stream.of(first, second).map(Instance::template).toList(),
        cycle,
        keys.equalities());
  }
}
