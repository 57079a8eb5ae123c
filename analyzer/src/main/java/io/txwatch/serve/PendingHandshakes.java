package io.txwatch.serve;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The connections that have not completed the handshake, oldest first. Their number is limited per
 * address and in total, and their time is limited; beyond the limit, the oldest makes room. A
 * client that stalls before the handshake therefore cannot lock out those that complete it, of its
 * own address either. Thread-safe.
 */
final class PendingHandshakes {

  static final int MAX_PER_ADDRESS = 32;
  static final int MAX_TOTAL = 128;

  private final long deadlineNanos;
  private final Map<Connection, Since> pending = new LinkedHashMap<>();

  private record Since(InetAddress address, long nanos) {}

  /**
   * @param deadlineMillis how long a whole handshake may take, TLS included
   */
  PendingHandshakes(long deadlineMillis) {
    this.deadlineNanos = TimeUnit.MILLISECONDS.toNanos(deadlineMillis);
  }

  /** Adds a connection; returns the one to close instead, if there are too many. */
  synchronized Optional<Connection> add(Connection connection, InetAddress address) {
    pending.put(connection, new Since(address, System.nanoTime()));
    long ofAddress =
        pending.values().stream().filter(since -> since.address().equals(address)).count();
    if (ofAddress <= MAX_PER_ADDRESS && pending.size() <= MAX_TOTAL) {
      return Optional.empty();
    }
    Connection oldest =
        pending.entrySet().stream()
            .filter(
                entry -> ofAddress <= MAX_PER_ADDRESS || entry.getValue().address().equals(address))
            .findFirst()
            .orElseThrow()
            .getKey();
    pending.remove(oldest);
    return Optional.of(oldest);
  }

  /** Removes a connection that has completed its handshake or has ended. */
  synchronized void remove(Connection connection) {
    pending.remove(connection);
  }

  /** Removes and returns the connections whose time is over. */
  synchronized List<Connection> takeOverdue() {
    long now = System.nanoTime();
    List<Connection> overdue = new ArrayList<>();
    Iterator<Map.Entry<Connection, Since>> entries = pending.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<Connection, Since> entry = entries.next();
      if (now - entry.getValue().nanos() < deadlineNanos) {
        break;
      }
      overdue.add(entry.getKey());
      entries.remove();
    }
    return overdue;
  }
}
