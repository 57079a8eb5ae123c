package io.txwatch.anomaly;

import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The additional findings if undecided transactions committed. It collects the hypothetical
 * dependencies and searches cycles in a copy of the graph of proven dependencies. The copy is made
 * only if a cycle is possible at all.
 */
final class HypotheticalCommits implements DependencyListener {

  /** The pairs of transactions remembered during one search. */
  private static final int MAX_REPORTED_PAIRS = 1 << 10;

  private final Set<Transaction> hypothetical = new LinkedHashSet<>();
  private final Set<Edge> edges = new LinkedHashSet<>();
  private final Set<Finding> findings = new LinkedHashSet<>();

  /**
   * The findings that include an undecided transaction. Must be called once, before the graph
   * changes.
   *
   * @param proven the proven dependencies
   * @param budget the edges that one search for a cycle may examine
   */
  List<Finding> findings(CycleFinder proven, int budget) {
    if (mayCloseCycle()) {
      List<Finding> cycles = new ArrayList<>();
      CycleFinder finder =
          new CycleFinder(
              cycles::add, this::includesHypothetical, budget, budget, MAX_REPORTED_PAIRS);
      try {
        finder.addAll(proven);
        hypothetical.forEach(finder::add);
        edges.forEach(finder::add);
        finder.flush();
      } finally {
        hypothetical.forEach(transaction -> transaction.node = -1);
      }
      findings.addAll(cycles);
    }
    return List.copyOf(findings);
  }

  /** Whether some undecided transaction has edges in and out, which a cycle needs. */
  private boolean mayCloseCycle() {
    Set<Transaction> entered = new HashSet<>();
    Set<Transaction> left = new HashSet<>();
    for (Edge edge : edges) {
      entered.add(edge.to());
      left.add(edge.from());
    }
    return hypothetical.stream()
        .anyMatch(transaction -> entered.contains(transaction) && left.contains(transaction));
  }

  private boolean includesHypothetical(Finding finding) {
    return finding.transactions().stream().anyMatch(hypothetical::contains);
  }

  @Override
  public void committed(Transaction transaction) {
    hypothetical.add(transaction);
  }

  @Override
  public void dependency(Edge edge) {
    if (!edge.isDiscarded()) {
      edges.add(edge);
    }
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {
    findings.add(Finding.of(why, read));
  }

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    // Reported by the version chains only, for committed transactions.
  }
}
