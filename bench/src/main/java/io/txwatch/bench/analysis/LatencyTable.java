package io.txwatch.bench.analysis;

import io.txwatch.bench.MarkdownTable;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.GapReason;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** The results for each offered rate, one in a row. */
final class LatencyTable {

  private final MarkdownTable table =
      new MarkdownTable(
          "offered, operations/s",
          "taken in, operations/s",
          "transactions/s",
          "shed, operations/s",
          "least share",
          "events lost",
          "planted",
          "reported",
          "latency p50, ms",
          "p99, ms",
          "most, ms");

  /**
   * Adds a row.
   *
   * @param rate the offered operations per second
   * @param taken the operations that were accepted
   * @param seconds the time in which they were
   * @param coverage what was accepted and what is missing
   * @param plants the number of planted lost updates
   * @param latencies the nanoseconds from commit to report of each reported one
   */
  void row(
      long rate,
      long taken,
      double seconds,
      Coverage coverage,
      long plants,
      Collection<Long> latencies) {
    long shed = coverage.gaps().getOrDefault(GapReason.SHED, 0L);
    List<Long> sorted = latencies.stream().sorted().toList();
    table.row(
        String.format(Locale.ROOT, "%,d", rate),
        String.format(Locale.ROOT, "%,.0f", taken / seconds),
        String.format(Locale.ROOT, "%,.0f", coverage.transactions() / seconds),
        String.format(Locale.ROOT, "%,.0f", shed / seconds),
        coverage.shed().smallest().toString(),
        Long.toString(coverage.dropped()),
        Long.toString(plants),
        Integer.toString(sorted.size()),
        FixedRateLoad.millis(sorted, 0.5),
        FixedRateLoad.millis(sorted, 0.99),
        FixedRateLoad.millis(sorted, 1));
  }

  /** The table in Markdown. */
  @Override
  public String toString() {
    return table.toString();
  }
}
