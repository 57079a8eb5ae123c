package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import io.txwatch.report.TextReport;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells people without drowning them: of anomalies of one kind at the same lines of code the first
 * is told in full, the others are counted, and the sum is told at most every {@value
 * #EVERY_SECONDS} seconds. At the end come the counts of each kind, and the coverage.
 */
public final class PeopleLog {

  static final int EVERY_SECONDS = 10;

  private final Consumer<String> out;
  private final LongSupplier nanos;
  private final AnomalyGroups groups = new AnomalyGroups();
  private long lastSummary;
  private long uncounted;
  private long withdrawn;

  /**
   * A log.
   *
   * @param out takes text, with its line breaks
   * @param nanos the time, in nanoseconds since whenever
   */
  public PeopleLog(Consumer<String> out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    this.lastSummary = nanos.getAsLong();
  }

  /** Tells an anomaly, or counts it. */
  public void tell(Anomaly anomaly) {
    long notKept = groups.notKept();
    if (groups.add(anomaly).count() == 1 && groups.notKept() == notKept) {
      out.accept(TextReport.of(anomaly) + "\n");
    } else {
      uncounted++;
    }
  }

  /** Tells that a suspicion came to nothing, or counts that. */
  public void withdraw(Anomaly anomaly) {
    withdrawn++;
    if (withdrawn == 1) {
      out.accept(
          "txwatch: a suspected "
              + anomaly.phenomenon().term()
              + " came to nothing, its transactions did not all commit\n");
    }
  }

  /** Counts an anomaly that was told elsewhere. */
  public void remember(Anomaly anomaly) {
    groups.add(anomaly);
  }

  /** Tells the sum if that was long enough ago. */
  public void tick() {
    if (uncounted > 0
        && nanos.getAsLong() - lastSummary >= TimeUnit.SECONDS.toNanos(EVERY_SECONDS)) {
      out.accept("txwatch: " + uncounted + " more of the kinds above\n");
      uncounted = 0;
      lastSummary = nanos.getAsLong();
    }
  }

  /** Tells what is left to be told. */
  public void close(Coverage coverage) {
    List<String> sums = new ArrayList<>();
    for (Group group : groups.groups()) {
      if (group.count() > 1) {
        sums.add(TextReport.of(group.first(), group.count()).lines().findFirst().orElse(""));
      }
    }
    if (groups.notKept() > 0) {
      sums.add(groups.notKept() + " of still other kinds");
    }
    if (withdrawn > 0) {
      sums.add(withdrawn + " suspected ones came to nothing");
    }
    if (!sums.isEmpty()) {
      out.accept("txwatch: in all\n  " + String.join("\n  ", sums) + "\n");
    }
    out.accept(TextReport.coverage(coverage));
  }
}
