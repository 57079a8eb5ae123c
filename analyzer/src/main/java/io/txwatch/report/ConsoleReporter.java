package io.txwatch.report;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints anomalies, in an amount that can be read. Anomalies are grouped by their call sites
 * ({@link AnomalyGroups}). The first anomaly of a group is printed in full; the others are counted,
 * and the counts are printed at growing intervals: after 10 s, 30 s, 1 min, 5 min, and then every
 * 10 min. If many groups arrive at once, {@value #MAX_BLOCKS} are printed in full, and one more
 * every {@value #SECONDS_PER_BLOCK} s; the others appear as a line each in the next counts and at
 * the end.
 *
 * <p>The end lists every group with its count, as one text; so does a period without connections.
 */
public final class ConsoleReporter {

  static final int MAX_BLOCKS = 20;
  static final int SECONDS_PER_BLOCK = 10;

  /** The most groups listed between two counts; the end lists all. */
  private static final int MAX_LINES = 10;

  /** Seconds from one count to the next; the last repeats. */
  private static final int[] INTERVALS_SECONDS = {10, 30, 60, 300, 600};

  private final LogTarget out;
  private final LongSupplier nanos;
  private final AnomalyGroups groups;

  /** The count of each group at the last report, by the group's first anomaly. */
  private final Map<Anomaly, Long> counted = new IdentityHashMap<>();

  private int blocks = MAX_BLOCKS;
  private long blocksSince;
  private int intervals;
  private long countedAt;
  private long uncounted;
  private long ungroupedCounted;
  private long withdrawn;

  /** What was reported since the last summary. */
  private long unsummarized;

  private @Nullable Coverage summarized;

  /**
   * Creates a reporter.
   *
   * @param nanos the time in nanoseconds, from any origin
   */
  public ConsoleReporter(LogTarget out, LongSupplier nanos) {
    this(out, nanos, Baseline.NONE);
  }

  /**
   * Creates a reporter that prints kinds which a baseline accepts in its summaries only.
   *
   * @param nanos the time in nanoseconds, from any origin
   */
  public ConsoleReporter(LogTarget out, LongSupplier nanos, Baseline baseline) {
    this.groups = new AnomalyGroups(baseline);
    this.out = out;
    this.nanos = nanos;
    this.countedAt = nanos.getAsLong();
    this.blocksSince = countedAt;
  }

  /** Reports an anomaly in full, or counts it. */
  public void report(Anomaly anomaly) {
    unsummarized++;
    long ungrouped = groups.ungrouped();
    Group group = groups.add(anomaly);
    if (group.accepted().isPresent()) {
      counted.put(group.first(), group.count());
      return;
    }
    boolean first = group.count() == 1 && groups.ungrouped() == ungrouped;
    if (first && takeBlock()) {
      counted.put(anomaly, 1L);
      out.warn(TextReport.of(anomaly));
    } else {
      uncounted++;
    }
  }

  private boolean takeBlock() {
    long seconds = TimeUnit.NANOSECONDS.toSeconds(nanos.getAsLong() - blocksSince);
    long more = seconds / SECONDS_PER_BLOCK;
    if (more > 0) {
      blocks = (int) Math.min(MAX_BLOCKS, blocks + more);
      blocksSince += TimeUnit.SECONDS.toNanos(more * SECONDS_PER_BLOCK);
    }
    return blocks > 0 && blocks-- > 0;
  }

  /** Reports a suspected anomaly that did not come true, or counts it. */
  public void withdraw(Anomaly anomaly) {
    unsummarized++;
    withdrawn++;
    if (withdrawn == 1) {
      out.info(
          "txwatch: a suspected "
              + anomaly.phenomenon().term()
              + " came to nothing, its transactions did not all commit\n");
    }
  }

  /** Counts an anomaly that an earlier run reported. */
  public void countReported(Anomaly anomaly) {
    Group group = groups.add(anomaly);
    counted.put(group.first(), group.count());
  }

  /** Reports the counts if the interval is over. */
  public void tick() {
    int interval = INTERVALS_SECONDS[Math.min(intervals, INTERVALS_SECONDS.length - 1)];
    if (uncounted > 0 && nanos.getAsLong() - countedAt >= TimeUnit.SECONDS.toNanos(interval)) {
      count();
      intervals++;
      uncounted = 0;
      countedAt = nanos.getAsLong();
    }
  }

  private void count() {
    List<Group> grown = new ArrayList<>();
    for (Group group : groups.groups()) {
      if (more(group) > 0) {
        grown.add(group);
      }
    }
    grown.sort(Comparator.comparingLong(ConsoleReporter.this::more).reversed());
    StringBuilder text = new StringBuilder();
    text.append(
        String.format("txwatch: %s%n", Counted.of(uncounted, "more anomaly", "more anomalies")));
    for (Group group : grown.subList(0, Math.min(grown.size(), MAX_LINES))) {
      text.append(String.format(Locale.ROOT, "  %,d more, ", more(group)))
          .append(TextReport.line(group.first(), group.count()))
          .append('\n');
    }
    if (grown.size() > MAX_LINES) {
      int others = grown.size() - MAX_LINES;
      text.append("  and more of ")
          .append(others)
          .append(others == 1 ? " other group\n" : " other groups\n");
    }
    if (groups.ungrouped() > ungroupedCounted) {
      text.append("  and ")
          .append(groups.ungrouped() - ungroupedCounted)
          .append(" of groups for which there is no room\n");
      ungroupedCounted = groups.ungrouped();
    }
    grown.forEach(group -> counted.put(group.first(), group.count()));
    out.warn(text.toString());
  }

  private long more(Group group) {
    return group.count() - counted.getOrDefault(group.first(), 0L);
  }

  /**
   * Nothing may come any more: reports every group with its count, if there is anything new since
   * this was last done.
   */
  public void rest(Coverage coverage) {
    boolean isFirst = summarized == null && !coverage.equals(Coverage.NONE);
    if (isFirst || unsummarized > 0) {
      summarize(coverage);
    }
  }

  /** Reports every group with its count, and the coverage, unless they were reported. */
  public void close(Coverage coverage) {
    if (unsummarized > 0 || !coverage.equals(summarized)) {
      summarize(coverage);
    }
  }

  private void summarize(Coverage coverage) {
    unsummarized = 0;
    uncounted = 0;
    ungroupedCounted = groups.ungrouped();
    summarized = coverage;
    groups.groups().forEach(group -> counted.put(group.first(), group.count()));
    StringBuilder text = new StringBuilder();
    List<Group> all = new ArrayList<>(groups.groups());
    all.sort(Comparator.comparingLong(Group::count).reversed());
    for (Group group : all) {
      if (group.accepted().isEmpty()) {
        text.append("  ").append(TextReport.line(group.first(), group.count())).append('\n');
      }
    }
    BaselineText.accepted(all).lines().forEach(line -> text.append("  ").append(line).append('\n'));
    if (groups.ungrouped() > 0) {
      text.append("  ")
          .append(groups.ungrouped())
          .append(" of groups for which there was no room\n");
    }
    if (withdrawn > 0) {
      text.append("  ").append(Counted.of(withdrawn, "suspected one")).append(" came to nothing\n");
    }
    out.last(
        (text.isEmpty() ? "" : "txwatch: in all\n" + text)
            + OperationText.of(all)
            + TextReport.coverage(coverage));
  }
}
