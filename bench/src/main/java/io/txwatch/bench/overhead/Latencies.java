package io.txwatch.bench.overhead;

import java.util.StringJoiner;

/** A histogram of durations with buckets of two percent. */
final class Latencies {

  private static final double BUCKETS_PER_E_FOLD = 50;
  private static final int BUCKETS = (int) (Math.log(Long.MAX_VALUE) * BUCKETS_PER_E_FOLD) + 1;

  private final long[] counts = new long[BUCKETS];
  private long total;

  void add(long nanos) {
    add((int) (Math.log(Math.max(1, nanos)) * BUCKETS_PER_E_FOLD), 1);
  }

  private void add(int bucket, long count) {
    counts[bucket] += count;
    total += count;
  }

  void add(Latencies others) {
    for (int i = 0; i < BUCKETS; i++) {
      add(i, others.counts[i]);
    }
  }

  long total() {
    return total;
  }

  /** The quantile {@code share} in milliseconds; 0 if there are no durations. */
  double millis(double share) {
    long wanted = (long) Math.ceil(share * total);
    long seen = 0;
    for (int i = 0; i < BUCKETS && total > 0; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Math.exp((i + 0.5) / BUCKETS_PER_E_FOLD) / 1e6;
      }
    }
    return 0;
  }

  /** A single word, for {@link #parse}. */
  String format() {
    StringJoiner text = new StringJoiner(",");
    for (int i = 0; i < BUCKETS; i++) {
      if (counts[i] > 0) {
        text.add(i + ":" + counts[i]);
      }
    }
    return text.toString();
  }

  static Latencies parse(String text) {
    Latencies parsed = new Latencies();
    for (String pair : text.isEmpty() ? new String[0] : text.split(",")) {
      int colon = pair.indexOf(':');
      parsed.add(
          Integer.parseInt(pair.substring(0, colon)), Long.parseLong(pair.substring(colon + 1)));
    }
    return parsed;
  }
}
