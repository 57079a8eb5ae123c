package io.txwatch.bench;

import java.util.List;

/** A middle and how far it may be trusted. */
public record Median(double least, double middle, double most) {

  /** Of numbers, at least one. */
  public static Median of(List<Double> numbers) {
    List<Double> sorted = numbers.stream().sorted().toList();
    int n = sorted.size();
    double middle = (sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2;
    return new Median(sorted.get(0), middle, sorted.get(n - 1));
  }
}
