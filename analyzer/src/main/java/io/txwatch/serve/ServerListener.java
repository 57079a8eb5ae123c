package io.txwatch.serve;

import io.txwatch.anomaly.Anomaly;

/** What a server tells. Anomalies come from one thread, lines from several. */
public interface ServerListener {

  /**
   * An anomaly was found.
   *
   * @param again true if it stands in the history of an earlier run, which has told of it
   */
  void found(Anomaly anomaly, boolean replayed);

  /** A suspected anomaly came to nothing. */
  default void withdrawn(Anomaly anomaly) {}

  /** A line for people: who came, who went, what is missing. */
  void log(String line);

  /** Some time has passed. */
  default void tick() {}
}
