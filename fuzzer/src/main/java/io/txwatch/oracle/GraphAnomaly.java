package io.txwatch.oracle;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import java.util.Locale;
import java.util.TreeSet;

/**
 * An anomaly of a dependency graph, with the verdicts of both judges.
 *
 * @param anomaly the anomaly, with the verdict by the DBMS's own promise
 * @param byAdya the verdict by Adya's levels
 * @param isForbidden true if the oracle's judge forbids it
 */
public record GraphAnomaly(Anomaly anomaly, Verdict byAdya, boolean isForbidden) {

  /**
   * The kinds by which campaigns count anomalies.
   *
   * @param level the isolation level
   * @param phenomenon the phenomenon
   * @param byDbms the verdict by the DBMS's own promise
   * @param byAdya the verdict by Adya's levels
   */
  public record Kind(IsolationLevel level, Phenomenon phenomenon, Verdict byDbms, Verdict byAdya)
      implements Comparable<Kind> {

    /** Orders by level, then by the declaration order of the phenomena. */
    @Override
    public int compareTo(Kind other) {
      int order = level.compareTo(other.level);
      order = order != 0 ? order : phenomenon.compareTo(other.phenomenon);
      order = order != 0 ? order : byDbms.compareTo(other.byDbms);
      return order != 0 ? order : byAdya.compareTo(other.byAdya);
    }
  }

  public Kind kind() {
    return new Kind(anomaly.isolation(), anomaly.phenomenon(), anomaly.verdict(), byAdya);
  }

  /** Its phenomenon and its sessions: {@code LOST_UPDATE of T1, T2}. */
  String describe() {
    TreeSet<String> sessions = new TreeSet<>();
    for (ObservedTransaction transaction : anomaly.transactions()) {
      sessions.add(transaction.session());
    }
    return String.format(
        Locale.ROOT, "%s of %s", anomaly.phenomenon(), String.join(", ", sessions));
  }
}
