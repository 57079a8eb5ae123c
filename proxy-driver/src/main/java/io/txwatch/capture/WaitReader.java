package io.txwatch.capture;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Reads who waits for locks in a database, and decides how often: soon for a statement that has not
 * been considered yet, then every {@link WaitSampler#INTERVAL_NANOS} while someone waits, and ever
 * less often while no one does, since a long query is no wait. Used by one thread at a time.
 */
public final class WaitReader {

  private static final long MAX_PAUSE_NANOS = 16 * WaitSampler.INTERVAL_NANOS;

  private final Supplier<Optional<Map<Long, Set<Long>>>> source;
  private long pause = WaitSampler.INTERVAL_NANOS;
  private long readAt = System.nanoTime() - MAX_PAUSE_NANOS;
  private Set<SessionTracker.Running> known = Set.of();

  /**
   * A reader of one database.
   *
   * @param source returns the numbers of the connections that wait, each with those that it waits
   *     for; empty if they could not be read
   */
  public WaitReader(Supplier<Optional<Map<Long, Set<Long>>>> source) {
    this.source = source;
  }

  /** Whether the waits are to be read now, while these statements are running. */
  boolean isTime(Set<SessionTracker.Running> running, long nanos) {
    long elapsed = nanos - readAt;
    boolean isTime =
        elapsed >= WaitSampler.INTERVAL_NANOS && (elapsed >= pause || !known.containsAll(running));
    known = isTime ? Set.copyOf(running) : known;
    return isTime;
  }

  /** Reads the waits. */
  Optional<Map<Long, Set<Long>>> read(long nanos) {
    Optional<Map<Long, Set<Long>>> waits = source.get();
    readAt = nanos;
    pause =
        waits.isPresent() && !waits.get().isEmpty()
            ? WaitSampler.INTERVAL_NANOS
            : Math.min(2 * pause, MAX_PAUSE_NANOS);
    return waits;
  }
}
