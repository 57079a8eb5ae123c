package io.txwatch.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.analyzer.InferredEdges;
import io.txwatch.analyzer.Notation;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.Edge;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.dependency.Row;
import io.txwatch.dependency.Transaction;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** Compares the live graph with JGraphT's components after every edge of random graphs. */
class DependencyGraphProperties {

  /** A graph of ours and one of JGraphT's that have the same nodes and edges. */
  private static final class Twins {
    private final DependencyGraph ours = new DependencyGraph();
    private final DefaultDirectedGraph<Transaction, DefaultEdge> theirs =
        new DefaultDirectedGraph<>(DefaultEdge.class);
    private final List<Edge> edges = new ArrayList<>();

    void add(Transaction transaction) {
      ours.add(transaction);
      theirs.addVertex(transaction);
    }

    /** Adds an edge; returns whether it closes a cycle, on which both graphs must agree. */
    boolean add(Transaction from, Transaction to) {
      Edge edge = new Edge(from, to, DependencyKind.WW, Row.NONE, 0, 0, EdgeEvidence.ITEM);
      boolean closes = ours.add(edge);
      theirs.addEdge(from, to);
      edges.add(edge);
      Map<Transaction, Integer> component = new HashMap<>();
      List<Set<Transaction>> components =
          new KosarajuStrongConnectivityInspector<>(theirs).stronglyConnectedSets();
      for (int i = 0; i < components.size(); i++) {
        for (Transaction transaction : components.get(i)) {
          component.put(transaction, i);
        }
      }
      assertThat(closes).isEqualTo(Objects.equals(component.get(from), component.get(to)));
      for (Edge one : edges) {
        assertThat(ours.isOnCycle(one))
            .isEqualTo(Objects.equals(component.get(one.from()), component.get(one.to())));
      }
      return closes;
    }
  }

  @Property(tries = 200)
  void edgeIsOnACycleIfBothEndsAreInOneComponent(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 25) int nodes,
      @ForAll @IntRange(min = 1, max = 60) int edges) {
    Random random = new Random(seed);
    Twins twins = new Twins();
    List<Transaction> there = new ArrayList<>();
    List<Transaction> toCome = transactions(nodes);
    for (int i = 0; i < edges; i++) {
      while (there.size() < 2 || !toCome.isEmpty() && random.nextInt(3) == 0) {
        Transaction next = toCome.remove(toCome.size() - 1);
        twins.add(next);
        there.add(next);
      }
      Transaction from = there.get(random.nextInt(there.size()));
      Transaction to = there.get(random.nextInt(there.size()));
      if (from != to) {
        twins.add(from, to);
      }
    }
  }

  /**
   * Edges in one direction only, added in any order: node order is maintained and no cycle is
   * found.
   */
  @Property(tries = 200)
  void acyclicGraphHasNoCycle(@ForAll long seed, @ForAll @IntRange(min = 2, max = 25) int nodes) {
    Random random = new Random(seed);
    Twins twins = new Twins();
    List<Transaction> line = transactions(nodes);
    line.forEach(twins::add);
    Collections.shuffle(line, random);
    List<int[]> edges = new ArrayList<>();
    for (int from = 0; from < nodes; from++) {
      for (int to = from + 1; to < nodes; to++) {
        if (random.nextInt(4) == 0) {
          edges.add(new int[] {from, to});
        }
      }
    }
    Collections.shuffle(edges, random);
    for (int[] edge : edges) {
      assertThat(twins.add(line.get(edge[0]), line.get(edge[1]))).isFalse();
    }
  }

  /** Transactions that have committed and depend on nothing. */
  static List<Transaction> transactions(int count) {
    return new InferredEdges(
            Notation.events(
                IntStream.rangeClosed(1, count)
                    .mapToObj(i -> "r" + i + "(x0) c" + i)
                    .collect(Collectors.joining(" "))))
        .committed;
  }
}
