package io.txwatch.graph;

import static org.assertj.core.api.Assertions.assertThat;

import io.txwatch.anomaly.AnomalyDetector;
import io.txwatch.anomaly.CycleClass;
import io.txwatch.anomaly.Finding;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.dependency.Edge;
import io.txwatch.graph.CycleSearch.Shape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Judges the findings on random graphs, of which some edges arrive at once, by all cycles. */
class MinimalFindingProperties {

  @Property
  void findingIsMinimalThroughOneOfTheEdgesThatClosedIt(
      @ForAll long seed,
      @ForAll @IntRange(min = 3, max = 6) int nodes,
      @ForAll @IntRange(min = 3, max = 16) int edges,
      @ForAll @IntRange(min = 1, max = 6) int atOnce) {
    RandomGraph random = new RandomGraph(new Random(seed), nodes, edges);
    List<Finding> findings = new ArrayList<>();
    AnomalyDetector detector = new AnomalyDetector(findings::add);
    random.transactions.forEach(detector::committed);
    for (int from = 0; from < random.edges.size(); from += atOnce) {
      int to = Math.min(from + atOnce, random.edges.size());
      List<Edge> added = random.edges.subList(from, to);
      findings.clear();
      added.forEach(detector::dependency);
      detector.flush();
      List<Finding> wider =
          findings.stream()
              .filter(finding -> finding.edges().size() > 2)
              .filter(finding -> finding.phenomenon() != Phenomenon.LOST_UPDATE)
              .toList();
      wider.forEach(finding -> assertMinimal(finding, added, random.edges.subList(0, to)));
      assertThat(wider.stream().filter(finding -> !finding.possible()))
          .isSortedAccordingTo(smallFirst());
      assertThat(wider.stream().filter(Finding::possible)).isSortedAccordingTo(smallFirst());
    }
  }

  private static void assertMinimal(Finding finding, List<Edge> added, List<Edge> all) {
    List<Edge> cycle = finding.edges();
    List<Edge> others =
        finding.possible()
            ? all
            : all.stream().filter(edge -> !edge.evidence().possible()).toList();
    Shape shape = shape(finding.cycleClass().orElseThrow());
    assertThat(cycle)
        .as("%s", cycle)
        .anyMatch(
            edge ->
                added.contains(edge)
                    && RandomGraph.cyclesThrough(edge, others).stream()
                        .filter(other -> RandomGraph.has(other, shape))
                        .noneMatch(other -> RandomGraph.MINIMAL_FIRST.compare(other, cycle) < 0));
  }

  private static Comparator<Finding> smallFirst() {
    return Comparator.<Finding, CycleClass>comparing(finding -> finding.cycleClass().orElseThrow())
        .thenComparing(Finding::edges, RandomGraph.MINIMAL_FIRST);
  }

  private static Shape shape(CycleClass of) {
    return switch (of) {
      case G0 -> Shape.G0;
      case G1C -> Shape.G1C;
      case G_SINGLE -> Shape.G_SINGLE;
      case G_NONADJACENT -> Shape.G_NONADJACENT;
      case G2_ITEM, G2 -> Shape.G2_ITEM;
    };
  }
}
