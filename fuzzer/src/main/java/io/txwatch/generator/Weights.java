package io.txwatch.generator;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * How much more often than usual each production is made. A production is a named choice of the
 * generator: a line of {@code productions.txt}, a kind of statement, a form of a query.
 *
 * <p>A weight multiplies the probability of one production against those of its alternatives.
 * Weights are whole numbers from 1 to {@value #MAX}, so that each alternative stays possible, and
 * with weights of 1 the generator draws the same numbers as without any.
 */
public final class Weights {

  /** The greatest weight. */
  public static final int MAX = 4;

  /** All productions as often as usual. */
  public static final Weights FIXED = new Weights(Map.of());

  private final Map<String, Integer> raised;

  private Weights(Map<String, Integer> raised) {
    this.raised = Collections.unmodifiableMap(new TreeMap<>(raised));
  }

  /**
   * Creates weights.
   *
   * @param raised by production, the weights; others are 1
   * @throws IllegalArgumentException if one is out of range
   */
  public static Weights of(Map<String, Integer> raised) {
    raised.forEach(
        (production, weight) -> {
          if (weight < 1 || weight > MAX) {
            throw new IllegalArgumentException(
                "the weight of '" + production + "' is " + weight + ", not 1 to " + MAX);
          }
        });
    return new Weights(raised);
  }

  /** The weight of a production. */
  public int of(String production) {
    return raised.getOrDefault(production, 1);
  }

  /** The productions whose weight is given, with their weights. */
  public Map<String, Integer> raised() {
    return raised;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Weights weights && raised.equals(weights.raised);
  }

  @Override
  public int hashCode() {
    return raised.hashCode();
  }

  @Override
  public String toString() {
    return raised.toString();
  }
}
