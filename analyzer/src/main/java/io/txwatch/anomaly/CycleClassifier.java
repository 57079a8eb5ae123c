package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Classifies a cycle by the kinds of its edges, and names it by their rows and statements: the
 * definitions of {@link Phenomenon}, as a function.
 *
 * <p><b>Current reads</b> (IsoRel §3.4). SELECT … FOR UPDATE, and the reads within an UPDATE or
 * DELETE, return the newest version by design, whatever the snapshot shows. If T1 read a row by a
 * plain SELECT, another transaction wrote it, and a later current read of T1 returned that write,
 * then T1 saw the change: the rw and the wr edge form no cycle. The same holds if T1 read the row
 * again before it wrote it: nothing was lost. SERIALIZABLE has no such exception, since no serial
 * order explains the two reads, current or not. Nor is there one where the two edges run through
 * different rows.
 */
public final class CycleClassifier {

  private CycleClassifier() {}

  /** The finding for a cycle; empty if the cycle is excepted. */
  public static Optional<Finding> of(List<Edge> found) {
    List<Edge> cycle = inReadingOrder(found);
    for (int i = 0; i < cycle.size(); i++) {
      if (isExcepted(cycle.get((i + cycle.size() - 1) % cycle.size()), cycle.get(i))) {
        return Optional.empty();
      }
    }
    CycleClass cycleClass = classOf(cycle);
    if (cycle.stream().anyMatch(edge -> edge.kind().isOrder())) {
      return Optional.of(
          new Finding(Phenomenon.TRANSACTION_INVERSION, Optional.of(cycleClass), cycle));
    }
    Phenomenon name =
        switch (cycleClass) {
          case G0 -> Phenomenon.DIRTY_WRITE;
          case G1C -> Phenomenon.CIRCULAR_INFORMATION_FLOW;
          case G_SINGLE -> single(cycle);
          case G_NONADJACENT -> nonadjacent(cycle);
          case G2_ITEM -> item(cycle);
          case G2 -> Phenomenon.G2;
        };
    return Optional.of(new Finding(name, Optional.of(cycleClass), cycle));
  }

  /** The class of a cycle by the kinds of its edges. */
  public static CycleClass classOf(List<Edge> cycle) {
    int rw = 0;
    int wr = 0;
    boolean adjacent = false;
    for (int i = 0; i < cycle.size(); i++) {
      DependencyKind kind = cycle.get(i).kind();
      if (kind == DependencyKind.RW) {
        rw++;
        adjacent |= cycle.get((i + 1) % cycle.size()).kind() == DependencyKind.RW;
      } else if (kind == DependencyKind.WR) {
        wr++;
      }
    }
    if (rw == 0) {
      return wr == 0 ? CycleClass.G0 : CycleClass.G1C;
    }
    if (rw == 1) {
      return CycleClass.G_SINGLE;
    }
    if (!adjacent) {
      return CycleClass.G_NONADJACENT;
    }
    return cycle.stream().anyMatch(Edge::missesByPredicate) ? CycleClass.G2 : CycleClass.G2_ITEM;
  }

  private static Phenomenon single(List<Edge> cycle) {
    Edge out = cycle.get(0);
    Edge in = cycle.get(cycle.size() - 1);
    boolean oneRow = cycle.stream().allMatch(edge -> edge.row() == out.row());
    boolean pair = cycle.size() == 2;
    if (cycle.stream().anyMatch(edge -> edge.evidence().byPredicate())) {
      return singleByPredicate(cycle, oneRow);
    }
    if (in.kind() == DependencyKind.WW) {
      if (oneRow && onlyWw(cycle) && out.fromStatement() <= in.toStatement()) {
        return Phenomenon.LOST_UPDATE;
      }
      return pair && !oneRow ? Phenomenon.READ_WRITE_SKEW : Phenomenon.G_SINGLE;
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

  private static Phenomenon singleByPredicate(List<Edge> cycle, boolean oneRow) {
    Edge out = cycle.get(0);
    Edge in = cycle.get(cycle.size() - 1);
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

  private static boolean onlyWw(List<Edge> cycle) {
    return cycle.stream().skip(1).allMatch(edge -> edge.kind() == DependencyKind.WW);
  }

  private static Phenomenon nonadjacent(List<Edge> cycle) {
    boolean fork =
        cycle.size() == 4 && cycle.stream().noneMatch(edge -> edge.evidence().byPredicate());
    for (int i = 0; i < cycle.size(); i++) {
      fork &= (cycle.get(i).kind() == DependencyKind.RW) == (i % 2 == 0);
      fork &= cycle.get(i).kind() != DependencyKind.WW;
    }
    return fork ? Phenomenon.LONG_FORK : Phenomenon.G_NONADJACENT;
  }

  private static Phenomenon item(List<Edge> cycle) {
    return cycle.size() == 2 && cycle.get(0).row() != cycle.get(1).row()
        ? Phenomenon.WRITE_SKEW
        : Phenomenon.G2_ITEM;
  }

  /** Whether {@code in} shows T1 the write that, by {@code out}, it had missed. */
  private static boolean isExcepted(Edge in, Edge out) {
    if (out.kind() != DependencyKind.RW
        || in.row() != out.row()
        || out.fromStatement() >= in.toStatement()) {
      return false;
    }
    Transaction reader = out.from();
    if (in.kind() == DependencyKind.WR) {
      return reader.level() != IsolationLevel.SERIALIZABLE
          && kind(reader, out.fromStatement()) == StatementKind.SELECT
          && kind(reader, in.toStatement()) != StatementKind.SELECT;
    }
    return in.kind() == DependencyKind.WW && readAgain(reader, out, in);
  }

  private static boolean readAgain(Transaction reader, Edge out, Edge in) {
    Row row = out.row();
    return reader.rereads(row, out.fromStatement(), in.toStatement()) != 0;
  }

  private static StatementKind kind(Transaction transaction, int number) {
    return transaction
        .statement(number)
        .map(Transaction.Statement::kind)
        .orElse(StatementKind.OTHER);
  }

  /**
   * Rotates a cycle to start with its rw edge, out of T1; among several, or none, with the edge of
   * the smallest transaction id.
   */
  private static List<Edge> inReadingOrder(List<Edge> cycle) {
    int first = 0;
    for (int i = 1; i < cycle.size(); i++) {
      boolean rw = cycle.get(i).kind() == DependencyKind.RW;
      boolean firstRw = cycle.get(first).kind() == DependencyKind.RW;
      long id = cycle.get(i).from().id();
      if (rw && !firstRw
          || rw == firstRw && Long.compareUnsigned(id, cycle.get(first).from().id()) < 0) {
        first = i;
      }
    }
    List<Edge> turned = new ArrayList<>(cycle.subList(first, cycle.size()));
    turned.addAll(cycle.subList(0, first));
    return List.copyOf(turned);
  }
}
