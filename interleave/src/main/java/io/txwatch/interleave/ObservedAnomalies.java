package io.txwatch.interleave;

import io.txwatch.analyzer.AnomalyListeners;
import io.txwatch.analyzer.InProcessResults;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.AnalysisQueues;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The anomalies that the dependency graph of an execution shows, if the connections of the
 * operations are analysed in this process. For one thread.
 */
final class ObservedAnomalies implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final List<Anomaly> anomalies = new CopyOnWriteArrayList<>();
  private final Runnable remove = AnomalyListeners.INSTANCE.add(anomalies::add);

  /** An execution is about to begin: what was found before is not its own. */
  void begin() {
    await();
    anomalies.clear();
  }

  /** Those of the execution that has ended: no deadlocks, and none that are possible only. */
  List<Anomaly> end() {
    await();
    return anomalies.stream()
        .filter(one -> one.confidence() == Confidence.CONFIRMED && !one.possible())
        .filter(one -> one.verdict() != Verdict.DEADLOCK)
        .toList();
  }

  /** True if connections are analysed in this process. */
  boolean isAnalysed() {
    return !InProcessResults.all().isEmpty();
  }

  private static void await() {
    AnalysisQueues.awaitDelivered(TIMEOUT);
    AnomalyListeners.INSTANCE.awaitDelivered(TIMEOUT);
  }

  @Override
  public void close() {
    remove.run();
  }
}
