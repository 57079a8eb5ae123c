package io.txwatch.anomaly;

import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Transaction;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.StatementKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Classifies and names a cycle, by {@link CycleNames}, unless it is excepted.
 *
 * <p><b>Current reads</b> (IsoRel §3.4). SELECT … FOR UPDATE, and the reads within an UPDATE or
 * DELETE, return the newest version by design, whatever the snapshot shows. If T1 read a row by a
 * plain SELECT, another transaction wrote it, and a later current read of T1 returned that write,
 * then T1 saw the change: the rw and the wr edge form no cycle. The same holds if T1 read what it
 * had missed of the row again before it wrote it, in a version whose fate is known at SERIALIZABLE:
 * nothing was lost. SERIALIZABLE has no exception for current reads, since no serial order explains
 * the two reads, current or not. Nor is there one where the two edges run through different rows.
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
    List<Dependency> dependencies = cycle.stream().map(Edge::dependency).toList();
    return Optional.of(
        new Finding(
            CycleNames.of(dependencies), Optional.of(CycleNames.classOf(dependencies)), cycle));
  }

  /** The class of a cycle by the kinds of its edges. */
  public static CycleClass classOf(List<Edge> cycle) {
    return CycleNames.classOf(cycle.stream().map(Edge::dependency).toList());
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
    return in.kind() == DependencyKind.WW
        && reader.rereads(out.row(), out.columns(), out.fromStatement(), in.toStatement());
  }

  private static StatementKind kind(Transaction transaction, int number) {
    return transaction
        .statement(number)
        .map(Transaction.Statement::kind)
        .orElse(StatementKind.OTHER);
  }

  /** As {@link CycleNames#inReadingOrder}. */
  private static List<Edge> inReadingOrder(List<Edge> cycle) {
    List<Dependency> dependencies = cycle.stream().map(Edge::dependency).toList();
    Dependency first = CycleNames.inReadingOrder(dependencies).get(0);
    List<Edge> turned = new ArrayList<>(cycle);
    Collections.rotate(turned, -dependencies.indexOf(first));
    return List.copyOf(turned);
  }
}
