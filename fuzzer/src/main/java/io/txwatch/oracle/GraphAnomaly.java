package io.txwatch.oracle;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.ObservedTransaction;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import java.util.Locale;
import java.util.TreeSet;

/**
 * An anomaly that a graph shows, and what both judges say of it.
 *
 * @param anomaly the anomaly, as judged by the DBMS's promise
 * @param byAdya what Adya's levels say
 * @param isForbidden true if the oracle's own judge says that it must not be
 */
public record GraphAnomaly(Anomaly anomaly, Verdict byAdya, boolean isForbidden) {

  /**
   * What campaigns count anomalies by.
   *
   * @param level the level that it is judged at
   * @param phenomenon its name
   * @param byDbms what the DBMS's promise makes of it
   * @param byAdya what Adya's levels make of it
   */
  public record Kind(IsolationLevel level, Phenomenon phenomenon, Verdict byDbms, Verdict byAdya)
      implements Comparable<Kind> {

    /** By level, then as the phenomena are listed. */
    @Override
    public int compareTo(Kind other) {
      int order = level.compareTo(other.level);
      order = order != 0 ? order : phenomenon.compareTo(other.phenomenon);
      order = order != 0 ? order : byDbms.compareTo(other.byDbms);
      return order != 0 ? order : byAdya.compareTo(other.byAdya);
    }
  }

  /** Its kind. */
  public Kind kind() {
    return new Kind(anomaly.isolation(), anomaly.phenomenon(), anomaly.verdict(), byAdya);
  }

  /** Its name and its sessions: {@code LOST_UPDATE of T1, T2}. */
  String describe() {
    TreeSet<String> sessions = new TreeSet<>();
    for (ObservedTransaction transaction : anomaly.transactions()) {
      sessions.add(transaction.session());
    }
    return String.format(
        Locale.ROOT, "%s of %s", anomaly.phenomenon(), String.join(", ", sessions));
  }
}
