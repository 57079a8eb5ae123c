package io.txwatch.anomaly;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The class and the name of a cycle, by the kinds of its edges, their rows and statements: the
 * definitions of {@link CycleClass} and {@link Phenomenon}, as functions.
 */
public final class CycleNames {

  /** The phenomena of two transactions, worst first. */
  private static final List<Phenomenon> RANK =
      List.of(
          Phenomenon.DIRTY_WRITE,
          Phenomenon.CIRCULAR_INFORMATION_FLOW,
          Phenomenon.LOST_UPDATE,
          Phenomenon.READ_WRITE_SKEW,
          Phenomenon.NON_REPEATABLE_READ,
          Phenomenon.PHANTOM,
          Phenomenon.READ_SKEW,
          Phenomenon.FRACTURED_READ,
          Phenomenon.WRITE_SKEW,
          Phenomenon.G_SINGLE,
          Phenomenon.G2_ITEM,
          Phenomenon.G2);

  private CycleNames() {}

  /** The place of a phenomenon among those of two transactions, worst first. */
  public static int rank(Phenomenon phenomenon) {
    int rank = RANK.indexOf(phenomenon);
    return rank < 0 ? RANK.size() : rank;
  }

  /**
   * Rotates a cycle to start with its rw edge, out of T1; among several, or none, with the edge of
   * the smallest transaction id.
   */
  public static List<Dependency> inReadingOrder(List<Dependency> cycle) {
    int first = 0;
    for (int i = 1; i < cycle.size(); i++) {
      boolean rw = cycle.get(i).kind() == DependencyKind.RW;
      boolean firstRw = cycle.get(first).kind() == DependencyKind.RW;
      long id = cycle.get(i).from();
      if (rw && !firstRw
          || rw == firstRw && Long.compareUnsigned(id, cycle.get(first).from()) < 0) {
        first = i;
      }
    }
    List<Dependency> turned = new ArrayList<>(cycle.subList(first, cycle.size()));
    turned.addAll(cycle.subList(0, first));
    return List.copyOf(turned);
  }

  /** The class of a cycle by the kinds of its edges. */
  public static CycleClass classOf(List<Dependency> cycle) {
    CycleClass byItem = CycleClass.of(cycle.size(), i -> cycle.get(i).kind());
    boolean byPredicate =
        cycle.stream()
            .anyMatch(edge -> edge.kind() == DependencyKind.RW && edge.evidence().byPredicate());
    return byItem == CycleClass.G2_ITEM && byPredicate ? CycleClass.G2 : byItem;
  }

  /** The name of a cycle that is {@linkplain #inReadingOrder in reading order}. */
  public static Phenomenon of(List<Dependency> cycle) {
    if (cycle.stream().anyMatch(edge -> edge.kind().isOrder())) {
      return Phenomenon.TRANSACTION_INVERSION;
    }
    return switch (classOf(cycle)) {
      case G0 -> Phenomenon.DIRTY_WRITE;
      case G1C -> Phenomenon.CIRCULAR_INFORMATION_FLOW;
      case G_SINGLE -> single(cycle);
      case G_NONADJACENT -> nonadjacent(cycle);
      case G2_ITEM -> item(cycle);
      case G2 -> Phenomenon.G2;
    };
  }

  private static Phenomenon single(List<Dependency> cycle) {
    Dependency out = cycle.get(0);
    Dependency in = cycle.get(cycle.size() - 1);
    boolean oneRow = cycle.stream().allMatch(edge -> isSameRow(edge, out));
    boolean pair = cycle.size() == 2;
    if (cycle.stream().anyMatch(edge -> edge.evidence().byPredicate())) {
      return singleByPredicate(cycle, oneRow);
    }
    if (in.kind() == DependencyKind.WW) {
      boolean oneItem = oneRow && shareColumn(out, in);
      if (oneItem && onlyWw(cycle) && out.fromStatement() <= in.toStatement()) {
        return Phenomenon.LOST_UPDATE;
      }
      return pair && !oneItem ? Phenomenon.READ_WRITE_SKEW : Phenomenon.G_SINGLE;
    }
    if (oneRow) {
      return Phenomenon.NON_REPEATABLE_READ;
    }
    if (!pair) {
      return Phenomenon.G_SINGLE;
    }
    return out.fromStatement() < in.toStatement()
        ? Phenomenon.READ_SKEW
        : Phenomenon.FRACTURED_READ;
  }

  /** Whether two edges run through one column; without columns, the row is the item. */
  private static boolean shareColumn(Dependency one, Dependency other) {
    return one.columns().isEmpty()
        || other.columns().isEmpty()
        || !Collections.disjoint(one.columns(), other.columns());
  }

  private static Phenomenon singleByPredicate(List<Dependency> cycle, boolean oneRow) {
    Dependency out = cycle.get(0);
    Dependency in = cycle.get(cycle.size() - 1);
    boolean seenLater = in.kind() == DependencyKind.WR && out.fromStatement() < in.toStatement();
    if (cycle.size() != 2 || !seenLater) {
      return Phenomenon.G_SINGLE;
    }
    if (oneRow) {
      return Phenomenon.PHANTOM;
    }
    return in.evidence() == EdgeEvidence.PREDICATE && !out.evidence().byPredicate()
        ? Phenomenon.READ_SKEW
        : Phenomenon.G_SINGLE;
  }

  private static boolean onlyWw(List<Dependency> cycle) {
    return cycle.stream().skip(1).allMatch(edge -> edge.kind() == DependencyKind.WW);
  }

  private static Phenomenon nonadjacent(List<Dependency> cycle) {
    boolean fork =
        cycle.size() == 4 && cycle.stream().noneMatch(edge -> edge.evidence().byPredicate());
    for (int i = 0; i < cycle.size(); i++) {
      fork &= (cycle.get(i).kind() == DependencyKind.RW) == (i % 2 == 0);
      fork &= cycle.get(i).kind() != DependencyKind.WW;
    }
    return fork ? Phenomenon.LONG_FORK : Phenomenon.G_NONADJACENT;
  }

  private static Phenomenon item(List<Dependency> cycle) {
    return cycle.size() == 2 && !isSameRow(cycle.get(0), cycle.get(1))
        ? Phenomenon.WRITE_SKEW
        : Phenomenon.G2_ITEM;
  }

  private static boolean isSameRow(Dependency one, Dependency other) {
    return one.row() == other.row() && one.table().equals(other.table());
  }
}
