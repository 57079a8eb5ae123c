package io.txwatch.listappend;

import io.txwatch.anomaly.AdyaLevel;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.CycleNames;
import io.txwatch.anomaly.ObservedStatement;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.Database;
import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Product;
import io.txwatch.history.StatementKind;
import io.txwatch.listappend.ListCycles.Edge;
import io.txwatch.listappend.ListHistory.Branch;
import io.txwatch.listappend.ListHistory.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Converts findings in a list-append history to anomalies. */
final class ListAnomalies {

  /** Added to a transaction's number to make its id, shown as {@code 1.17}. */
  private static final long TRANSACTIONS = 1L << 32;

  private static final Database DATABASE =
      new Database(new Product("list-append history", ""), Map.of());

  /** The longest list that is displayed in full. */
  private static final int MAX_DISPLAYED = 6;

  private final ListHistory history;
  private final IsolationLevel level;
  private final boolean indexed;

  ListAnomalies(ListHistory history, IsolationLevel level) {
    this.history = history;
    this.level = level;
    this.indexed = hasUniqueIndexes(history);
  }

  private static boolean hasUniqueIndexes(ListHistory history) {
    long[] sorted = new long[history.transactions()];
    Arrays.setAll(sorted, history::index);
    Arrays.sort(sorted);
    boolean unique =
        sorted.length == 0 || sorted[0] >= 0 && sorted[sorted.length - 1] <= Integer.MAX_VALUE;
    for (int i = 1; i < sorted.length; i++) {
      unique &= sorted[i] != sorted[i - 1];
    }
    return unique;
  }

  /** What two operations show: of one transaction, or of a writer and a reader. */
  Anomaly of(Phenomenon phenomenon, int from, int fromOp, int to, int toOp) {
    Edge edge = new Edge(from, to, DependencyKind.WR, fromOp, toOp);
    boolean proscribed = AdyaLevel.of(level).compareTo(phenomenon.proscribedFrom()) >= 0;
    return anomaly(
        phenomenon,
        Optional.empty(),
        proscribed ? Verdict.VIOLATION : Verdict.HAZARD,
        List.of(dependency(edge)),
        List.of(edge),
        "");
  }

  /** A cycle. */
  Anomaly of(List<Edge> cycle) {
    return of(cycle, "");
  }

  /**
   * A cycle, with a remark.
   *
   * @param remark what it rests on; empty if it is certain by itself
   */
  Anomaly of(List<Edge> cycle, String remark) {
    List<Dependency> edges =
        CycleNames.inReadingOrder(cycle.stream().map(this::dependency).toList());
    CycleClass cycleClass = CycleNames.classOf(edges);
    return anomaly(
        name(edges, cycle),
        Optional.of(cycleClass),
        isProscribed(edges, cycleClass) ? Verdict.VIOLATION : Verdict.HAZARD,
        edges,
        cycle,
        remark);
  }

  /** Where a cycle stands among those of the same class between two transactions, worst first. */
  int rank(List<Edge> cycle) {
    return CycleNames.rank(
        name(CycleNames.inReadingOrder(cycle.stream().map(this::dependency).toList()), cycle));
  }

  /** If each of two transactions overwrote the version that both had read, an update is lost. */
  private static boolean isMutualOverwrite(List<Dependency> cycle) {
    return cycle.size() == 2
        && cycle.stream().allMatch(edge -> edge.kind() == DependencyKind.RW)
        && cycle.get(0).row() == cycle.get(1).row()
        && cycle.get(0).table().equals(cycle.get(1).table());
  }

  private Phenomenon name(List<Dependency> dependencies, List<Edge> cycle) {
    if (isMutualOverwrite(dependencies)) {
      return Phenomenon.LOST_UPDATE;
    }
    Phenomenon name = CycleNames.of(dependencies);
    return name == Phenomenon.LOST_UPDATE && readAgain(cycle) ? Phenomenon.G_SINGLE : name;
  }

  /** Whether the transaction that overwrote others' appends had read them before it did. */
  private boolean readAgain(List<Edge> cycle) {
    for (Edge edge : cycle) {
      for (int op = edge.fromOp() + 1; edge.kind() == DependencyKind.RW && op < end(edge); op++) {
        if (history.key(op) == history.key(edge.fromOp())) {
          return history.kind(op) == Kind.READ;
        }
      }
    }
    return false;
  }

  private int end(Edge edge) {
    return history.endOp(edge.from());
  }

  /**
   * Whether the level proscribes a cycle (Adya 1999, section 4.2; for snapshot isolation, Cerone
   * and Gotsman 2016, theorem 4.1).
   */
  private boolean isProscribed(List<Dependency> cycle, CycleClass cycleClass) {
    return switch (cycleClass) {
      case G0 -> true;
      case G1C -> level != IsolationLevel.READ_UNCOMMITTED;
      case G_SINGLE, G_NONADJACENT -> level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
      case G2_ITEM, G2 ->
          level == IsolationLevel.REPEATABLE_READ
              || level == IsolationLevel.SERIALIZABLE
              || level == IsolationLevel.SNAPSHOT && isMutualOverwrite(cycle);
    };
  }

  private Anomaly anomaly(
      Phenomenon phenomenon,
      Optional<CycleClass> cycleClass,
      Verdict verdict,
      List<Dependency> dependencies,
      List<Edge> edges,
      String remark) {
    return new Anomaly(
        phenomenon,
        cycleClass,
        verdict,
        Confidence.CONFIRMED,
        DATABASE,
        level,
        observed(dependencies, edges),
        dependencies,
        remark);
  }

  /** The transactions in the order of the edges. */
  private List<ObservedTransaction> observed(List<Dependency> dependencies, List<Edge> edges) {
    Map<Long, TreeSet<Integer>> operations = new LinkedHashMap<>();
    dependencies.forEach(edge -> operations.put(edge.from(), new TreeSet<>()));
    dependencies.forEach(edge -> operations.computeIfAbsent(edge.to(), id -> new TreeSet<>()));
    Map<Long, Integer> numbers = new LinkedHashMap<>();
    for (Edge edge : edges) {
      numbers.put(id(edge.from()), edge.from());
      numbers.put(id(edge.to()), edge.to());
      if (edge.fromOp() >= 0) {
        operations.computeIfAbsent(id(edge.from()), id -> new TreeSet<>()).add(edge.fromOp());
      }
      if (edge.toOp() >= 0) {
        operations.computeIfAbsent(id(edge.to()), id -> new TreeSet<>()).add(edge.toOp());
      }
    }
    List<ObservedTransaction> transactions = new ArrayList<>();
    operations.forEach(
        (id, ops) -> {
          int transaction = numbers.getOrDefault(id, 0);
          transactions.add(
              new ObservedTransaction(
                  id,
                  "process " + history.process(transaction),
                  level,
                  Optional.of(history.outcome(transaction)),
                  ops.stream().map(op -> statement(transaction, op)).toList()));
        });
    return transactions;
  }

  private Dependency dependency(Edge edge) {
    int op = Math.max(edge.fromOp(), edge.toOp());
    int key = op < 0 ? 0 : history.key(op);
    return new Dependency(
        id(edge.from()),
        id(edge.to()),
        edge.kind(),
        op < 0 ? "" : history.names().table(key, "list"),
        op < 0 ? 0 : history.names().row(key),
        number(edge.from(), edge.fromOp()),
        number(edge.to(), edge.toOp()),
        EdgeEvidence.ITEM);
  }

  private long id(int transaction) {
    return TRANSACTIONS | (indexed ? history.index(transaction) : transaction);
  }

  private int number(int transaction, int op) {
    return op < 0 ? 0 : op - history.firstOp(transaction) + 1;
  }

  private ObservedStatement statement(int transaction, int op) {
    boolean append = history.kind(op) == Kind.APPEND;
    return new ObservedStatement(
        number(transaction, op),
        append ? StatementKind.UPDATE : StatementKind.SELECT,
        text(op),
        append ? ":append" : ":r");
  }

  /** The operation as in the file. */
  private String text(int op) {
    int key = history.key(op);
    String name = history.names().table(key, Long.toString(history.names().row(key)));
    return switch (history.kind(op)) {
      case APPEND ->
          "[:append " + name + " " + history.names().valueText(history.element(op)) + "]";
      case UNKNOWN_READ -> "[:r " + name + "]";
      case READ -> "[:r " + name + " " + list(key, history.branch(op), history.length(op)) + "]";
    };
  }

  /** Why a history with two appends of one element cannot be judged. */
  String appendedTwice(ListOrder order) {
    int one = order.appendedTwice()[0];
    int other = order.appendedTwice()[1];
    return text(one)
        + " was run twice, by "
        + name(order.owner(one))
        + " and by "
        + name(order.owner(other))
        + ": which of them a read saw is unknown, so the elements of a key must differ";
  }

  private String name(int transaction) {
    return history.index(transaction) < 0
        ? "transaction " + (transaction + 1) + " of the file"
        : "the transaction with index " + history.index(transaction);
  }

  private String list(int key, int branch, int length) {
    if (length == 0) {
      return "[]";
    }
    Branch elements = history.branches(key).get(branch);
    StringBuilder text = new StringBuilder("[");
    int from = length <= MAX_DISPLAYED ? 0 : length - MAX_DISPLAYED / 2;
    text.append(from > 0 ? "… " : "");
    for (int i = from; i < length; i++) {
      text.append(i > from ? " " : "").append(history.names().valueText(elements.element(i)));
    }
    return text.append(']').toString();
  }
}
