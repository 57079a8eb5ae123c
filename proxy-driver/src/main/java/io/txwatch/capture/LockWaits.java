package io.txwatch.capture;

import io.txwatch.history.Event;
import io.txwatch.history.Event.Waited.Holder;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

/** The waits of one statement for locks, as samples show them. Guarded by its session's lock. */
final class LockWaits {

  private static final int MAX_WAITS = 8;

  /** A wait for certain transactions, perhaps with interruptions. */
  private static final class Wait {
    private final List<Holder> holders;
    private final long micros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    private long since;
    private long nanos;
    private boolean isWaiting;

    Wait(List<Holder> holders) {
      this.holders = holders;
    }

    private void ended(long at) {
      if (isWaiting) {
        isWaiting = false;
        nanos += Math.max(0, at - since);
      }
    }
  }

  private final List<Wait> waits = new ArrayList<>(1);

  /**
   * A sample was taken.
   *
   * @param holders for whom the statement waits; empty if it does not wait
   * @param nanos when it was begun, by {@link System#nanoTime}
   */
  void sampled(List<Holder> holders, long nanos) {
    Wait now = null;
    for (Wait wait : waits) {
      if (!holders.isEmpty() && wait.holders.equals(holders)) {
        now = wait;
      } else {
        wait.ended(nanos);
      }
    }
    if (now == null && !holders.isEmpty() && waits.size() < MAX_WAITS) {
      now = new Wait(holders);
      waits.add(now);
    }
    if (now != null && !now.isWaiting) {
      now.isWaiting = true;
      now.since = nanos;
    }
  }

  /** The waits of the statement, which has returned. */
  List<Event.Waited> ended(Observation statement, long session) {
    List<Event.Waited> events = new ArrayList<>();
    for (Wait wait : waits) {
      wait.ended(statement.returnedAt());
      events.add(
          new Event.Waited(
              session,
              statement.transaction.id,
              statement.number,
              wait.holders,
              wait.micros,
              wait.nanos / 1000));
    }
    return events;
  }
}
