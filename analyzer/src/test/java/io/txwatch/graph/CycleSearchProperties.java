package io.txwatch.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.dependency.Edge;
import io.txwatch.graph.CycleSearch.Shape;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Compares the search for a minimal cycle with an enumeration of all cycles of random graphs. */
class CycleSearchProperties {

  private static final int UNLIMITED = Integer.MAX_VALUE;

  @Property
  void cycleHasFewestTransactionsAndOfThoseFewestSuppositions(
      @ForAll long seed,
      @ForAll @IntRange(min = 2, max = 6) int nodes,
      @ForAll @IntRange(min = 2, max = 16) int edges) {
    RandomGraph random = new RandomGraph(new Random(seed), nodes, edges);
    CycleSearch search = new CycleSearch(random.graph(), UNLIMITED);
    for (Edge edge : random.edges) {
      for (Shape shape : Shape.values()) {
        List<Edge> found = search.shortest(edge, shape);
        Optional<List<Edge>> best =
            random.cyclesThrough(edge).stream()
                .filter(cycle -> RandomGraph.has(cycle, shape))
                .min(RandomGraph.MINIMAL_FIRST);
        if (found.isEmpty()) {
          assertThat(best.isEmpty() || random.hasSmaller(shape, best)).isTrue();
        } else {
          assertThat(random.cyclesThrough(edge)).contains(found);
          assertThat(RandomGraph.has(found, shape)).isTrue();
          assertThat(found).hasSize(best.orElseThrow().size());
          assertThat(RandomGraph.suppositions(found))
              .isEqualTo(RandomGraph.suppositions(best.orElseThrow()));
        }
      }
    }
  }

  /** Whatever the budget: a cycle that was found is one of the shortest. */
  @Property
  void cycleIsShortestWhenTheBudgetIsUsedUp(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 20) int budget) {
    RandomGraph random = new RandomGraph(new Random(seed), 6, 20);
    DependencyGraph graph = random.graph();
    CycleSearch search = new CycleSearch(graph, budget);
    CycleSearch unlimited = new CycleSearch(graph, UNLIMITED);
    for (Edge edge : random.edges) {
      for (Shape shape : Shape.values()) {
        long exhausted = search.exhaustedSearches();
        List<Edge> found = search.shortest(edge, shape);
        List<Edge> best = unlimited.shortest(edge, shape);
        if (search.exhaustedSearches() > exhausted) {
          assertThat(found).isEmpty();
        } else if (!found.isEmpty() && !best.isEmpty()) {
          assertThat(found).hasSameSizeAs(best);
        }
      }
    }
  }
}
