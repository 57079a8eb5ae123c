package io.txwatch.bench.overhead;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** How long one variant's calls took, by what was called. */
final class Timings {

  /** Nanoseconds, as many as there were calls. */
  private static final class Calls {
    private long[] nanos = new long[16];
    private int count;

    void add(long value) {
      if (count == nanos.length) {
        nanos = Arrays.copyOf(nanos, 2 * count);
      }
      nanos[count++] = value;
    }
  }

  /** The share of the longest calls that a mean leaves out: they are of the machine's. */
  private static final double LONGEST = 0.02;

  private final Map<String, Calls> of = new TreeMap<>();

  void add(String name, long nanos) {
    of.computeIfAbsent(name, n -> new Calls()).add(nanos);
  }

  /** Begins anew. */
  void clear() {
    of.clear();
  }

  /** What was called, in order. */
  Set<String> names() {
    return of.keySet();
  }

  /** How many calls there were. */
  int count(String name) {
    Calls calls = of.get(name);
    return calls == null ? 0 : calls.count;
  }

  /** Microseconds of a call: the mean of all but the longest; 0 if there was none. */
  double micros(String name) {
    Calls calls = of.get(name);
    if (calls == null) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(calls.nanos, calls.count);
    Arrays.sort(sorted);
    int kept = sorted.length - (int) (LONGEST * sorted.length);
    return Arrays.stream(sorted, 0, kept).average().orElse(0) / 1e3;
  }
}
