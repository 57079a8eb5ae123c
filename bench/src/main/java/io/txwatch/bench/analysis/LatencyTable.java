package io.txwatch.bench.analysis;

import io.txwatch.bench.Markdown;
import io.txwatch.coverage.Coverage;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** What came of operations offered at given rates: a row a rate. */
final class LatencyTable {

  private final Markdown table =
      new Markdown(
          "offered, operations/s",
          "taken in, operations/s",
          "events lost",
          "planted",
          "reported",
          "latency p50, ms",
          "p99, ms",
          "most, ms");

  /**
   * Adds a row.
   *
   * @param rate operations offered a second
   * @param perSecond operations taken in a second
   * @param coverage what was taken in, and what is missing
   * @param plants how many lost updates were planted
   * @param latencies nanoseconds from commit to report of each that was reported
   */
  void row(
      long rate, double perSecond, Coverage coverage, long plants, Collection<Long> latencies) {
    List<Long> sorted = latencies.stream().sorted().toList();
    table.row(
        String.format(Locale.ROOT, "%,d", rate),
        String.format(Locale.ROOT, "%,.0f", perSecond),
        Long.toString(coverage.gaps().values().stream().mapToLong(Long::longValue).sum()),
        Long.toString(plants),
        Integer.toString(sorted.size()),
        OfferedLoad.millis(sorted, 0.5),
        OfferedLoad.millis(sorted, 0.99),
        OfferedLoad.millis(sorted, 1));
  }

  /** The table in Markdown. */
  @Override
  public String toString() {
    return table.toString();
  }
}
