package io.txwatch.generator;

import java.util.List;
import java.util.SplittableRandom;

/** Draws: everything of a case comes from one of these, in one order. */
final class RandomSource {

  private final SplittableRandom random;

  /**
   * The draws for one case.
   *
   * @param seed the campaign's seed
   * @param number the case's number: each has draws of its own, whichever worker makes it
   */
  RandomSource(long seed, long number) {
    this.random = new SplittableRandom(seed * 0x9E3779B97F4A7C15L + number);
  }

  /** From {@code 0} to {@code bound - 1}. */
  int below(int bound) {
    return random.nextInt(bound);
  }

  /** From {@code low} to {@code high}, both included. */
  int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  /** True in {@code percent} of a hundred cases. */
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
