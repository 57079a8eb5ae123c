package io.txwatch.listappend;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.CycleClass;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.history.Outcome;
import io.txwatch.listappend.ListCycles.Edge;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Judges the cycles of random small histories by an enumeration of all cycles. */
class MinimalListCycleProperties {

  /**
   * T1: r2 [], appends to 0. T3: r2 [], appends to 2. T4: r0 [], appends to 2. Nobody reads the
   * appends, so T1 and T4 depend on each other, and T3 need not be named.
   */
  @Example
  void twoTransactionsRatherThanThreeThroughUnreadAppends() {
    noCycleOfItsClassHasFewerTransactions(-2830, 6);
  }

  @Property(tries = 500)
  void noCycleOfItsClassHasFewerTransactions(
      @ForAll long seed, @ForAll @IntRange(min = 3, max = 8) int transactions) {
    SmallHistory small = SmallHistory.random(new Random(seed), transactions);
    ListHistory history = small.listHistory();
    ListOrder order = new ListOrder(history);
    boolean[] committed = new boolean[transactions];
    for (int t = 0; t < transactions; t++) {
      committed[t] = history.outcome(t) == Outcome.COMMITTED;
    }
    for (Set<CommitOrder> orders : ListAppendProperties.ORDERS) {
      ListDependencies dependencies = new ListDependencies(history, order, committed);
      List<List<Edge>> found = new ArrayList<>();
      new ListCycles(dependencies, orders, transactions, cycle -> 0, found::add).search();
      List<Edge> without = edges(dependencies, Set.of());
      List<Edge> with = edges(dependencies, orders);
      for (List<Edge> cycle : found) {
        assertThat(cycle.stream().map(Edge::from)).doesNotHaveDuplicates();
        if (cycle.size() > 2) {
          boolean isByOrder = cycle.stream().anyMatch(edge -> edge.kind().isOrder());
          assertThat(smaller(cycle, isByOrder ? with : without))
              .as("%s %s", cycle, small)
              .isEmpty();
        }
      }
    }
  }

  /** The dependencies between transactions, without auxiliary nodes. */
  private static List<Edge> edges(ListDependencies dependencies, Set<CommitOrder> orders) {
    EdgeList list = new EdgeList();
    dependencies.forEach(list);
    dependencies.forEachOrder(orders, list);
    Map<Integer, List<Integer>> out = new HashMap<>();
    for (int edge = 0; edge < list.size(); edge++) {
      out.computeIfAbsent(list.from(edge), from -> new ArrayList<>()).add(edge);
    }
    List<Edge> edges = new ArrayList<>();
    for (int edge = 0; edge < list.size(); edge++) {
      if (list.kind(edge) != EdgeList.THROUGH) {
        follow(list, out, edge, edge, edges);
      }
    }
    return edges;
  }

  private static void follow(
      EdgeList list, Map<Integer, List<Integer>> out, int first, int last, List<Edge> edges) {
    boolean auxiliary = false;
    for (int next : out.getOrDefault(list.to(last), List.of())) {
      if (list.kind(next) == EdgeList.THROUGH) {
        auxiliary = true;
        follow(list, out, first, next, edges);
      }
    }
    if (!auxiliary) {
      edges.add(
          new Edge(
              list.from(first),
              list.to(last),
              EdgeList.dependencyKind(list.kind(first)),
              list.fromOp(first),
              list.toOp(last)));
    }
  }

  /** A cycle through one of the edges of a cycle, of its class or a worse one, that is smaller. */
  private static List<Edge> smaller(List<Edge> cycle, List<Edge> edges) {
    for (Edge edge : edges) {
      if (cycle.stream().anyMatch(of -> of.from() == edge.from() && of.to() == edge.to())) {
        List<Edge> smaller = smaller(new ArrayList<>(List.of(edge)), cycle, edges);
        if (!smaller.isEmpty()) {
          return smaller;
        }
      }
    }
    return List.of();
  }

  private static List<Edge> smaller(List<Edge> path, List<Edge> than, List<Edge> edges) {
    int end = path.get(path.size() - 1).to();
    if (end == path.get(0).from()) {
      return classOf(path).compareTo(classOf(than)) <= 0 ? List.copyOf(path) : List.of();
    }
    if (path.size() < than.size() - 1 && path.stream().noneMatch(edge -> edge.from() == end)) {
      for (Edge edge : edges) {
        if (edge.from() == end) {
          path.add(edge);
          List<Edge> smaller = smaller(path, than, edges);
          path.remove(path.size() - 1);
          if (!smaller.isEmpty()) {
            return smaller;
          }
        }
      }
    }
    return List.of();
  }

  private static CycleClass classOf(List<Edge> cycle) {
    int rw = 0;
    boolean wr = false;
    boolean adjacent = false;
    for (int i = 0; i < cycle.size(); i++) {
      boolean isRw = cycle.get(i).kind() == DependencyKind.RW;
      rw += isRw ? 1 : 0;
      wr |= cycle.get(i).kind() == DependencyKind.WR;
      adjacent |= isRw && cycle.get((i + 1) % cycle.size()).kind() == DependencyKind.RW;
    }
    return rw == 0
        ? wr ? CycleClass.G1C : CycleClass.G0
        : rw == 1 ? CycleClass.G_SINGLE : adjacent ? CycleClass.G2_ITEM : CycleClass.G_NONADJACENT;
  }
}
