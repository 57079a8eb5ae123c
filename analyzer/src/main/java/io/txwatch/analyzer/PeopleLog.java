package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.report.TextReport;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Tells people without drowning them: of anomalies of one kind at the same lines of code the first
 * is told in full, the others are counted, and the counts are told at most every {@value
 * #EVERY_SECONDS} seconds and at the end.
 */
final class PeopleLog {

  static final int EVERY_SECONDS = 10;

  /** How many kinds are kept apart; what comes beyond is counted together. */
  private static final int KINDS = 1000;

  private final Consumer<String> out;
  private final LongSupplier nanos;
  private final Map<Kind, Count> counts = new LinkedHashMap<>();
  private long lastSummary;
  private boolean news;

  /** What makes two anomalies the same to a developer. */
  private record Kind(Phenomenon phenomenon, List<String> places) {}

  private static final class Count {
    long total;
    long told;
  }

  PeopleLog(Consumer<String> out, LongSupplier nanos) {
    this.out = out;
    this.nanos = nanos;
    this.lastSummary = nanos.getAsLong();
  }

  void tell(Anomaly anomaly) {
    Kind kind = new Kind(anomaly.phenomenon(), places(anomaly));
    Count count = counts.get(kind);
    if (count == null && counts.size() >= KINDS) {
      kind = new Kind(anomaly.phenomenon(), List.of("elsewhere"));
      count = counts.get(kind);
    }
    if (count == null) {
      count = new Count();
      counts.put(kind, count);
      count.told = 1;
      out.accept(TextReport.of(anomaly) + "\n");
    }
    count.total++;
    news |= count.total > count.told;
  }

  /** Tells the counts if that was long enough ago. */
  void tick() {
    if (news && nanos.getAsLong() - lastSummary >= TimeUnit.SECONDS.toNanos(EVERY_SECONDS)) {
      summary();
    }
  }

  void close(Coverage coverage) {
    summary();
    out.accept(TextReport.coverage(coverage));
  }

  private void summary() {
    counts.forEach(
        (kind, count) -> {
          if (count.total > count.told) {
            out.accept(
                "txwatch: "
                    + kind.phenomenon()
                    + " "
                    + (count.total - count.told)
                    + " more, "
                    + count.total
                    + " in all"
                    + (kind.places().isEmpty() ? "" : ", at " + String.join(", ", kind.places()))
                    + "\n");
            count.told = count.total;
          }
        });
    lastSummary = nanos.getAsLong();
    news = false;
  }

  private static List<String> places(Anomaly anomaly) {
    return anomaly.transactions().stream()
        .map(ObservedTransaction::statements)
        .flatMap(List::stream)
        .map(s -> s.callSite().isEmpty() ? s.sql() : s.callSite())
        .distinct()
        .sorted()
        .toList();
  }
}
