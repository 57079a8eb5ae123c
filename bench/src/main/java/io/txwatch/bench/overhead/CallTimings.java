package io.txwatch.bench.overhead;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** The durations of one variant's calls, by name. */
final class CallTimings {

  /** The durations in nanoseconds, one for each call. */
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

  /** The share of the longest calls that the mean excludes: they are caused by the machine. */
  private static final double TRIMMED_SHARE = 0.02;

  private final Map<String, Calls> of = new TreeMap<>();

  void add(String name, long nanos) {
    of.computeIfAbsent(name, n -> new Calls()).add(nanos);
  }

  /** Removes all durations. */
  void clear() {
    of.clear();
  }

  /** The names of the calls, sorted. */
  Set<String> names() {
    return of.keySet();
  }

  /** The number of calls. */
  int count(String name) {
    Calls calls = of.get(name);
    return calls == null ? 0 : calls.count;
  }

  /** The mean of all but the longest calls in microseconds; 0 if there are none. */
  double micros(String name) {
    Calls calls = of.get(name);
    if (calls == null) {
      return 0;
    }
    long[] sorted = Arrays.copyOf(calls.nanos, calls.count);
    Arrays.sort(sorted);
    int kept = sorted.length - (int) (TRIMMED_SHARE * sorted.length);
    return Arrays.stream(sorted, 0, kept).average().orElse(0) / 1e3;
  }
}
