package io.txwatch.format;

import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.KnownChange;
import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.history.Event;
import io.txwatch.history.HistoryReader;
import io.txwatch.version.VersionResolver;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.AsSubgraph;
import org.jgrapht.graph.DirectedPseudograph;
import org.jgrapht.nio.Attribute;
import org.jgrapht.nio.DefaultAttribute;
import org.jgrapht.nio.dot.DOTExporter;

/**
 * Exports the dependency graph of a history in Graphviz's DOT format: a node for each committed
 * transaction, and an edge for each dependency, labeled with the statements at its ends, dashed if
 * it is only possible.
 *
 * <p>A graph of a hundred thousand transactions is unreadable, so by default only transactions on
 * cycles are exported. The whole graph is built in memory.
 */
public final class GraphExport implements DependencyListener {

  private final Graph<Transaction, Edge> graph = new DirectedPseudograph<>(Edge.class);

  /**
   * What was exported.
   *
   * @param transactions the exported transactions
   * @param dependencies the dependencies between them
   * @param of the committed transactions
   */
  public record Written(int transactions, int dependencies, int of) {}

  private GraphExport() {}

  /**
   * Exports the graph of a history file.
   *
   * @param all whether to include transactions on no cycle
   * @throws io.txwatch.history.HistoryFormatException if it is not a txwatch history
   */
  public static Written write(Path history, boolean all, Writer out) throws IOException {
    GraphExport export = new GraphExport();
    VersionResolver resolver = export.resolver();
    try (HistoryReader reader = HistoryReader.open(history)) {
      reader.forEach(resolver::accept);
    }
    resolver.flush();
    return export.write(all, out);
  }

  /** The same of events. */
  static Written write(List<Event> events, boolean all, Writer out) {
    GraphExport export = new GraphExport();
    VersionResolver resolver = export.resolver();
    events.forEach(resolver::accept);
    resolver.flush();
    return export.write(all, out);
  }

  private VersionResolver resolver() {
    DependencyInference inference = new DependencyInference(this);
    VersionResolver.Listener listener =
        new VersionResolver.Listener() {
          @Override
          public void known(long session, long transaction, int statement, List<KnownRow> rows) {
            inference.known(session, transaction, statement, rows);
          }

          @Override
          public void matters(KnownChange change) {
            inference.matters(change);
          }

          @Override
          public void notWatched(List<Event> events) {
            events.forEach(inference::accept);
          }
        };
    return new VersionResolver(inference::accept, listener, Runtime.getRuntime().maxMemory() / 8);
  }

  @Override
  public void committed(Transaction transaction) {
    graph.addVertex(transaction);
  }

  @Override
  public void dependency(Edge edge) {
    graph.addEdge(edge.from(), edge.to(), edge); // equal edges are redundant
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {}

  @Override
  public void forkedWrite(
      Transaction first, Transaction second, Row row, int firstStatement, int secondStatement) {
    Edge.ofForkedWrite(first, second, row, firstStatement, secondStatement)
        .forEach(this::dependency);
  }

  private Written write(boolean all, Writer out) {
    Graph<Transaction, Edge> shown = all ? graph : new AsSubgraph<>(graph, onCycles());
    Map<Transaction, String> names = new HashMap<>();
    for (Transaction transaction : shown.vertexSet()) {
      names.put(transaction, "t" + (names.size() + 1));
    }
    DOTExporter<Transaction, Edge> exporter =
        new DOTExporter<>(transaction -> names.getOrDefault(transaction, ""));
    exporter.setGraphIdProvider(() -> "dependencies");
    exporter.setVertexAttributeProvider(GraphExport::node);
    exporter.setEdgeAttributeProvider(GraphExport::attributes);
    exporter.exportGraph(shown, out);
    return new Written(shown.vertexSet().size(), shown.edgeSet().size(), graph.vertexSet().size());
  }

  /** In commit order, so that the same history always yields the same output. */
  private Set<Transaction> onCycles() {
    Set<Transaction> cyclic = new HashSet<>();
    for (Set<Transaction> strong :
        new KosarajuStrongConnectivityInspector<>(graph).stronglyConnectedSets()) {
      if (strong.size() > 1) {
        cyclic.addAll(strong);
      }
    }
    Set<Transaction> inOrder = new LinkedHashSet<>(graph.vertexSet());
    inOrder.retainAll(cyclic);
    return inOrder;
  }

  private static Map<String, Attribute> node(Transaction transaction) {
    return Map.of(
        "label",
        text(
            harmless(transaction.toString())
                + "\\n"
                + harmless(transaction.sessionName())
                + "\\n"
                + transaction.level()));
  }

  private static Map<String, Attribute> attributes(Edge edge) {
    Map<String, Attribute> attributes = new LinkedHashMap<>();
    attributes.put("label", text(edge.kind().term() + " " + harmless(edge.row().toString())));
    attributes.put("taillabel", text(Integer.toString(edge.fromStatement())));
    attributes.put("headlabel", text(Integer.toString(edge.toStatement())));
    if (edge.evidence().possible()) {
      attributes.put("style", text("dashed"));
    }
    return attributes;
  }

  private static Attribute text(String text) {
    return DefaultAttribute.createAttribute(text);
  }

  /**
   * Names come from SQL. The exporter escapes quotes, but not the backslash that could undo this.
   */
  private static String harmless(String name) {
    return name.replaceAll("[\\\\\\p{Cntrl}]", "?");
  }
}
