package io.txwatch.serve;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Bounds the memory of frames that have arrived in part. Memory is counted as bytes arrive, not as
 * a client announces them. When the bound is exceeded, the connection with the largest partial
 * frame is cut, so large frames never block many small ones. Thread-safe.
 */
final class PartialFrames {

  private final long maxBytes;
  private final Map<Connection, Long> bytes = new HashMap<>();
  private long total;

  PartialFrames(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Counts more bytes of a connection's frame; returns the connection to cut, if any. */
  synchronized @Nullable Connection add(Connection connection, long more) {
    bytes.merge(connection, more, Long::sum);
    total += more;
    if (total <= maxBytes || bytes.size() == 1) {
      return null;
    }
    Connection largest = connection;
    for (Map.Entry<Connection, Long> entry : bytes.entrySet()) {
      if (entry.getValue() > bytes.getOrDefault(largest, 0L)) {
        largest = entry.getKey();
      }
    }
    return largest;
  }

  /** Ends a connection's frame: it is complete, or never will be. */
  synchronized void remove(Connection connection) {
    Long held = bytes.remove(connection);
    total -= held == null ? 0 : held;
  }
}
