package io.txwatch.graph;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.jgrapht.Graph;
import org.jgrapht.alg.connectivity.KosarajuStrongConnectivityInspector;
import org.jgrapht.graph.DefaultDirectedGraph;
import org.jgrapht.graph.DefaultEdge;

/** Random graphs; two nodes lie on a cycle together if each is reached from the other. */
class StrongComponentsProperties {

  @Property
  void componentsAreTheMutuallyReachableNodes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll @IntRange(max = 24) int tries) {
    int[][] edges = randomEdges(new Random(seed), nodes, tries);
    boolean[][] reaches = new boolean[nodes][nodes];
    for (int[] edge : edges) {
      reaches[edge[0]][edge[1]] = true;
    }
    for (int via = 0; via < nodes; via++) {
      for (int from = 0; from < nodes; from++) {
        for (int to = 0; to < nodes; to++) {
          reaches[from][to] |= reaches[from][via] && reaches[via][to];
        }
      }
    }
    int[] component = StrongComponents.of(new EdgeArray(nodes, edges));
    for (int one = 0; one < nodes; one++) {
      assertThat(component[one] >= 0).isEqualTo(reaches[one][one]);
      for (int other = 0; other < nodes; other++) {
        assertThat(component[one] >= 0 && component[one] == component[other])
            .isEqualTo(reaches[one][other] && reaches[other][one]);
      }
    }
  }

  @Property
  void componentsAreThoseOfJGraphT(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 60) int nodes,
      @ForAll @IntRange(max = 90) int tries) {
    int[][] edges = randomEdges(new Random(seed), nodes, tries);
    Graph<Integer, DefaultEdge> graph = new DefaultDirectedGraph<>(DefaultEdge.class);
    for (int node = 0; node < nodes; node++) {
      graph.addVertex(node);
    }
    for (int[] edge : edges) {
      graph.addEdge(edge[0], edge[1]);
    }
    int[] component = StrongComponents.of(new EdgeArray(nodes, edges));
    Set<Set<Integer>> found =
        IntStream.range(0, nodes)
            .filter(node -> component[node] >= 0)
            .boxed()
            .collect(Collectors.groupingBy(node -> component[node], Collectors.toSet()))
            .values()
            .stream()
            .collect(Collectors.toSet());
    assertThat(found)
        .isEqualTo(
            new KosarajuStrongConnectivityInspector<>(graph)
                .stronglyConnectedSets().stream()
                    .filter(set -> set.size() > 1)
                    .collect(Collectors.toSet()));
  }

  private static int[][] randomEdges(Random random, int nodes, int tries) {
    return random
        .ints(tries, 0, nodes * nodes)
        .mapToObj(pair -> new int[] {pair / nodes, pair % nodes})
        .filter(edge -> edge[0] != edge[1])
        .toArray(int[][]::new);
  }

  /** Edges without an order: the ones out of a node are found by search. */
  private record EdgeArray(int nodes, int[][] edges) implements StrongComponents.Edges {
    @Override
    public int first(int node) {
      return next(node, -1);
    }

    @Override
    public int next(int node, int edge) {
      for (int later = edge + 1; later < edges.length; later++) {
        if (edges[later][0] == node) {
          return later;
        }
      }
      return -1;
    }

    @Override
    public int target(int node, int edge) {
      return edges[edge][1];
    }
  }
}
