package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.RowAccess;
import io.txwatch.history.WriterList;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jgrapht.alg.interfaces.ShortestPathAlgorithm;
import org.jgrapht.alg.shortestpath.BFSShortestPath;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** Properties of the dependencies of every history whose items are columns. */
class ColumnProperties implements SimulatedModes {

  @Property
  void incrementalInferenceEqualsThatOfEachColumn(
      @ForAll("modes") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    Random random = new Random(seed);
    List<Event> history = history(mode, random, rows, transactions);
    Set<String> expected = new ColumnReference(history).all;
    assertThat(new DependencyRecorder(history).all).isEqualTo(expected);
    assertThat(new DependencyRecorder(Interleavings.reordered(history, random)).all)
        .isEqualTo(expected);
  }

  /**
   * T8 read an intermediate version of T1 by a column that T1 wrote before and again later. In some
   * orders of arrival the versions of T1 are not settled in the order of the row.
   */
  @Example
  void theOrderOfArrivalDoesNotMatterToReadsOfIntermediateVersions() {
    List<Event> history = history(Mode.READ_UNCOMMITTED, new Random(2183), 2, 13);
    Set<String> expected = new ColumnReference(history).all;
    assertThat(expected).contains("G1b 1.5>8.1 row 0").doesNotContain("rw 8.1>1.11 row 0");
    for (int i = 0; i < 100; i++) {
      List<Event> reordered = Interleavings.reordered(history, new Random(i));
      assertThat(new DependencyRecorder(reordered).all).as("order %d", i).isEqualTo(expected);
    }
  }

  /**
   * So there is no cycle of columns where there is none of rows. Without dirty reads: of rows,
   * those are reported as such instead of as dependencies. And without reads of an own version that
   * its writer undid: of rows, the reader read nothing of others then.
   */
  @Property
  void dependencyThroughColumnsImpliesAPathThroughRows(
      @ForAll("modesWithoutDirtyReads") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    List<Event> history = history(mode, new Random(seed), rows, transactions);
    ShortestPathAlgorithm<Long, DefaultEdge> byRow =
        new BFSShortestPath<>(graph(history, edges(history, Granularity.ROW)));
    Set<String> exceptions = readsOfUndoneOwnVersions(history);
    for (Edge edge : edges(history, Granularity.COLUMN)) {
      if (!exceptions.contains(reader(edge))) {
        assertThat(byRow.getPath(edge.from().id(), edge.to().id())).as("%s", edge).isNotNull();
      }
    }
  }

  /** The read at one end of a dependency; empty for ww. */
  private static String reader(Edge edge) {
    return switch (edge.kind()) {
      case WR -> edge.to().id() + "." + edge.toStatement();
      case RW -> edge.from().id() + "." + edge.fromStatement();
      default -> "";
    };
  }

  /** The reads of versions whose writer is the reader, and which it undid later. */
  private static Set<String> readsOfUndoneOwnVersions(List<Event> history) {
    Map<Long, List<Event.StatementsUndone>> undone = new HashMap<>();
    for (Event event : history) {
      if (event instanceof Event.StatementsUndone e) {
        undone.computeIfAbsent(e.transaction(), transaction -> new ArrayList<>()).add(e);
      }
    }
    Set<String> reads = new HashSet<>();
    for (Event event : history) {
      if (event instanceof Event.StatementExecuted e) {
        for (RowAccess access : e.rows()) {
          WriterList list = access.writers();
          int last = list.size() - 1;
          if (access.access() == Access.READ
              && last >= 0
              && list.transaction(last) == e.transaction()
              && undone.getOrDefault(e.transaction(), List.of()).stream()
                  .anyMatch(
                      range ->
                          list.statement(last) >= range.firstStatement()
                              && list.statement(last) <= range.lastStatement())) {
            reads.add(e.transaction() + "." + e.statement());
          }
        }
      }
    }
    return reads;
  }

  private static List<Event> history(Mode mode, Random random, int rows, int transactions) {
    return ColumnReference.withColumns(
        Simulation.run(mode, random, 4, transactions, rows, false), random);
  }

  private static DefaultDirectedGraph<Long, DefaultEdge> graph(
      List<Event> history, List<Edge> edges) {
    DefaultDirectedGraph<Long, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    for (Event event : history) {
      if (event instanceof Event.TransactionEnded e) {
        graph.addVertex(e.transaction());
      }
    }
    for (Edge edge : edges) {
      graph.addEdge(edge.from().id(), edge.to().id());
    }
    return graph;
  }

  private static List<Edge> edges(List<Event> history, Granularity granularity) {
    List<Edge> edges = new ArrayList<>();
    DependencyListener listener =
        new DependencyListener() {
          @Override
          public void committed(Transaction transaction) {}

          @Override
          public void dependency(Edge edge) {
            edges.add(edge);
          }

          @Override
          public void wrongRead(WrongRead why, Edge read) {}

          @Override
          public void forkedWrite(Transaction one, Transaction other, Row row, int from, int to) {}
        };
    DependencyInference inference =
        new DependencyInference(listener, Set.of(), Long.MAX_VALUE, granularity);
    history.forEach(inference::accept);
    return edges;
  }
}
