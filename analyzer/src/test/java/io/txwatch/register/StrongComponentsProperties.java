package io.txwatch.register;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random graphs; two nodes lie on a cycle together if each is reached from the other. */
class StrongComponentsProperties {

  @Property
  void componentsAreTheMutuallyReachableNodes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int nodes,
      @ForAll @IntRange(max = 24) int tries) {
    int[][] edges =
        new Random(seed)
            .ints(tries, 0, nodes * nodes)
            .mapToObj(pair -> new int[] {pair / nodes, pair % nodes})
            .filter(edge -> edge[0] != edge[1])
            .toArray(int[][]::new);
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
    int[] component = StrongComponents.of(nodes, ends(edges, 0), ends(edges, 1));
    for (int one = 0; one < nodes; one++) {
      assertThat(component[one] >= 0).isEqualTo(reaches[one][one]);
      for (int other = 0; other < nodes; other++) {
        assertThat(component[one] >= 0 && component[one] == component[other])
            .isEqualTo(reaches[one][other] && reaches[other][one]);
      }
    }
  }

  private static int[] ends(int[][] edges, int end) {
    return Arrays.stream(edges).mapToInt(edge -> edge[end]).toArray();
  }
}
