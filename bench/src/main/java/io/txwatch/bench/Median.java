package io.txwatch.bench;

import java.util.List;

/**
 * A middle and how far it may be trusted.
 *
 * @param least of the numbers
 * @param from of the numbers, where the interval begins in which the median of all that could have
 *     been measured lies, with a confidence of 95 %; {@link #least} if they are too few for one
 * @param middle their median
 * @param to where the interval ends
 * @param most of the numbers
 */
public record Median(double least, double from, double middle, double to, double most) {

  private static final double DOUBT = 0.05;

  /** Of numbers, at least one. */
  public static Median of(List<Double> numbers) {
    List<Double> sorted = numbers.stream().sorted().toList();
    int n = sorted.size();
    double middle = (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    int outside = outside(n);
    return new Median(
        sorted.get(0), sorted.get(outside), middle, sorted.get(n - 1 - outside), sorted.get(n - 1));
  }

  /** The median of nothing. */
  public static Median none() {
    return new Median(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /**
   * How many of n numbers lie outside of the interval at either end, at most. Each lies below the
   * true median with probability ½, so how many do is distributed as Bin(n, ½), whatever the
   * numbers' own distribution (Conover, Practical Nonparametric Statistics, 3.2).
   */
  private static int outside(int n) {
    // The logarithm, as half to the power of a thousand and more is no double.
    double term = n * Math.log(0.5);
    double below = Math.exp(term);
    int k = 0;
    while (2 * below <= DOUBT) {
      k++;
      term += Math.log((double) (n - k + 1) / k);
      below += Math.exp(term);
    }
    return Math.max(0, k - 1);
  }
}
