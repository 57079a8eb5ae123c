package io.txwatch.bench.overhead;

import java.util.StringJoiner;

/** Durations, counted in buckets that are two per cent wide. */
final class Latencies {

  private static final double PER_E = 50;
  private static final int BUCKETS = (int) (Math.log(Long.MAX_VALUE) * PER_E) + 1;

  private final long[] counts = new long[BUCKETS];
  private long total;

  void add(long nanos) {
    add((int) (Math.log(Math.max(1, nanos)) * PER_E), 1);
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

  /** The duration, in milliseconds, that {@code share} of all do not exceed; 0 if there is none. */
  double millis(double share) {
    long wanted = (long) Math.ceil(share * total);
    long seen = 0;
    for (int i = 0; i < BUCKETS && total > 0; i++) {
      seen += counts[i];
      if (seen >= wanted) {
        return Math.exp((i + 0.5) / PER_E) / 1e6;
      }
    }
    return 0;
  }

  /** In one word, for {@link #parse}. */
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
