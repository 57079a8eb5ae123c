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
 * What would be found besides if transactions that are undecided committed. It takes down what
 * follows from that; the cycles are searched in a copy of the graph of proven dependencies, which
 * is only made if one can be there at all.
 */
final class HypotheticalCommits implements DependencyListener {

  /** Pairs of transactions that are remembered while one set of suppositions is searched. */
  private static final int MAX_REPORTED_PAIRS = 1 << 10;

  private final Set<Transaction> hypothetical = new LinkedHashSet<>();
  private final Set<Edge> edges = new LinkedHashSet<>();
  private final Set<Finding> findings = new LinkedHashSet<>();

  /**
   * Findings in which an undecided transaction takes part. To be called once, before anything else
   * happens to the graph.
   *
   * @param proven what is proven
   * @param budget how many edges a search for one cycle may look at
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

  /** A cycle leads into one of them and out again. */
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
    // Told by the chains alone, of transactions that have committed.
  }
}
