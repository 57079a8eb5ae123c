package io.txwatch.register;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.CycleClass;
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
import io.txwatch.register.Cycles.Edge;
import io.txwatch.register.ReadsFrom.ReadAnomaly;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Converts findings in a register history to anomalies. */
final class RegisterAnomalies {

  private static final long TRANSACTIONS = 1L << 32;

  private final RegisterHistory history;
  private final IsolationLevel level;
  private final boolean labelled;

  RegisterAnomalies(RegisterHistory history, IsolationLevel level) {
    this.history = history;
    this.level = level;
    Set<Long> labels = new HashSet<>();
    boolean unique = true;
    for (int t = 0; t < history.transactions(); t++) {
      long label = history.label(t);
      unique &= label >= 0 && label <= Integer.MAX_VALUE && labels.add(label);
    }
    this.labelled = unique;
  }

  Anomaly of(ReadAnomaly wrong) {
    boolean pair = wrong.phenomenon() == Phenomenon.NON_REPEATABLE_READ;
    return anomaly(
        wrong.phenomenon(),
        Optional.empty(),
        List.of(
            new Edge(
                wrong.from(),
                wrong.to(),
                pair ? DependencyKind.RW : DependencyKind.WR,
                wrong.fromOp(),
                wrong.toOp())));
  }

  Anomaly of(List<Edge> cycle) {
    CycleClass cycleClass = classOf(cycle);
    return anomaly(name(cycle, cycleClass), Optional.of(cycleClass), fromRw(cycle, cycleClass));
  }

  /** Rotates a cycle to start with its rw edge, out of the affected transaction. */
  private static List<Edge> fromRw(List<Edge> cycle, CycleClass cycleClass) {
    int first = 0;
    while (first < cycle.size() && cycle.get(first).kind() != DependencyKind.RW) {
      first++;
    }
    if (first == cycle.size() || cycleClass == CycleClass.G0) {
      return cycle;
    }
    List<Edge> turned = new ArrayList<>(cycle.subList(first, cycle.size()));
    turned.addAll(cycle.subList(0, first));
    return turned;
  }

  private static CycleClass classOf(List<Edge> cycle) {
    return CycleClass.of(cycle.size(), i -> cycle.get(i).kind());
  }

  private Phenomenon name(List<Edge> cycle, CycleClass cycleClass) {
    boolean pair = cycle.size() == 2;
    boolean sessions = cycle.stream().anyMatch(edge -> edge.kind().isOrder());
    boolean oneKey =
        !sessions && cycle.stream().map(edge -> history.key(edge.toOp())).distinct().count() == 1;
    boolean ww = cycle.stream().anyMatch(edge -> edge.kind() == DependencyKind.WW);
    return switch (cycleClass) {
      case G0 -> Phenomenon.DIRTY_WRITE;
      case G1C -> Phenomenon.CIRCULAR_INFORMATION_FLOW;
      case G_SINGLE ->
          !pair || sessions
              ? Phenomenon.G_SINGLE
              : oneKey ? singleOfOneKey(ww) : singleOfTwoKeys(ww);
      case G_NONADJACENT ->
          cycle.size() == 4 && !sessions && !ww ? Phenomenon.LONG_FORK : Phenomenon.G_NONADJACENT;
      case G2_ITEM, G2 -> pair ? adjacent(oneKey) : Phenomenon.G2_ITEM;
    };
  }

  private static Phenomenon singleOfOneKey(boolean ww) {
    return ww ? Phenomenon.LOST_UPDATE : Phenomenon.NON_REPEATABLE_READ;
  }

  private static Phenomenon singleOfTwoKeys(boolean ww) {
    return ww ? Phenomenon.READ_WRITE_SKEW : Phenomenon.READ_SKEW;
  }

  private static Phenomenon adjacent(boolean oneKey) {
    return oneKey ? Phenomenon.LOST_UPDATE : Phenomenon.WRITE_SKEW;
  }

  private Anomaly anomaly(
      Phenomenon phenomenon, Optional<CycleClass> cycleClass, List<Edge> edges) {
    List<ObservedTransaction> transactions = new ArrayList<>();
    Set<Integer> seen = new HashSet<>();
    for (Edge edge : edges) {
      if (seen.add(edge.from())) {
        transactions.add(observed(edge.from(), edges));
      }
    }
    for (Edge edge : edges) {
      if (seen.add(edge.to())) {
        transactions.add(observed(edge.to(), edges));
      }
    }
    return new Anomaly(
        phenomenon,
        cycleClass,
        RegisterCheck.isProscribed(phenomenon, level) ? Verdict.VIOLATION : Verdict.HAZARD,
        Confidence.CONFIRMED,
        new Database(new Product(history.what(), ""), Map.of()),
        level,
        transactions,
        edges.stream().map(this::dependency).toList(),
        "");
  }

  private Dependency dependency(Edge edge) {
    boolean so = edge.toOp() < 0;
    int key = so ? 0 : history.key(edge.toOp());
    return new Dependency(
        id(edge.from()),
        id(edge.to()),
        edge.kind(),
        so ? "" : history.keys().table(key, "register"),
        so ? 0 : history.keys().row(key),
        so ? 0 : number(edge.from(), edge.fromOp()),
        so ? 0 : number(edge.to(), edge.toOp()),
        EdgeEvidence.ITEM);
  }

  private ObservedTransaction observed(int transaction, List<Edge> edges) {
    TreeSet<Integer> ops = new TreeSet<>();
    for (Edge edge : edges) {
      if (edge.from() == transaction && edge.fromOp() >= 0) {
        ops.add(edge.fromOp());
      }
      if (edge.to() == transaction && edge.toOp() >= 0) {
        ops.add(edge.toOp());
      }
    }
    return new ObservedTransaction(
        id(transaction),
        history.sessionName(history.session(transaction)),
        level,
        Optional.of(history.outcome(transaction)),
        ops.stream().map(op -> statement(transaction, op)).toList());
  }

  private ObservedStatement statement(int transaction, int op) {
    int key = history.key(op);
    String name = history.keys().table(key, Long.toString(history.keys().row(key)));
    boolean write = history.kind(op) == RegisterHistory.Kind.WRITE;
    String value =
        history.kind(op) == RegisterHistory.Kind.READ_INITIAL
            ? "nil"
            : history.keys().valueText(history.value(op));
    return new ObservedStatement(
        number(transaction, op),
        write ? StatementKind.UPDATE : StatementKind.SELECT,
        (write ? "[:w " : "[:r ") + name + " " + value + "]",
        write ? ":w" : ":r");
  }

  private int number(int transaction, int op) {
    return op - history.firstOp(transaction) + 1;
  }

  private long id(int transaction) {
    return TRANSACTIONS | (labelled ? history.label(transaction) : transaction);
  }
}
