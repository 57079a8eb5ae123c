package io.txwatch.changes.binlog;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts of durations in four buckets a power of two. Thread-safe. */
final class LatencyHistogram {

  private static final int STEPS = 4;
  private static final int STEP_BITS = 2;

  private final AtomicLongArray counts = new AtomicLongArray(Long.SIZE * STEPS);

  void add(long micros) {
    counts.incrementAndGet(bucket(Math.max(0, micros)));
  }

  private static int bucket(long value) {
    int log = Long.SIZE - Long.numberOfLeadingZeros(value | STEPS) - 1;
    return log * STEPS + (int) (value >>> log - STEP_BITS & STEPS - 1);
  }

  /** The upper end of the bucket that holds the given share. */
  long percentile(double share) {
    long total = 0;
    for (int i = 0; i < counts.length(); i++) {
      total += counts.get(i);
    }
    long seen = 0;
    for (int i = 0; i < counts.length(); i++) {
      seen += counts.get(i);
      if (total > 0 && seen >= share * total) {
        int log = i / STEPS;
        return (1L << log) + ((i % STEPS + 1L) << log - STEP_BITS) - 1;
      }
    }
    return 0;
  }
}
