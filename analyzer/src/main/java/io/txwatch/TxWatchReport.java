package io.txwatch;

import io.txwatch.coverage.Coverage;
import java.util.List;

/**
 * What was found in this JVM up to a moment.
 *
 * @param anomalies the anomalies, without suspected ones that did not come true; those that differ
 *     only in their rows and transactions are one, with their {@linkplain FoundAnomaly#count()
 *     number}
 * @param notListed further anomalies, which differ from those listed and for which there was no
 *     memory
 * @param coverage how much was observed; no statement at all means that no connection is watched
 * @param complete whether everything that happened before the report was requested is in it
 */
public record TxWatchReport(
    List<FoundAnomaly> anomalies, long notListed, Coverage coverage, boolean complete) {

  public TxWatchReport {
    anomalies = List.copyOf(anomalies);
  }
}
