package io.txwatch.predict;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * For each operation, candidates in which it is the one that is split: complete in the sense that
 * an operation without any is split in none.
 *
 * <p>Under snapshot isolation the pivot is the one that is split: it begins, the others run, and it
 * commits. Its two neighbours are recorded, too.
 */
final class FoundSplits extends FoundRaces {

  /** Of one operation: enough to show why; that there is none is found without this limit. */
  private static final int MAX_OF_ONE = 20;

  private static final long MAX_EXAMINED = 5_000_000;

  private final boolean pivots;
  private final Set<RaceCandidate> refuted;
  private final List<Map<String, RaceCandidate>> bySplit = new ArrayList<>();
  private final List<Map<String, RaceCandidate>> byNeighbour = new ArrayList<>();
  private long examined;
  private boolean incomplete;

  /**
   * Nothing is recorded yet.
   *
   * @param pivots whether dangerous structures are searched, not split schedules
   * @param refuted candidates that are not recorded, nor are longer ones of the same operations
   */
  FoundSplits(int operations, boolean pivots, Set<RaceCandidate> refuted) {
    this.pivots = pivots;
    this.refuted = Set.copyOf(refuted);
    for (int i = 0; i < operations; i++) {
      bySplit.add(new LinkedHashMap<>());
      byNeighbour.add(new LinkedHashMap<>());
    }
  }

  @Override
  boolean add(RaceCandidate candidate, List<Instance> instances) {
    if (!refuted.isEmpty() && isRefuted(candidate)) {
      return false;
    }
    String identity =
        candidate.phenomenon().name()
            + candidate.operations().stream().map(Object::toString).toList()
            + tables(candidate);
    if (!pivots) {
      put(bySplit, instances.get(0), identity, candidate);
    } else if (instances.size() == 2) {
      instances.forEach(one -> put(bySplit, one, identity, candidate));
    } else {
      put(byNeighbour, instances.get(0), identity, candidate);
      put(bySplit, instances.get(1), identity, candidate);
      put(byNeighbour, instances.get(2), identity, candidate);
    }
    return true;
  }

  /** Whether executions did not show it, or a shorter one of the same operations. */
  private boolean isRefuted(RaceCandidate candidate) {
    return refuted.contains(candidate)
        || refuted.stream()
            .anyMatch(
                one ->
                    one.operations().size() < candidate.operations().size()
                        && split(one).equals(split(candidate))
                        && Set.copyOf(one.operations()).equals(Set.copyOf(candidate.operations())));
  }

  private OperationTemplate split(RaceCandidate candidate) {
    return candidate.operations().get(pivots && candidate.operations().size() > 2 ? 1 : 0);
  }

  private static void put(
      List<Map<String, RaceCandidate>> into,
      Instance instance,
      String identity,
      RaceCandidate candidate) {
    Map<String, RaceCandidate> known = into.get(instance.index());
    if (known.size() < MAX_OF_ONE) {
      known.putIfAbsent(identity, candidate);
    }
  }

  /** Whether nothing new can be found between these operations in this order. */
  @Override
  boolean isCovered(List<Instance> instances) {
    return pivots
        ? isMember(instances.get(0)) && isSplit(instances.get(1)) && isMember(instances.get(2))
        : isSplit(instances.get(0));
  }

  private boolean isSplit(Instance instance) {
    return !bySplit.get(instance.index()).isEmpty();
  }

  private boolean isMember(Instance instance) {
    return isSplit(instance) || !byNeighbour.get(instance.index()).isEmpty();
  }

  @Override
  boolean mayExamine() {
    incomplete |= examined >= MAX_EXAMINED;
    examined++;
    return !incomplete;
  }

  /** Whether an operation without a candidate may have one. */
  boolean isIncomplete() {
    return incomplete;
  }

  /** The candidates in which an operation is split. */
  List<RaceCandidate> splits(int operation) {
    return List.copyOf(bySplit.get(operation).values());
  }

  /** Those in which it is split, and those in which it is a neighbour of the pivot. */
  List<RaceCandidate> memberships(int operation) {
    Map<String, RaceCandidate> all = new LinkedHashMap<>(bySplit.get(operation));
    all.putAll(byNeighbour.get(operation));
    return List.copyOf(all.values());
  }
}
