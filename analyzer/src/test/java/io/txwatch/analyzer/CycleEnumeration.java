package io.txwatch.analyzer;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.CycleClassifier;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.alg.cycle.JohnsonSimpleCycles;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** Judges the anomalies of a small history by an enumeration of all cycles. */
public final class CycleEnumeration {

  private CycleEnumeration() {}

  /**
   * Asserts that for each strong component the worst class of its cycles was reported, and nothing
   * outside the components.
   */
  public static void assertWorstCyclesReported(List<Event> history, List<Anomaly> reported) {
    InferredEdges edges = new InferredEdges(history);
    Map<Set<Long>, CycleClass> worst = worstByComponent(edges);
    Map<Set<Long>, CycleClass> classes = new HashMap<>();
    for (Anomaly anomaly : reported) {
      boolean fork = anomaly.cycle().stream().allMatch(e -> !contains(edges, e));
      if (anomaly.cycleClass().isEmpty() || fork) {
        continue;
      }
      Set<Long> component =
          worst.keySet().stream()
              .filter(c -> c.contains(anomaly.cycle().get(0).from()))
              .findFirst()
              .orElseThrow();
      assertThat(component).containsAll(anomaly.cycle().stream().map(Dependency::to).toList());
      classes.merge(
          component, anomaly.cycleClass().orElseThrow(), (a, b) -> a.compareTo(b) < 0 ? a : b);
    }
    // Rereads excuse a write; then the component's worst may be another, or none.
    worst.forEach(
        (component, cycleClass) -> {
          if (classes.containsKey(component) || !excusable(edges, component)) {
            assertThat(classes).containsKey(component);
            if (!excusable(edges, component)) {
              assertThat(classes).containsEntry(component, cycleClass);
            }
          }
        });
  }

  /** The anomalies without a cycle, by the transactions between which they are. */
  public static Set<String> direct(List<Anomaly> anomalies) {
    Set<String> texts = new TreeSet<>();
    for (Anomaly anomaly : anomalies) {
      if (anomaly.cycleClass().isEmpty()) {
        Dependency edge = anomaly.cycle().get(0);
        texts.add(anomaly.phenomenon() + " " + edge.from() + ">" + edge.to());
      }
    }
    return texts;
  }

  /** The worst phenomenon reported for each pair of transactions. */
  public static Map<String, Phenomenon> pairs(List<Anomaly> anomalies) {
    Map<String, Phenomenon> pairs = new TreeMap<>();
    for (Anomaly anomaly : anomalies) {
      if (anomaly.cycle().size() == 2) {
        long from = anomaly.cycle().get(0).from();
        long to = anomaly.cycle().get(0).to();
        // A later report for the same pair is worse than an earlier one.
        pairs.put(Math.min(from, to) + "," + Math.max(from, to), anomaly.phenomenon());
      }
    }
    return pairs;
  }

  private static Map<Set<Long>, CycleClass> worstByComponent(InferredEdges edges) {
    Map<Set<Long>, CycleClass> worst = new HashMap<>();
    DefaultDirectedGraph<Long, DefaultEdge> graph = edges.graph(Set.of(DependencyKind.values()));
    for (Set<Long> component :
        new KosarajuStrongConnectivityInspector<>(graph).stronglyConnectedSets()) {
      if (component.size() > 1) {
        worst.put(component, CycleClass.G2_ITEM);
      }
    }
    new JohnsonSimpleCycles<>(graph)
        .findSimpleCycles(
            cycle -> {
              Set<Long> component =
                  worst.keySet().stream()
                      .filter(c -> c.containsAll(cycle))
                      .findFirst()
                      .orElseThrow();
              forEachChoice(
                  edges,
                  cycle,
                  0,
                  new ArrayList<>(),
                  choice ->
                      worst.merge(
                          component,
                          CycleClassifier.classOf(choice),
                          (a, b) -> a.compareTo(b) < 0 ? a : b));
            });
    return worst;
  }

  /** A cycle of transactions may run along several edges from each to the next. */
  private static void forEachChoice(
      InferredEdges edges,
      List<Long> cycle,
      int at,
      List<Edge> chosen,
      Consumer<List<Edge>> action) {
    if (at == cycle.size()) {
      action.accept(chosen);
      return;
    }
    long from = cycle.get(at);
    long to = cycle.get((at + 1) % cycle.size());
    Set<DependencyKind> kinds = new HashSet<>();
    for (Edge edge : edges.all) {
      if (edge.from().id() == from && edge.to().id() == to && kinds.add(edge.kind())) {
        chosen.add(edge);
        forEachChoice(edges, cycle, at + 1, chosen, action);
        chosen.remove(chosen.size() - 1);
      }
    }
  }

  /** Whether some transaction of a component read a row twice, so that a cycle may be excused. */
  private static boolean excusable(InferredEdges edges, Set<Long> component) {
    return edges.all.stream()
        .map(Edge::from)
        .filter(t -> component.contains(t.id()))
        .distinct()
        .anyMatch(
            t ->
                edges.all.stream()
                    .filter(edge -> edge.from() == t)
                    .anyMatch(edge -> t.rereads(edge.row(), edge.columns(), 0, Integer.MAX_VALUE)));
  }

  private static boolean contains(InferredEdges edges, Dependency dependency) {
    return edges.all.stream().anyMatch(edge -> text(edge).equals(text(dependency)));
  }

  static String text(Edge e) {
    return text(
        new Dependency(
            e.from().id(),
            e.to().id(),
            e.kind(),
            e.row().table(),
            e.row().id(),
            e.fromStatement(),
            e.toStatement(),
            e.evidence()));
  }

  static String text(Dependency dependency) {
    return dependency.toString();
  }
}
