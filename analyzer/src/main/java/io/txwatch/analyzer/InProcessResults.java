package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.baseline.Baseline;
import io.txwatch.coverage.Coverage;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What one analyzer in this process found so far. A process has several if its connections differ
 * in their settings; {@link #all} lists them. Thread-safe.
 */
public final class InProcessResults {

  private static final Set<InProcessResults> OPEN = ConcurrentHashMap.newKeySet();

  private final FoundAnomalies anomalies;
  private volatile Coverage coverage = Coverage.NONE;
  private volatile long graphBytes;
  private volatile long openSessions;

  private InProcessResults(Baseline baseline) {
    this.anomalies = new FoundAnomalies(baseline);
  }

  /** The results of all analyzers that run in this process. */
  public static List<InProcessResults> all() {
    return List.copyOf(OPEN);
  }

  /** Creates the results of an analyzer that begins, until it is closed. */
  static InProcessResults open(Baseline baseline) {
    InProcessResults results = new InProcessResults(baseline);
    OPEN.add(results);
    return results;
  }

  void close() {
    OPEN.remove(this);
  }

  void add(Anomaly anomaly) {
    anomalies.add(anomaly);
    AnomalyListeners.INSTANCE.accept(anomaly);
  }

  void withdraw(Anomaly anomaly) {
    anomalies.withdraw(anomaly);
  }

  void setProgress(Coverage newCoverage, long newGraphBytes, long newOpenSessions) {
    coverage = newCoverage;
    graphBytes = newGraphBytes;
    openSessions = newOpenSessions;
  }

  /** The number of open sessions, when it last waited for events. */
  long openSessions() {
    return openSessions;
  }

  /** The approximate memory of the analysis, in bytes, when it last waited for events. */
  long graphBytes() {
    return graphBytes;
  }

  /** The anomalies, grouped by their call sites; those that may be withdrawn one by one. */
  public List<Group> groups() {
    return anomalies.groups();
  }

  /** The number of anomalies that are in no group, for lack of room. */
  public long ungrouped() {
    return anomalies.ungrouped();
  }

  /** The coverage when the analyzer last waited for events. */
  public Coverage coverage() {
    return coverage;
  }
}
