package io.txwatch.analyzer;

import io.txwatch.history.Event;

/**
 * The memory budget of the analyzer, and the schedule by which it discards transactions.
 *
 * <p>Three quarters are for state that grows with the traffic: transactions, versions and the
 * graph. It is counted object by object ({@code Footprint}), not estimated from events. The last
 * quarter is for state of bounded size: anomalies already reported, and suspected ones.
 *
 * <p>When the three quarters are full, at least a quarter of them is freed. However little can be
 * discarded, the next attempt therefore comes only after that much was added again.
 */
final class MemoryBudget {

  /** The transactions that begin between two rounds of discarding. */
  static final long TRANSACTIONS_PER_DISCARD = 256;

  private final long bytes;
  private long beganSinceDiscard;

  MemoryBudget(long bytes) {
    this.bytes = bytes;
  }

  /** Counts an event; true if it is time to discard ended transactions. */
  boolean isTimeToDiscard(Event event) {
    if (event instanceof Event.TransactionBegan
        && ++beganSinceDiscard >= TRANSACTIONS_PER_DISCARD) {
      beganSinceDiscard = 0;
      return true;
    }
    return false;
  }

  /** The most bytes for state that grows with the traffic. */
  long maxLiveBytes() {
    return bytes / 4 * 3;
  }

  /** The most bytes within one event. */
  long maxWithinEvent() {
    return bytes;
  }

  /** What is freed down to, once {@link #maxLiveBytes} is exceeded. */
  long targetLiveBytes() {
    return maxLiveBytes() / 4 * 3;
  }

  /** The most bytes for a single transaction when room is needed. */
  long maxPerTransaction() {
    return maxLiveBytes() / 4;
  }

  long forReportedAnomalies() {
    return bytes / 8;
  }

  long forSuspectedAnomalies() {
    return bytes / 8;
  }
}
