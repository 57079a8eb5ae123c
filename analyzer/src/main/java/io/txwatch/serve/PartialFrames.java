package io.txwatch.serve;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts the bytes of frames that have arrived in part, and bounds them: memory is taken as bytes
 * arrive, not as a client announces them. When the bound is exceeded, the connection that holds the
 * most has to go, so that many small frames are never held up by large ones. Safe for many threads.
 */
final class PartialFrames {

  private final long maxBytes;
  private final Map<Connection, Long> bytes = new HashMap<>();
  private long total;

  PartialFrames(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Counts more bytes of a connection's frame; the result is the connection to cut, if any. */
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

  /** The connection's frame is complete, or will never be. */
  synchronized void remove(Connection connection) {
    Long held = bytes.remove(connection);
    total -= held == null ? 0 : held;
  }
}
