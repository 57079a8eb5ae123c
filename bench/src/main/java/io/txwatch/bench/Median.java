package io.txwatch.bench;

import java.util.List;

/**
 * A median with its confidence interval.
 *
 * @param min the smallest number
 * @param lower the lower end of the 95 % confidence interval of the population's median; {@link
 *     #min} if there are too few numbers for an interval
 * @param median the median of the numbers
 * @param upper the upper end of the interval
 * @param max the largest number
 */
public record Median(double min, double lower, double median, double upper, double max) {

  private static final double SIGNIFICANCE = 0.05;

  /** The median of at least one number. */
  public static Median of(List<Double> numbers) {
    List<Double> sorted = numbers.stream().sorted().toList();
    int n = sorted.size();
    double median = (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    int outsideCount = outsideCount(n);
    return new Median(
        sorted.get(0),
        sorted.get(outsideCount),
        median,
        sorted.get(n - 1 - outsideCount),
        sorted.get(n - 1));
  }

  /** The median of no numbers. */
  public static Median none() {
    return new Median(Double.NaN, Double.NaN, Double.NaN, Double.NaN, Double.NaN);
  }

  /**
   * The number of values to exclude at either end of the interval. Each value is below the
   * population's median with probability ½, so the number of such values has the distribution
   * Bin(n, ½), whatever the distribution of the values (Conover, Practical Nonparametric
   * Statistics, 3.2).
   */
  private static int outsideCount(int n) {
    // The logarithm, because ½ to the power of a few thousand underflows.
    double term = n * Math.log(0.5);
    double below = Math.exp(term);
    int k = 0;
    while (2 * below <= SIGNIFICANCE) {
      k++;
      term += Math.log((double) (n - k + 1) / k);
      below += Math.exp(term);
    }
    return Math.max(0, k - 1);
  }
}
