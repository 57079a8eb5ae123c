package io.txwatch.predict;

import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.predict.RuledOut.Reason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The candidates of a search, each once, and what was ruled out, up to a limit of each. */
class FoundRaces {

  private static final int MAX_CANDIDATES = 10_000;

  /** Of three operations that may form a cycle; each takes microseconds. */
  private static final long MAX_EXAMINED = 5_000_000;

  /** An rw edge: two operations, and the numbers of their statements. */
  private record Place(String reader, int read, String writer, int write) {}

  private final Map<String, RaceCandidate> candidates = new LinkedHashMap<>();
  private final Set<Set<Integer>> groups = new HashSet<>();
  private final Map<Place, RuledOut> ruledOut = new LinkedHashMap<>();
  private final boolean pairsOnly;
  private long examined;
  private long omitted;

  /** Adds a candidate; false if the search should go on as if it had not been found. */
  final boolean add(
      Phenomenon phenomenon,
      List<TemplateConflict> conflicts,
      List<Instance> instances,
      KeyUnification keys) {
    List<OperationTemplate> operations = instances.stream().map(Instance::template).toList();
    return add(
        new RaceCandidate(
            phenomenon, cycleClass(conflicts), operations, conflicts, keys.equalities()),
        instances);
  }

  /**
   * Nothing is found yet.
   *
   * @param pairsOnly whether cycles of three operations or more are not searched
   */
  FoundRaces(boolean pairsOnly) {
    this.pairsOnly = pairsOnly;
  }

  /** Nothing is found yet, and all cycles are searched. */
  FoundRaces() {
    this(false);
  }

  boolean pairsOnly() {
    return pairsOnly;
  }

  /** Adds a candidate unless the same operations have one on the same tables already. */
  boolean add(RaceCandidate candidate, List<Instance> instances) {
    if (candidates.size() >= MAX_CANDIDATES) {
      omitted++;
    } else if (candidates.putIfAbsent(identity(candidate), candidate) == null) {
      groups.add(indices(instances));
    }
    return true;
  }

  /** A cycle of rw edges alone is the same whichever transaction comes first. */
  private static String identity(RaceCandidate candidate) {
    boolean symmetric =
        candidate.conflicts().stream().allMatch(one -> one.kind() == DependencyKind.RW);
    List<String> names = new ArrayList<>();
    for (OperationTemplate operation : candidate.operations()) {
      names.add(operation.toString());
    }
    if (symmetric) {
      names.sort(null);
    }
    return candidate.phenomenon() + "\n" + names + tables(candidate);
  }

  static Set<String> tables(RaceCandidate candidate) {
    Set<String> tables = new TreeSet<>();
    candidate.conflicts().forEach(one -> tables.add(one.table()));
    return tables;
  }

  /** Whether one more group of operations is examined; if not, it is counted. */
  boolean mayExamine() {
    if (examined >= MAX_EXAMINED || candidates.size() >= MAX_CANDIDATES) {
      omitted++;
      return false;
    }
    examined++;
    return true;
  }

  /** Whether one, two or three of these operations form a cycle, or all do. */
  boolean isCovered(List<Instance> instances) {
    if (groups.contains(indices(instances))) {
      return true;
    }
    for (Instance one : instances) {
      for (Instance other : instances) {
        for (Instance third : instances) {
          if (groups.contains(indices(List.of(one, other, third)))) {
            return true;
          }
        }
      }
    }
    return false;
  }

  private static Set<Integer> indices(List<Instance> instances) {
    Set<Integer> indices = new HashSet<>();
    instances.forEach(one -> indices.add(one.index()));
    return indices;
  }

  void ruleOut(
      Instance first,
      Instance second,
      Instance.Step read,
      Instance.Step write,
      Reason reason,
      TemplateStatement by) {
    OperationTemplate one = first.template();
    OperationTemplate other = second.template();
    Place place =
        new Place(
            one.toString(),
            read.statement().number(),
            other.toString(),
            write.statement().number());
    if (ruledOut.size() < MAX_CANDIDATES) {
      ruledOut.putIfAbsent(
          place,
          new RuledOut(List.of(one, other), read.statement(), write.statement(), reason, by));
    } else {
      omitted++;
    }
  }

  /** What is both possible in one way and ruled out in another is possible. */
  Prediction prediction() {
    for (RaceCandidate candidate : candidates.values()) {
      for (TemplateConflict conflict : candidate.conflicts()) {
        ruledOut.remove(
            new Place(
                candidate.operations().get(conflict.from()).toString(),
                conflict.fromStatement().number(),
                candidate.operations().get(conflict.to()).toString(),
                conflict.toStatement().number()));
      }
    }
    return new Prediction(
        List.copyOf(candidates.values()), List.copyOf(ruledOut.values()), omitted);
  }

  static CycleClass cycleClass(List<TemplateConflict> conflicts) {
    CycleClass byItem = CycleClass.of(conflicts.size(), i -> conflicts.get(i).kind());
    boolean byPredicate =
        conflicts.stream().anyMatch(one -> one.kind() == DependencyKind.RW && one.predicate());
    return byItem == CycleClass.G2_ITEM && byPredicate ? CycleClass.G2 : byItem;
  }

  /** The phenomenon of a cycle without a name of its own. */
  static Phenomenon unnamed(List<TemplateConflict> conflicts) {
    return switch (cycleClass(conflicts)) {
      case G0 -> Phenomenon.DIRTY_WRITE;
      case G1C -> Phenomenon.CIRCULAR_INFORMATION_FLOW;
      case G_SINGLE -> Phenomenon.G_SINGLE;
      case G_NONADJACENT -> Phenomenon.G_NONADJACENT;
      case G2_ITEM -> Phenomenon.G2_ITEM;
      case G2 -> Phenomenon.G2;
    };
  }

  static TemplateConflict conflict(
      int from, Instance.Step earlier, int to, Instance.Step later, DependencyKind kind) {
    boolean predicate = !earlier.access().key().unique() || !later.access().key().unique();
    return new TemplateConflict(
        from,
        earlier.statement(),
        to,
        later.statement(),
        kind,
        earlier.access().table(),
        predicate);
  }
}
