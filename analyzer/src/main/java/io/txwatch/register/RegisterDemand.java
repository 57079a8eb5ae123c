package io.txwatch.register;

import io.txwatch.history.IsolationLevel;
import java.time.Duration;
import java.util.Set;

/**
 * What a register history is checked for.
 *
 * @param level the level, by Adya's definitions
 * @param sessionOrder whether session order counts
 * @param realTimeOrder whether real-time order counts, where the history records it
 * @param keyOrders what is assumed of each register
 * @param budget the limit of the check, in processor time
 */
public record RegisterDemand(
    IsolationLevel level,
    boolean sessionOrder,
    boolean realTimeOrder,
    Set<KeyOrder> keyOrders,
    Duration budget) {

  /** Whether the level forbids cycles with rw edges. */
  boolean forbidsAntiDependencies() {
    return level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
  }

  /** Whether a transaction reads a snapshot and commits later. */
  boolean hasSnapshots() {
    return level == IsolationLevel.SNAPSHOT;
  }
}
