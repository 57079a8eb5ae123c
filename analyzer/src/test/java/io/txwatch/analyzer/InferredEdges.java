package io.txwatch.analyzer;

import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.history.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** The transactions of a history that committed, and everything that they depend on, as edges. */
public final class InferredEdges implements DependencyListener {

  public final List<Transaction> committed = new ArrayList<>();

  final List<Edge> all = new ArrayList<>();

  public InferredEdges(List<Event> history) {
    DependencyInference inference = new DependencyInference(this);
    history.forEach(inference::accept);
  }

  @Override
  public void committed(Transaction transaction) {
    committed.add(transaction);
  }

  @Override
  public void dependency(Edge edge) {
    all.add(edge);
  }

  @Override
  public void wrongRead(WrongRead why, Edge read) {}

  @Override
  public void forkedWrite(Transaction one, Transaction other, Row row, int from, int to) {}

  /** Those of some kinds only, as a graph of the transactions' ids. */
  DefaultDirectedGraph<Long, DefaultEdge> graph(Set<DependencyKind> kinds) {
    DefaultDirectedGraph<Long, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    for (Edge edge : all) {
      graph.addVertex(edge.from().id());
      graph.addVertex(edge.to().id());
      if (kinds.contains(edge.kind())) {
        graph.addEdge(edge.from().id(), edge.to().id());
      }
    }
    return graph;
  }
}
