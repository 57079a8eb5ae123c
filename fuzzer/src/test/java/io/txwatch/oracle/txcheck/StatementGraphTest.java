package io.txwatch.oracle.txcheck;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Cycles, their removal, and orders; brute force is the judge. */
class StatementGraphTest {

  private static StatementGraph graph(int size, List<Integer> ends) {
    List<StatementDependency> dependencies = new ArrayList<>();
    for (int i = 0; i + 1 < ends.size(); i += 2) {
      int from = ends.get(i) % size;
      int to = ends.get(i + 1) % size;
      if (from != to) {
        dependencies.add(
            new StatementDependency(from, to, StatementDependency.Kind.PREDICATE_READ));
      }
    }
    List<Integer> nodes = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      nodes.add(i);
    }
    return new StatementGraph(nodes, dependencies);
  }

  private static List<List<Integer>> allOrders(StatementGraph graph) {
    List<List<Integer>> orders = new ArrayList<>();
    permute(new ArrayList<>(), graph.nodes(), orders);
    return orders.stream().filter(graph::permits).toList();
  }

  private static void permute(
      List<Integer> prefix, List<Integer> rest, List<List<Integer>> permutations) {
    if (rest.isEmpty()) {
      permutations.add(List.copyOf(prefix));
    }
    for (Integer next : rest) {
      prefix.add(next);
      permute(prefix, rest.stream().filter(node -> !node.equals(next)).toList(), permutations);
      prefix.remove(prefix.size() - 1);
    }
  }

  @Property(tries = 300)
  void aGraphIsAcyclicIfSomeOrderFollowsAllDependencies(
      @ForAll @IntRange(min = 1, max = 5) int size,
      @ForAll @Size(max = 16) List<@IntRange(min = 0, max = 4) Integer> ends) {
    StatementGraph graph = graph(size, ends);

    assertThat(graph.isAcyclic()).isEqualTo(!allOrders(graph).isEmpty());
  }

  @Property(tries = 300)
  void withoutTheRemovedNodesThereIsNoCycleAndOrdersFollowAllDependencies(
      @ForAll @IntRange(min = 1, max = 6) int size,
      @ForAll @Size(max = 24) List<@IntRange(min = 0, max = 5) Integer> ends,
      @ForAll long seed) {
    StatementGraph whole = graph(size, ends);
    Set<Integer> removed = whole.nodesToRemove();
    List<Integer> nodes = whole.nodes().stream().filter(node -> !removed.contains(node)).toList();
    StatementGraph rest =
        new StatementGraph(
            nodes,
            whole.dependencies().stream()
                .filter(edge -> nodes.contains(edge.from()) && nodes.contains(edge.to()))
                .toList());

    assertThat(removed.isEmpty()).isEqualTo(whole.isAcyclic());
    assertThat(rest.isAcyclic()).isTrue();
    List<List<Integer>> orders = rest.orders(3, new Random(seed));
    assertThat(orders).isNotEmpty().hasSizeLessThanOrEqualTo(3).allMatch(rest::permits);
    assertThat(new HashSet<>(orders)).hasSameSizeAs(orders);
  }

  /** TxCheck, figures 4, 6, 9 and 17: T0 is 1 and 2, T1 is 3, 4 and 5. */
  @Example
  void theGraphOfFigure1HasTheSequenceOfFigure9() {
    StatementGraph graph =
        StatementDependencyInference.graph(
            Traces.of(
                """
                T0.1 update x0>x1 y0>y1 sees x0 y0
                T0.2 query  a0          sees a0 b0
                T1.1 query  x0 y0       sees x0 y0
                T1.2 query  a0          sees a0 b0 x0 y0
                T1.3 update a0>a1 b0>b1 sees a0 b0 x0 y0
                """),
            false);

    assertThat(graph.isAcyclic()).isTrue();
    assertThat(graph.dependencies().stream().map(StatementDependency::toString))
        .containsExactly(
            "2 -ITEM_ANTI-> 5",
            "2 -PREDICATE_ANTI-> 5",
            "3 -ITEM_ANTI-> 1",
            "3 -PREDICATE_ANTI-> 1",
            "4 -PREDICATE_ANTI-> 1",
            "4 -ITEM_ANTI-> 5",
            "4 -PREDICATE_ANTI-> 5",
            "5 -PREDICATE_WRITE-> 1",
            "5 -VALUE_WRITE-> 1");
    assertThat(graph.permits(List.of(2, 3, 4, 5, 1))).isTrue();
    assertThat(allOrders(graph)).allSatisfy(order -> assertThat(order.indexOf(1)).isEqualTo(4));
  }
}
