package io.txwatch.dependency;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Simulation.Mode;
import io.txwatch.history.Event;
import java.util.List;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.jgrapht.alg.interfaces.ShortestPathAlgorithm;
import org.jgrapht.alg.shortestpath.BFSShortestPath;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** Properties of the dependencies of every history whose items are columns. */
class ColumnProperties {

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
   * So there is no cycle of columns where there is none of rows. Without dirty reads: of rows,
   * those are reported as such instead of as dependencies.
   */
  @Property(tries = 300)
  void dependencyThroughColumnsImpliesAPathThroughRows(
      @ForAll("modesWithoutDirtyReads") Mode mode,
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 3) int rows,
      @ForAll @IntRange(min = 1, max = 14) int transactions) {
    List<Event> history = history(mode, new Random(seed), rows, transactions);
    var byRow = graph(history, Granularity.ROW);
    ShortestPathAlgorithm<Long, DefaultEdge> paths = new BFSShortestPath<>(byRow);
    var byColumn = graph(history, Granularity.COLUMN);
    for (DefaultEdge edge : byColumn.edgeSet()) {
      long from = byColumn.getEdgeSource(edge);
      long to = byColumn.getEdgeTarget(edge);
      assertThat(byRow.vertexSet()).contains(from, to);
      assertThat(paths.getPath(from, to)).as("%d to %d", from, to).isNotNull();
    }
  }

  private static List<Event> history(Mode mode, Random random, int rows, int transactions) {
    return ColumnReference.withColumns(
        Simulation.run(mode, random, 4, transactions, rows, false), random);
  }

  private static DefaultDirectedGraph<Long, DefaultEdge> graph(
      List<Event> history, Granularity granularity) {
    DefaultDirectedGraph<Long, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    DependencyListener listener =
        new DependencyListener() {
          @Override
          public void committed(Transaction transaction) {
            graph.addVertex(transaction.id());
          }

          @Override
          public void dependency(Edge edge) {
            graph.addVertex(edge.from().id());
            graph.addVertex(edge.to().id());
            graph.addEdge(edge.from().id(), edge.to().id());
          }

          @Override
          public void wrongRead(WrongRead why, Edge read) {}

          @Override
          public void forkedWrite(Transaction one, Transaction other, Row row, int from, int to) {}
        };
    DependencyInference inference =
        new DependencyInference(listener, Set.of(), Long.MAX_VALUE, granularity);
    history.forEach(inference::accept);
    return graph;
  }

  /** All but BROKEN, in which lists contradict each other. */
  @Provide
  Arbitrary<Mode> modes() {
    return Arbitraries.of(Mode.SERIAL, Mode.SNAPSHOT, Mode.READ_COMMITTED, Mode.READ_UNCOMMITTED);
  }

  @Provide
  Arbitrary<Mode> modesWithoutDirtyReads() {
    return Arbitraries.of(Mode.SERIAL, Mode.SNAPSHOT, Mode.READ_COMMITTED);
  }
}
