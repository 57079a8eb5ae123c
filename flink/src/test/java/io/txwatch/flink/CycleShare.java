package io.txwatch.flink;

import io.txwatch.dependency.DependencyInference;
import io.txwatch.dependency.DependencyListener;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.KnownRow;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import io.txwatch.dependency.WrongRead;
import io.txwatch.graph.DependencyGraph;
import io.txwatch.history.Event;
import io.txwatch.version.VersionResolver;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Counts the dependencies of a history that can be part of a cycle.
 *
 * <p>A cycle contains an edge against the order of commits. Around an edge along the order, it
 * leads back from the later transaction to the earlier one, so that each place between them is
 * spanned by an edge against the order. An edge of which one place is not can be in no cycle.
 */
final class CycleShare implements Consumer<Event> {

  private static final long MEMORY = 1 << 26;

  private final DependencyGraph graph = new DependencyGraph();
  private final List<Edge> edges = new ArrayList<>();
  private final DependencyInference inference =
      new DependencyInference(
          new DependencyListener() {
            @Override
            public void committed(Transaction transaction) {
              graph.add(transaction);
            }

            @Override
            public void dependency(Edge edge) {
              if (edge.from().node >= 0 && edge.to().node >= 0 && edge.from() != edge.to()) {
                graph.add(edge);
                edges.add(edge);
              }
            }

            @Override
            public void wrongRead(WrongRead why, Edge read) {}

            @Override
            public void forkedWrite(
                Transaction first,
                Transaction second,
                Row row,
                int firstStatement,
                int secondStatement) {}
          });
  private final VersionResolver versions =
      new VersionResolver(
          inference::accept,
          new VersionResolver.Listener() {
            @Override
            public void known(long session, long transaction, int statement, List<KnownRow> rows) {
              inference.known(session, transaction, statement, rows);
            }
          },
          MEMORY);

  @Override
  public void accept(Event event) {
    if (!(event instanceof Event.ValuesRecorded)) {
      versions.accept(event);
    }
  }

  /** Columns of a table: the edges; in %, those against the order, spanned by one, on a cycle. */
  String columns() {
    versions.flush();
    int[] spans = new int[graph.size() + 1];
    for (Edge edge : edges) {
      if (isAgainst(edge)) {
        spans[edge.to().node]++;
        spans[edge.from().node]--;
      }
    }
    // The number of places before each transaction that no edge against the order spans.
    int[] free = new int[graph.size() + 1];
    int open = 0;
    for (int node = 0; node < graph.size(); node++) {
      open += spans[node];
      free[node + 1] = free[node] + (open == 0 ? 1 : 0);
    }
    long against = edges.stream().filter(CycleShare::isAgainst).count();
    long spanned =
        edges.stream()
            .filter(edge -> !isAgainst(edge) && free[edge.from().node] == free[edge.to().node])
            .count();
    long cyclic = edges.stream().filter(graph::isOnCycle).count();
    return String.format(
        Locale.ROOT,
        "%,d | %.1f %% | %.1f %% | %.1f %%",
        edges.size(),
        100.0 * against / edges.size(),
        100.0 * spanned / edges.size(),
        100.0 * cyclic / edges.size());
  }

  /** Whether its target committed before its source. */
  private static boolean isAgainst(Edge edge) {
    return edge.to().node < edge.from().node;
  }
}
