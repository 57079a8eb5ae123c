package io.txwatch.predict;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.predict.Instance.Step;
import io.txwatch.predict.RuledOut.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The split schedules (Vandevoort et al., VLDB 2021): a first transaction executes up to a read,
 * the others run completely, one after the other, and the first one continues. The second
 * transaction writes what that read returned, and the first one depends on the last, or the last
 * reads what the first one writes.
 *
 * <p>The others wait if they need a row that the first one has locked or written: then there is no
 * such schedule.
 */
final class SplitScheduleSearch {

  /** What plain SELECTs return. */
  enum Reads {
    /** The newest committed versions. */
    NEWEST,
    /** The newest committed versions, but one version of a row. */
    REPEATABLE,
    /** Those of a snapshot at the first of them. Other statements use the newest versions. */
    SNAPSHOT
  }

  private record Closing(Step last, Step first, DependencyKind kind) {}

  private record Prevention(Reason reason, TemplateStatement by) {}

  private final ConflictGraph graph;
  private final Reads reads;
  private final FoundRaces found;

  SplitScheduleSearch(List<Instance> instances, Reads reads, FoundRaces found) {
    this.graph = new ConflictGraph(instances);
    this.reads = reads;
    this.found = found;
  }

  void search() {
    for (int i = 0; i < graph.size(); i++) {
      for (int j : graph.neighbours(i)) {
        pair(graph.instance(i), graph.instance(j));
      }
    }
    if (found.pairsOnly()) {
      return;
    }
    for (int i = 0; i < graph.size(); i++) {
      for (int second : graph.neighbours(i)) {
        for (int last : graph.neighbours(i)) {
          longer(i, second, last);
        }
      }
    }
  }

  private void pair(Instance first, Instance second) {
    for (Step read : first.steps()) {
      int split = splitBehind(first, read);
      for (Step write : second.steps()) {
        if (read.access().readsFrom(write.access())) {
          for (Closing closing : closings(first, split, second)) {
            close(first, second, read, write, split, closing);
          }
        }
      }
    }
  }

  private void close(
      Instance first, Instance second, Step read, Step write, int split, Closing closing) {
    KeyUnification keys = new KeyUnification();
    keys.equate(0, read.access(), 1, write.access());
    keys.equate(1, closing.last.access(), 0, closing.first.access());
    if (keys.mergesVariables() || isOneVersion(read, closing, keys)) {
      return;
    }
    Optional<Prevention> prevention = prevention(first, split, 1, second, keys);
    if (prevention.isEmpty()) {
      prevention = checked(first, read, write, split, closing, keys);
    }
    if (prevention.isPresent()) {
      Prevention by = prevention.get();
      found.ruleOut(first, second, read, write, by.reason, by.by);
      return;
    }
    if (closing.kind == DependencyKind.RW
        && closing.first.access().overwrites(write.access())
        && keys.isSameRow(0, closing.first.access(), 1, write.access())) {
      return; // through one row: with the write of the second transaction it is a lost update
    }
    List<TemplateConflict> conflicts =
        List.of(
            FoundRaces.conflict(0, read, 1, write, DependencyKind.RW),
            FoundRaces.conflict(1, closing.last, 0, closing.first, closing.kind));
    found.add(phenomenon(read, write, closing, keys), conflicts, List.of(first, second), keys);
  }

  private static Phenomenon phenomenon(
      Step read, Step write, Closing closing, KeyUnification keys) {
    boolean item =
        read.access().key().unique()
            && write.access().key().unique()
            && closing.first.access().key().unique()
            && closing.last.access().key().unique();
    boolean oneRow =
        closing.last.equals(write) || keys.isSameRow(0, read.access(), 0, closing.first.access());
    return switch (closing.kind) {
      case WR ->
          !oneRow
              ? Phenomenon.READ_SKEW
              : item ? Phenomenon.NON_REPEATABLE_READ : Phenomenon.PHANTOM;
      case WW -> oneRow ? Phenomenon.LOST_UPDATE : Phenomenon.READ_WRITE_SKEW;
      default -> item ? Phenomenon.WRITE_SKEW : Phenomenon.G2;
    };
  }

  /** More than two transactions. */
  private void longer(int firstIndex, int secondIndex, int lastIndex) {
    Instance first = graph.instance(firstIndex);
    Instance second = graph.instance(secondIndex);
    Instance last = graph.instance(lastIndex);
    if (found.isCovered(List.of(first, second, last)) || !found.mayExamine()) {
      return;
    }
    for (Step read : first.steps()) {
      int split = splitBehind(first, read);
      for (Step write : second.steps()) {
        if (read.access().readsFrom(write.access())) {
          for (Closing closing : closings(first, split, last)) {
            if (throughThree(read, write, split, closing, List.of(first, second, last))
                || throughMore(read, write, split, closing, firstIndex, secondIndex, lastIndex)) {
              return;
            }
          }
        }
      }
    }
  }

  private boolean throughThree(
      Step read, Step write, int split, Closing closing, List<Instance> three) {
    for (ConflictGraph.Pair middle : ConflictGraph.pairs(three.get(1), three.get(2))) {
      KeyUnification keys = ends(read, write, closing, 2);
      keys.equate(1, middle.earlier().access(), 2, middle.later().access());
      if (isPossible(read, write, split, closing, three, keys)) {
        List<TemplateConflict> conflicts =
            List.of(
                FoundRaces.conflict(0, read, 1, write, DependencyKind.RW),
                FoundRaces.conflict(1, middle.earlier(), 2, middle.later(), middle.kind()),
                FoundRaces.conflict(2, closing.last, 0, closing.first, closing.kind));
        if (found.add(FoundRaces.unnamed(conflicts), conflicts, three, keys)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean throughMore(
      Step read, Step write, int split, Closing closing, int first, int second, int last) {
    List<Integer> way = graph.between(second, last);
    if (way.isEmpty()) {
      return false;
    }
    List<Instance> instances =
        new ArrayList<>(List.of(graph.instance(first), graph.instance(second)));
    way.forEach(one -> instances.add(graph.instance(one)));
    instances.add(graph.instance(last));
    if (found.isCovered(instances)) {
      return false;
    }
    int end = instances.size() - 1;
    KeyUnification keys = ends(read, write, closing, end);
    if (!isPossible(read, write, split, closing, instances, keys)) {
      return false;
    }
    List<TemplateConflict> conflicts = new ArrayList<>();
    conflicts.add(FoundRaces.conflict(0, read, 1, write, DependencyKind.RW));
    for (int i = 1; i < end; i++) {
      ConflictGraph.Pair any = ConflictGraph.pairs(instances.get(i), instances.get(i + 1)).get(0);
      conflicts.add(FoundRaces.conflict(i, any.earlier(), i + 1, any.later(), any.kind()));
    }
    conflicts.add(FoundRaces.conflict(end, closing.last, 0, closing.first, closing.kind));
    return found.add(FoundRaces.unnamed(conflicts), conflicts, instances, keys);
  }

  private static KeyUnification ends(Step read, Step write, Closing closing, int last) {
    KeyUnification keys = new KeyUnification();
    keys.equate(0, read.access(), 1, write.access());
    keys.equate(last, closing.last.access(), 0, closing.first.access());
    return keys;
  }

  private boolean isPossible(
      Step read,
      Step write,
      int split,
      Closing closing,
      List<Instance> instances,
      KeyUnification keys) {
    if (keys.mergesVariables()
        || isOneVersion(read, closing, keys)
        || checked(instances.get(0), read, write, split, closing, keys).isPresent()) {
      return false;
    }
    for (int i = 1; i < instances.size(); i++) {
      if (prevention(instances.get(0), split, i, instances.get(i), keys).isPresent()) {
        return false;
      }
    }
    return true;
  }

  /** How the first transaction may depend on the last, or the last miss what it writes. */
  private List<Closing> closings(Instance first, int split, Instance last) {
    List<Closing> closings = new ArrayList<>();
    for (ConflictGraph.Pair pair : ConflictGraph.pairs(last, first)) {
      boolean misses = pair.kind() == DependencyKind.RW;
      boolean old =
          pair.kind() == DependencyKind.WR
              && reads == Reads.SNAPSHOT
              && pair.later().access().isPlainRead();
      if (misses || (pair.later().position() > split && !old)) {
        closings.add(new Closing(pair.earlier(), pair.later(), pair.kind()));
      }
    }
    return closings;
  }

  /** The statement behind which the others run: the one that fixes what the read returns. */
  private int splitBehind(Instance first, Step read) {
    return reads == Reads.SNAPSHOT && read.access().isPlainRead() && !first.hasWrittenBefore(read)
        ? first.steps().stream()
            .filter(step -> step.access().isPlainRead())
            .mapToInt(Step::position)
            .min()
            .orElse(read.position())
        : read.position();
  }

  private boolean isOneVersion(Step read, Closing closing, KeyUnification keys) {
    return reads == Reads.REPEATABLE
        && closing.kind == DependencyKind.WR
        && closing.first.access().isPlainRead()
        && keys.isSameRow(0, read.access(), 0, closing.first.access());
  }

  /** Why another transaction would wait for the first one. */
  private static Optional<Prevention> prevention(
      Instance first, int split, int index, Instance other, KeyUnification keys) {
    for (Step held : first.steps()) {
      if (held.position() <= split && held.access().held() != RowLock.NONE) {
        for (Step needed : other.steps()) {
          if (held.access().held().excludes(needed.access().held())
              && keys.isSameRow(0, held.access(), index, needed.access())) {
            return Optional.of(
                new Prevention(
                    held.access().writes() ? Reason.WRITTEN_BEFORE : Reason.LOCKED,
                    held.statement()));
          }
        }
      }
    }
    return Optional.empty();
  }

  /** A write that compares again what was read, and so does not overwrite anything else. */
  private static Optional<Prevention> checked(
      Instance first, Step read, Step write, int split, Closing closing, KeyUnification keys) {
    for (Step check : first.steps()) {
      if (check.position() > split
          && check.position() <= closing.first.position()
          && check.access().writes()
          && keys.isSameRow(0, read.access(), 0, check.access())
          && TemplateAccess.intersect(check.access().condition(), write.access().written())
          && TemplateAccess.intersect(check.access().condition(), read.access().read())) {
        return Optional.of(new Prevention(Reason.CHECKED, check.statement()));
      }
    }
    return Optional.empty();
  }
}
