package io.txwatch.listappend;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.dependency.CommitOrder;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.graph.IntList;
import io.txwatch.listappend.ListCycles.Edge;
import io.txwatch.listappend.ListHistory.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Searches an order of the appends that no transaction read, for snapshot isolation.
 *
 * <p>Under snapshot isolation the intervals of two transactions that append to the same key, from
 * snapshot to commit, are disjoint: one precedes the other. Where dependencies form no cycle, their
 * order is such an order. So only transactions in a component of the graph matter, and the
 * components are independent of each other. In each, a pair's order follows if the other one is
 * impossible; for the rest, both are tried ({@link SnapshotOrder}).
 */
final class UnreadOrder {

  /** Two transactions that appended to a key, of which neither was read. */
  record Pair(int one, int other, int key) {}

  private final ListHistory history;
  private final ListDependencies dependencies;
  private final ListAnomalies anomalies;
  private final Consumer<Anomaly> found;
  private final Map<Integer, List<Pair>> pairs = new HashMap<>();
  private final CyclicPart part;

  UnreadOrder(
      ListHistory history,
      ListDependencies dependencies,
      Set<CommitOrder> orders,
      int[] components,
      ListAnomalies anomalies,
      Consumer<Anomaly> found) {
    this.history = history;
    this.dependencies = dependencies;
    this.anomalies = anomalies;
    this.found = found;
    for (int key = 0; key < history.keys(); key++) {
      collect(key, components);
    }
    int[] some = new int[components.length];
    for (int node = 0; node < some.length; node++) {
      some[node] = pairs.containsKey(components[node]) ? components[node] : -1;
    }
    this.part = new CyclicPart(dependencies, some, orders);
  }

  private void collect(int key, int[] components) {
    int[] writers = dependencies.unreadWriters(key);
    for (int i = 0; i < writers.length; i++) {
      for (int j = i + 1; j < writers.length; j++) {
        int component = components[writers[i]];
        if (component >= 0 && component == components[writers[j]]) {
          pairs
              .computeIfAbsent(component, c -> new ArrayList<>())
              .add(new Pair(writers[i], writers[j], key));
        }
      }
    }
  }

  ListAppendCheck.Result search(Duration budget) {
    long end = System.nanoTime() + budget.toNanos();
    BooleanSupplier isInTime = () -> System.nanoTime() - end < 0;
    Optional<Boolean> valid = Optional.of(true);
    for (Map.Entry<Integer, List<Pair>> of : pairs.entrySet()) {
      Optional<Boolean> one = search(of.getKey(), of.getValue(), isInTime);
      if (one.equals(Optional.of(false))) {
        return new ListAppendCheck.Result(
            one,
            "no order of the appends that nobody read agrees with "
                + "snapshot isolation: every one was tried");
      } else if (one.isEmpty()) {
        valid = one;
      }
    }
    return new ListAppendCheck.Result(
        valid,
        valid.isPresent()
            ? ""
            : "nothing certain is wrong, but the search for an order of the appends that nobody"
                + " read ended with its budget of "
                + budget.toSeconds()
                + " s");
  }

  private Optional<Boolean> search(int component, List<Pair> of, BooleanSupplier isInTime) {
    IntList members = new IntList();
    int[] numbers = new int[part.graph().nodes()];
    for (int node = 0; node < numbers.length; node++) {
      if (part.wholeComponent(node) == component) {
        numbers[node] = members.size();
        members.add(node);
      }
    }
    SnapshotOrder order = new SnapshotOrder(members.size());
    for (int i = 0; i < members.size(); i++) {
      addEdges(members.get(i), numbers, order);
    }
    List<int[]> undecided = new ArrayList<>();
    for (Pair pair : of) {
      undecided.add(new int[] {numbers[part.node(pair.one())], numbers[part.node(pair.other())]});
    }
    Optional<Boolean> result = order.search(undecided, isInTime);
    if (result.equals(Optional.of(false))) {
      of.stream().map(this::explain).flatMap(Optional::stream).findFirst().ifPresent(found);
    }
    return result;
  }

  private void addEdges(int node, int[] numbers, SnapshotOrder order) {
    Digraph graph = part.graph();
    for (int out = graph.start(node); out < graph.end(node); out++) {
      int target = graph.target(out);
      boolean rw =
          graph.kind(out) == EdgeList.THROUGH
              ? !dependencies.isTimeNode(part.original(node))
              : graph.kind(out) == DependencyKind.RW.ordinal();
      order.add(numbers[node], isAuxiliary(node), numbers[target], isAuxiliary(target), rw);
    }
  }

  private boolean isAuxiliary(int node) {
    return part.original(node) >= history.transactions();
  }

  /** The cycle that a pair forms in either order, if that follows from it alone. */
  private Optional<Anomaly> explain(Pair pair) {
    PathSearch paths = new PathSearch(part);
    int one = part.node(pair.one());
    int other = part.node(pair.other());
    List<Integer> there = paths.nonadjacentPath(one, other, ListCycles.ALL);
    if (there.isEmpty() || paths.nonadjacentPath(other, one, ListCycles.ALL).isEmpty()) {
      return Optional.empty();
    }
    List<Edge> cycle = part.transactions(there);
    cycle.add(
        new Edge(
            pair.other(),
            pair.one(),
            DependencyKind.WW,
            append(pair.other(), pair.key()),
            append(pair.one(), pair.key())));
    return Optional.of(
        anomalies.of(
            cycle,
            "Nobody read these two appends, so their order is unknown: in the other order there is"
                + " such a cycle, too."));
  }

  private int append(int transaction, int key) {
    int append = history.endOp(transaction) - 1;
    while (history.kind(append) != Kind.APPEND || history.key(append) != key) {
      append--;
    }
    return append;
  }
}
