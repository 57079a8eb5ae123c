package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.history.CallSite;
import io.txwatch.stale.StaleRead;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A stale read as an anomaly: always a hazard, as no isolation level promises anything of it. */
final class StaleReadAnomaly {

  private StaleReadAnomaly() {}

  /**
   * The anomaly.
   *
   * @param key the value of the row's primary key, for display; empty if it is not known
   */
  static Anomaly of(StaleRead found, String key) {
    ObservedTransaction earlier = found.earlier();
    ObservedTransaction writer = found.writer();
    ObservedTransaction reader = found.reader();
    boolean isOwnWrite = writer.id() == earlier.id();
    List<Dependency> edges = new ArrayList<>();
    edges.add(edge(found, key, DependencyKind.RW, reader, writer));
    if (!isOwnWrite) {
      edges.add(edge(found, key, DependencyKind.WR, writer, earlier));
    }
    edges.add(
        new Dependency(
            earlier.id(),
            reader.id(),
            DependencyKind.SO,
            "",
            0,
            "",
            0,
            0,
            evidence(found),
            List.of()));
    return new Anomaly(
        Phenomenon.STALE_READ,
        Optional.empty(),
        Verdict.HAZARD,
        Confidence.CONFIRMED,
        found.database(),
        reader.level(),
        isOwnWrite ? List.of(earlier, reader) : List.of(earlier, writer, reader),
        edges,
        advice(found));
  }

  /** That the reader came later is what may be uncertain. */
  private static EdgeEvidence evidence(StaleRead found) {
    return found.isProven() ? EdgeEvidence.ITEM : EdgeEvidence.POSSIBLE_ITEM;
  }

  private static Dependency edge(
      StaleRead found,
      String key,
      DependencyKind kind,
      ObservedTransaction from,
      ObservedTransaction to) {
    return new Dependency(
        from.id(),
        to.id(),
        kind,
        found.table(),
        found.row(),
        key,
        from.statements().get(0).number(),
        to.statements().get(0).number(),
        EdgeEvidence.ITEM,
        found.columns());
  }

  private static String advice(StaleRead found) {
    String callSite = found.reader().statements().get(0).callSite();
    return "Read"
        + (callSite.isEmpty() ? "" : " at " + CallSite.shown(callSite))
        + " from the primary once the request has used the row there, or wait until the standby has"
        + " replayed that commit.";
  }
}
