package io.txwatch.oracle.txcheck;

import io.txwatch.oracle.txcheck.StatementTrace.TransactionSpan;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

/**
 * The statement-dependency graph of an execution (TxCheck, definition 1): its nodes are the
 * statements of committed transactions, by their step ids.
 */
final class StatementGraph {

  private final List<Integer> nodes;
  private final SortedSet<StatementDependency> dependencies;
  private final Map<Integer, Set<Integer>> successors = new HashMap<>();
  private final Map<Integer, Set<Integer>> predecessors = new HashMap<>();

  /**
   * Creates a graph.
   *
   * @param nodes in the order of execution
   */
  StatementGraph(List<Integer> nodes, Collection<StatementDependency> dependencies) {
    this.nodes = List.copyOf(nodes);
    this.dependencies = new TreeSet<>(dependencies);
    nodes.forEach(
        node -> {
          successors.put(node, new TreeSet<>());
          predecessors.put(node, new TreeSet<>());
        });
    for (StatementDependency dependency : dependencies) {
      of(successors, dependency.from()).add(dependency.to());
      of(predecessors, dependency.to()).add(dependency.from());
    }
  }

  private static Set<Integer> of(Map<Integer, Set<Integer>> neighbours, int node) {
    return neighbours.getOrDefault(node, Set.of());
  }

  List<Integer> nodes() {
    return nodes;
  }

  SortedSet<StatementDependency> dependencies() {
    return dependencies;
  }

  boolean isAcyclic() {
    return withoutSourcesAndSinks(nodes).isEmpty();
  }

  /**
   * Nodes whose removal leaves no cycle (TxCheck, section 3.3, graph decycling). Of the nodes on
   * cycles, the one with the most neighbours there is removed first; of several, the last one
   * executed.
   */
  Set<Integer> nodesToRemove() {
    Set<Integer> removed = new LinkedHashSet<>();
    Set<Integer> cyclic = withoutSourcesAndSinks(nodes);
    while (!cyclic.isEmpty()) {
      int busiest = -1;
      int most = -1;
      for (int node : nodes) {
        if (cyclic.contains(node)) {
          int degree =
              countIn(of(successors, node), cyclic) * countIn(of(predecessors, node), cyclic);
          if (degree >= most) {
            busiest = node;
            most = degree;
          }
        }
      }
      removed.add(busiest);
      cyclic.remove(busiest);
      cyclic = withoutSourcesAndSinks(cyclic);
    }
    return removed;
  }

  /**
   * The sessions whose transactions depend on each other, in their natural order.
   *
   * @param traces the statements, with their transactions
   */
  SortedSet<String> sessionsOnCycles(Collection<StatementTrace> traces) {
    Map<Integer, TransactionSpan> spans = new HashMap<>();
    traces.forEach(trace -> spans.put(trace.id(), trace.transaction()));
    Map<TransactionSpan, Set<TransactionSpan>> next = new HashMap<>();
    for (StatementDependency dependency : dependencies) {
      TransactionSpan from = spans.get(dependency.from());
      TransactionSpan to = spans.get(dependency.to());
      if (from != null && to != null && !from.equals(to)) {
        next.computeIfAbsent(from, first -> new HashSet<>()).add(to);
      }
    }
    SortedSet<String> sessions = new TreeSet<>();
    for (TransactionSpan start : next.keySet()) {
      Set<TransactionSpan> reached = new LinkedHashSet<>(next.getOrDefault(start, Set.of()));
      Deque<TransactionSpan> open = new ArrayDeque<>(reached);
      while (!open.isEmpty()) {
        for (TransactionSpan following : next.getOrDefault(open.remove(), Set.of())) {
          if (reached.add(following)) {
            open.add(following);
          }
        }
      }
      if (reached.contains(start)) {
        sessions.add(start.session());
      }
    }
    return sessions;
  }

  /** The nodes that remain when nodes without predecessors or successors are removed. */
  private Set<Integer> withoutSourcesAndSinks(Collection<Integer> of) {
    Set<Integer> rest = new LinkedHashSet<>(of);
    boolean shrinks = true;
    while (shrinks) {
      shrinks =
          rest.removeIf(
              node ->
                  countIn(of(successors, node), rest) == 0
                      || countIn(of(predecessors, node), rest) == 0);
    }
    return rest;
  }

  private static int countIn(Set<Integer> neighbours, Set<Integer> of) {
    return (int) neighbours.stream().filter(of::contains).count();
  }

  /**
   * Different topological orders of an acyclic graph (TxCheck, algorithm 1, OracleGen): the one
   * closest to the execution, the one farthest from it, and random ones.
   *
   * @param most the most orders
   * @param random selects among the nodes without predecessors
   */
  List<List<Integer>> orders(int most, Random random) {
    Set<List<Integer>> orders = new LinkedHashSet<>();
    orders.add(order(ready -> 0));
    orders.add(order(ready -> ready - 1));
    for (int i = orders.size(); i < most; i++) {
      orders.add(order(random::nextInt));
    }
    return orders.stream().limit(most).toList();
  }

  /**
   * A topological order.
   *
   * @param choice given the number of ready nodes, in the order of execution, the index of the next
   */
  private List<Integer> order(ToIntFunction<Integer> choice) {
    Map<Integer, Integer> missing = new TreeMap<>();
    nodes.forEach(node -> missing.put(node, of(predecessors, node).size()));
    List<Integer> order = new ArrayList<>();
    Set<Integer> done = new HashSet<>();
    while (order.size() < nodes.size()) {
      List<Integer> ready =
          nodes.stream()
              .filter(node -> !done.contains(node) && missing.getOrDefault(node, 0) == 0)
              .toList();
      if (ready.isEmpty()) {
        throw new IllegalStateException("the graph has a cycle");
      }
      int next = ready.get(choice.applyAsInt(ready.size()));
      done.add(next);
      order.add(next);
      of(successors, next).forEach(node -> missing.merge(node, -1, Integer::sum));
    }
    return order;
  }

  /** True if a sequence of all nodes follows all dependencies. */
  boolean permits(List<Integer> sequence) {
    return sequence.size() == nodes.size()
        && sequence.containsAll(nodes)
        && dependencies.stream()
            .allMatch(
                dependency ->
                    sequence.indexOf(dependency.from()) < sequence.indexOf(dependency.to()));
  }
}
