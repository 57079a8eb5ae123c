package io.txwatch.analyzer;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.baseline.Baseline;
import io.txwatch.history.Outcome;
import io.txwatch.report.AnomalyGroups;
import io.txwatch.report.AnomalyGroups.Group;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The anomalies found so far, without those that were withdrawn. Anomalies whose transactions have
 * all ended are grouped by their call sites. The others are kept one by one until they are
 * confirmed or withdrawn; beyond {@value #MAX_UNDECIDED}, the oldest are grouped, too. Thread-safe.
 */
public final class FoundAnomalies {

  private static final int MAX_UNDECIDED = 1 << 10;

  private final AnomalyGroups decided;

  /** By the ids of their transactions. */
  private final Map<Set<Long>, List<Anomaly>> undecided = new LinkedHashMap<>();

  /** Nothing found yet, and nothing accepted. */
  public FoundAnomalies() {
    this(Baseline.NONE);
  }

  /** Nothing found yet; a baseline accepts some kinds. */
  public FoundAnomalies(Baseline baseline) {
    this.decided = new AnomalyGroups(baseline);
  }

  /** Adds an anomaly, or replaces the suspected one that it confirms. */
  public synchronized void add(Anomaly anomaly) {
    Set<Long> transactions = ids(anomaly);
    if (isDecided(anomaly)) {
      undecided.remove(transactions);
      decided.add(anomaly);
      return;
    }
    undecided.computeIfAbsent(transactions, key -> new ArrayList<>()).add(anomaly);
    if (undecided.size() > MAX_UNDECIDED) {
      Iterator<List<Anomaly>> eldest = undecided.values().iterator();
      eldest.next().forEach(decided::add);
      eldest.remove();
    }
  }

  /** Removes a suspected anomaly that did not come true. */
  public synchronized void withdraw(Anomaly anomaly) {
    Set<Long> transactions = ids(anomaly);
    List<Anomaly> ofThem = undecided.get(transactions);
    if (ofThem != null) {
      ofThem.removeIf(suspected -> suspected.phenomenon() == anomaly.phenomenon());
      if (ofThem.isEmpty()) {
        undecided.remove(transactions);
      }
    }
  }

  /** The groups, and then each undecided anomaly as a group of its own. */
  public synchronized List<Group> groups() {
    List<Group> all = new ArrayList<>(decided.groups());
    undecided.values().forEach(ofThem -> ofThem.forEach(anomaly -> all.add(new Group(anomaly))));
    return all;
  }

  /** The number of anomalies without a group, for lack of room. */
  public synchronized long ungrouped() {
    return decided.ungrouped();
  }

  private static boolean isDecided(Anomaly anomaly) {
    return anomaly.transactions().stream()
        .map(ObservedTransaction::outcome)
        .allMatch(outcome -> outcome.isPresent() && outcome.get() != Outcome.UNKNOWN);
  }

  private static Set<Long> ids(Anomaly anomaly) {
    return anomaly.transactions().stream()
        .map(ObservedTransaction::id)
        .collect(Collectors.toUnmodifiableSet());
  }
}
