package io.txwatch.interleave;

import io.txwatch.analyzer.AnomalyListeners;
import io.txwatch.analyzer.InProcessResults;
import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Confidence;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.AnalysisQueues;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The anomalies that the dependency graph of an execution shows, if the connections of the
 * operations are analysed in this process. For one thread.
 */
final class ObservedAnomalies implements AutoCloseable {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private final List<Anomaly> anomalies = new CopyOnWriteArrayList<>();
  private final Runnable remove = AnomalyListeners.INSTANCE.add(anomalies::add);

  /** The transactions that each analyzer of this process had seen before the first execution. */
  private final Map<InProcessResults, Long> before = new HashMap<>();

  ObservedAnomalies() {
    await();
    InProcessResults.all().forEach(one -> before.put(one, one.coverage().transactions()));
  }

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

  /**
   * True if transactions were analysed in this process since the first execution. Connections that
   * were analysed before it may have stayed open.
   */
  boolean isAnalysed() {
    return InProcessResults.all().stream()
        .anyMatch(one -> one.coverage().transactions() > before.getOrDefault(one, 0L));
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
