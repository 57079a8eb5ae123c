package io.txwatch;

import io.txwatch.analyzer.AnomalyListeners;
import io.txwatch.analyzer.InProcessResults;
import io.txwatch.coverage.Coverage;
import io.txwatch.history.AnalysisQueues;
import io.txwatch.report.AnomalyGroups.Group;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * What txwatch found in this JVM. Thread-safe; no method throws because of the analysis.
 *
 * <p>The results are those of the class loader that loaded this class. With the agent that is the
 * system class loader: compile against this class, and leave it out of the application's archive.
 */
public final class TxWatch {

  /** The most time that {@link #report()} waits. */
  public static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(10);

  /** Ends the calls of a listener. */
  public interface Registration extends AutoCloseable {

    /** Removes the listener. It may still be called once by a call that has begun. */
    @Override
    void close();
  }

  private TxWatch() {}

  /** {@link #report(Duration)} with {@link #DEFAULT_TIMEOUT}. */
  public static TxWatchReport report() {
    return report(DEFAULT_TIMEOUT);
  }

  /**
   * The anomalies and the coverage since the JVM started. OperationWaits until everything that
   * watched connections did before this call has been analysed and the listeners have been called;
   * {@link TxWatchReport#complete()} is false if that took longer than the timeout.
   */
  public static TxWatchReport report(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    boolean analysed = AnalysisQueues.awaitDelivered(timeout);
    boolean passedOn =
        AnomalyListeners.INSTANCE.awaitDelivered(Duration.ofNanos(deadline - System.nanoTime()));
    List<FoundAnomaly> anomalies = new ArrayList<>();
    long notListed = 0;
    Coverage coverage = Coverage.NONE;
    for (InProcessResults results : InProcessResults.all()) {
      for (Group group : results.groups()) {
        anomalies.add(FoundAnomaly.of(group));
      }
      notListed += results.ungrouped();
      coverage = coverage.plus(results.coverage());
    }
    return new TxWatchReport(anomalies, notListed, coverage, analysed && passedOn);
  }

  /**
   * Calls a listener for each anomaly that is found from now on, on a daemon thread of txwatch. An
   * exception of the listener is reported once on standard error and otherwise ignored. While the
   * listeners are slower than the analysis, anomalies are not passed to them; {@link #report()} has
   * them all.
   *
   * <p>A suspected anomaly may be passed again once it is confirmed, or not come true.
   *
   * @return removes the listener when closed
   */
  public static Registration onAnomaly(Consumer<FoundAnomaly> listener) {
    Runnable remove =
        AnomalyListeners.INSTANCE.add(
            anomaly -> listener.accept(FoundAnomaly.of(new Group(anomaly))));
    return remove::run;
  }
}
