package io.txwatch.generator;

import java.util.List;
import java.util.SplittableRandom;

/** The random source of a case: everything in a case is drawn from it, in a fixed order. */
final class RandomSource {

  private final SplittableRandom random;

  /**
   * Creates the random source of a case.
   *
   * @param seed the campaign's seed
   * @param number the case's number: each case has a random source of its own, whichever worker
   *     generates it
   */
  RandomSource(long seed, long number) {
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
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

  <T> T oneOf(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  @SafeVarargs
  final <T> T oneOf(T... of) {
    return of[random.nextInt(of.length)];
  }
}
