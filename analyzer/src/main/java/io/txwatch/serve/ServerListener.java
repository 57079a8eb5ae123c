package io.txwatch.serve;

import io.txwatch.anomaly.Anomaly;

/** Receives what a server reports. Anomalies come from one thread, lines from several. */
public interface ServerListener {

  /**
   * Receives an anomaly.
   *
   * @param replayed whether it is from the history of an earlier run, which has reported it
   */
  void found(Anomaly anomaly, boolean replayed);

  /** Receives a suspected anomaly that did not come true. */
  default void withdrawn(Anomaly anomaly) {}

  /** Receives a log line: a client connected or left, events are missing. */
  void log(String line);

  /** Called periodically. */
  default void tick() {}
}
