package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.dependency.Dependency;
import io.txwatch.dependency.DependencyKind;
import io.txwatch.dependency.EdgeEvidence;
import io.txwatch.guarantee.Advice;
import io.txwatch.history.CallSite;
import io.txwatch.stale.StaleWrite;
import java.util.List;
import java.util.Optional;

/** A stale write as an anomaly: always a hazard, and never more than possible. */
final class StaleWriteAnomaly {

  private StaleWriteAnomaly() {}

  /**
   * The anomaly.
   *
   * @param key the value of the row's primary key, for display; empty if it is not known
   */
  static Anomaly of(StaleWrite found, String key) {
    return new Anomaly(
        Phenomenon.STALE_WRITE,
        Optional.empty(),
        Verdict.HAZARD,
        Confidence.CONFIRMED,
        found.database(),
        found.writer().level(),
        List.of(found.reader(), found.other(), found.writer()),
        List.of(
            edge(found, key, DependencyKind.RW, found.reader(), found.other()),
            edge(found, key, DependencyKind.WW, found.other(), found.writer())),
        advice(found));
  }

  private static Dependency edge(
      StaleWrite found,
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

  private static String advice(StaleWrite found) {
    String callSite = found.writer().statements().get(0).callSite();
    return "Let the UPDATE"
        + (callSite.isEmpty() ? "" : " at " + CallSite.shown(callSite))
        + " compare the version that was read (WHERE ... AND version = ?; @Version in JPA), or read"
        + " the row again in its transaction, with "
        + Advice.lockClause(found.database())
        + ".";
  }
}
