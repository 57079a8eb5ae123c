package io.txwatch.analyzer;

import io.txwatch.history.Event;

/**
 * How many bytes the analyzer may take, and when it is time to discard.
 *
 * <p>Three quarters are for what grows with the traffic: transactions, versions and the graph. They
 * are counted object by object as they come and go ({@code Footprint}), not estimated from events.
 * The last quarter is for what has a size of its own: what was reported already, and suspicions.
 *
 * <p>When the three quarters are full, so much goes that a quarter of them at least is free. So
 * however little can be discarded, it is looked for only after that much has come again.
 */
final class MemoryBudget {

  /** So many transactions begin between two times of discarding. */
  static final long TRANSACTIONS_PER_DISCARD = 256;

  private final long bytes;
  private long beganSinceDiscard;

  MemoryBudget(long bytes) {
    this.bytes = bytes;
  }

  /**
   * Takes note of an event; true if so many came that it is worth looking what may be discarded.
   */
  boolean isTimeToDiscard(Event event) {
    if (event instanceof Event.TransactionBegan
        && ++beganSinceDiscard >= TRANSACTIONS_PER_DISCARD) {
      beganSinceDiscard = 0;
      return true;
    }
    return false;
  }

  /** What grows with the traffic may take so many bytes. */
  long maxLiveBytes() {
    return bytes / 4 * 3;
  }

  /** Within one event it may take so many. */
  long maxWithinEvent() {
    return bytes;
  }

  /** When it has become more than {@link #maxLiveBytes}, it is reduced to so many. */
  long targetLiveBytes() {
    return maxLiveBytes() / 4 * 3;
  }

  /** For one transaction alone there may be so many when room is needed. */
  long maxPerTransaction() {
    return maxLiveBytes() / 4;
  }

  /** For what was reported already. */
  long forReportedAnomalies() {
    return bytes / 8;
  }

  /** For suspicions. */
  long forSuspectedAnomalies() {
    return bytes / 8;
  }
}
