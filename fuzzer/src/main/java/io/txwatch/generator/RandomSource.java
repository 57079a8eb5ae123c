package io.txwatch.generator;

import io.txwatch.generator.Productions.Production;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;

/**
 * The random source of a case: everything in a case is drawn from it, in a fixed order. Choices
 * with a name are weighted, and it records which of them were made.
 */
final class RandomSource {

  private final SplittableRandom random;
  private final Weights weights;
  private final Set<String> made = new TreeSet<>();

  /** Creates the random source of a case whose productions are made as often as usual. */
  RandomSource(long seed, long number) {
    this(seed, number, Weights.FIXED);
  }

  /**
   * Creates the random source of a case.
   *
   * @param seed the campaign's seed
   * @param number the case's number: each case has a random source of its own, whichever worker
   *     generates it
   * @param weights how often its named choices are made
   */
  RandomSource(long seed, long number, Weights weights) {
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
    this.weights = weights;
  }

  /** The named choices that were made. */
  Set<String> made() {
    return made;
  }

  /** A number from {@code 0} to {@code bound - 1}. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** A number from {@code low} to {@code high}, both included. */
  int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  /** True with a probability of {@code percent} percent. */
  boolean percent(int percent) {
    return random.nextInt(100) < percent;
  }

  /**
   * True with a probability of {@code percent} percent if the weight of the production is 1, and
   * more often if it is greater.
   *
   * @param percent less than 100: whatever the weight, both answers stay possible
   */
  boolean percent(String production, int percent) {
    int part = percent * weights.of(production);
    boolean isMade = random.nextInt(part + 100 - percent) < part;
    if (isMade) {
      made.add(production);
    }
    return isMade;
  }

  /**
   * The index of one of several alternatives.
   *
   * @param group their name; the productions are {@code group 0}, {@code group 1} and so on
   * @param parts how often each is made in proportion to the others, if all have the same weight
   */
  int alternative(String group, int... parts) {
    int[] bounds = new int[parts.length];
    int sum = 0;
    for (int i = 0; i < parts.length; i++) {
      sum += parts[i] * weights.of(group + " " + i);
      bounds[i] = sum;
    }
    int draw = random.nextInt(sum);
    int index = 0;
    while (draw >= bounds[index]) {
      index++;
    }
    made.add(group + " " + index);
    return index;
  }

  /**
   * One of several productions; empty with a probability of 100 percent less the sum of theirs, if
   * all have the weight 1.
   */
  Optional<Production> oneOrNone(List<Production> productions) {
    int none = 100;
    int sum = 0;
    for (Production production : productions) {
      none -= production.percent();
      sum += production.percent() * weights.of(production.id());
    }
    int draw = random.nextInt(sum + none);
    for (Production production : productions) {
      draw -= production.percent() * weights.of(production.id());
      if (draw < 0) {
        made.add(production.id());
        return Optional.of(production);
      }
    }
    return Optional.empty();
  }

  <T> T oneOf(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @SafeVarargs
  final <T> T oneOf(T... of) {
    return of[random.nextInt(of.length)];
  }
}
