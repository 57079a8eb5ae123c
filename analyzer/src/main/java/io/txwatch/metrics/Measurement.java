package io.txwatch.metrics;

import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.coverage.Coverage;
import io.txwatch.live.LiveSource;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The results of an analyzer at one moment, from which every {@link Meter} takes its values. */
public final class Measurement {

  private record Kind(Phenomenon phenomenon, Verdict verdict) {}

  private final LiveSource.Figures figures;
  private final Map<Kind, Long> anomalies = new HashMap<>();

  private Measurement(LiveSource.Figures figures, List<Group> groups) {
    this.figures = figures;
    for (Group group : groups) {
      Kind kind = new Kind(group.first().phenomenon(), group.first().verdict());
      anomalies.merge(kind, group.count(), Long::sum);
    }
  }

  /** The present results. */
  public static Measurement of(LiveSource source) {
    return new Measurement(source.figures(), source.anomalies());
  }

  LiveSource.Figures figures() {
    return figures;
  }

  Coverage coverage() {
    return figures.coverage();
  }

  long anomalies(Phenomenon phenomenon, Verdict verdict) {
    return anomalies.getOrDefault(new Kind(phenomenon, verdict), 0L);
  }
}
