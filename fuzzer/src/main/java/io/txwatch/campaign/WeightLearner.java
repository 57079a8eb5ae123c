package io.txwatch.campaign;

import io.txwatch.generator.Weights;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Learns from executed cases which productions bring something new: these get greater {@link
 * Weights}. Immutable, and a function of the observations alone.
 *
 * <p>For each kind of novelty, the number of cases with a production that brought something new is
 * compared with the number that would have if its cases were like all others. The weight is the
 * greatest of these ratios, rounded. Both numbers are increased by {@value #PRIOR}, so that a few
 * lucky cases change nothing, and all counts lose {@value #FORGOTTEN_PERCENT} percent with each
 * batch of observations: a production that brings nothing new any more returns to the weight 1.
 */
final class WeightLearner {

  /** The novel cases that are added to both sides of a ratio. */
  private static final double PRIOR = 4;

  private static final int FORGOTTEN_PERCENT = 25;
  private static final double KEPT = 1 - FORGOTTEN_PERCENT / 100.0;

  /** Nothing is learnt yet. */
  static final WeightLearner NOTHING = new WeightLearner(Count.NONE, new TreeMap<>());

  /** All cases. */
  private final Count total;

  private final Map<String, Count> byProduction;

  /**
   * An executed case.
   *
   * @param productions the productions that were made for it
   * @param novelties what it was the first to show
   */
  record Observation(Set<String> productions, Set<NoveltyKind> novelties) {}

  /**
   * Counts of cases, which fade.
   *
   * @param cases the cases
   * @param novel those that brought something new, by kind
   */
  private record Count(double cases, Map<NoveltyKind, Double> novel) {
    static final Count NONE = new Count(0, Map.of());

    Count faded() {
      Map<NoveltyKind, Double> rest = new EnumMap<>(NoveltyKind.class);
      novel.forEach((kind, count) -> rest.put(kind, count * KEPT));
      return new Count(cases * KEPT, rest);
    }

    Count with(Set<NoveltyKind> novelties) {
      Map<NoveltyKind, Double> more = new EnumMap<>(NoveltyKind.class);
      more.putAll(novel);
      novelties.forEach(kind -> more.merge(kind, 1.0, Double::sum));
      return new Count(cases + 1, more);
    }

    double novel(NoveltyKind kind) {
      return novel.getOrDefault(kind, 0.0);
    }
  }

  private WeightLearner(Count total, Map<String, Count> byProduction) {
    this.total = total;
    this.byProduction = Collections.unmodifiableMap(byProduction);
  }

  /** What is known after a further batch of observations. */
  WeightLearner after(List<Observation> batch) {
    Count all = total.faded();
    Map<String, Count> productions = new TreeMap<>();
    byProduction.forEach((production, count) -> productions.put(production, count.faded()));
    for (Observation observation : batch) {
      all = all.with(observation.novelties());
      for (String production : observation.productions()) {
        productions.merge(
            production,
            Count.NONE.with(observation.novelties()),
            (known, one) -> known.with(observation.novelties()));
      }
    }
    return new WeightLearner(all, productions);
  }

  /** The weights of the next cases. */
  Weights weights() {
    Map<String, Integer> raised = new TreeMap<>();
    byProduction.forEach(
        (production, count) -> {
          int weight = weight(count, total.novel().keySet());
          if (weight > 1) {
            raised.put(production, weight);
          }
        });
    return Weights.of(raised);
  }

  private int weight(Count count, Collection<NoveltyKind> kinds) {
    double greatest = 1;
    for (NoveltyKind kind : kinds) {
      double expected = count.cases() * total.novel(kind) / total.cases();
      greatest = Math.max(greatest, (count.novel(kind) + PRIOR) / (expected + PRIOR));
    }
    return (int) Math.min(Weights.MAX, Math.round(greatest));
  }
}
