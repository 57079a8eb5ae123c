package io.txwatch.serve;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/**
 * Determines what ended, in any client, before every event that is still to arrive happened, in any
 * client.
 *
 * <p>The clients' streams are merged as they arrive. A stream may lag behind the others by as much
 * as its client buffers. An epoch is a point in time between two events, common to all clients:
 *
 * <ul>
 *   <li>Everything that a client last declared complete ({@code complete} in {@code link.proto})
 *       happened before the epoch began. Events that arrived before the first later chunk had ended
 *       by then, and nothing older arrives after them.
 *   <li>A client that received the epoch acknowledges it with a chunk ({@code acknowledged_epoch})
 *       once it has sent everything from before. Everything that it sends afterwards began later.
 * </ul>
 *
 * Once every client has acknowledged an epoch, no new event can therefore overlap with a
 * transaction that ended before the first chunk arrived that was not known to be complete when the
 * epoch began. Only what was in transit in between is retained for events to come, not what clients
 * buffer.
 *
 * <p>Times are the analyzer's: the number of events accepted. Confined to the analysis thread.
 */
final class Epochs {

  /** The most open epochs: no more begin while a client does not acknowledge them. */
  private static final int MAX_OPEN = 1024;

  /** From the oldest epoch that a client has not passed to the newest; never empty. */
  private final Deque<Epoch> open = new ArrayDeque<>();

  private static final class Epoch {
    final long number;

    /** When the first event arrived that may have happened after the epoch began. */
    long endTime = Long.MAX_VALUE;

    Epoch(long number) {
      this.number = number;
    }
  }

  /** An epoch, and the last chunk of a client that was complete when it began. */
  static final class Mark {
    private final Epoch epoch;
    private final long complete;

    private Mark(Epoch epoch, long complete) {
      this.epoch = epoch;
      this.complete = complete;
    }
  }

  /**
   * Begins before the first client connects.
   *
   * @param time what ended then or later is retained until all clients have acknowledged
   */
  Epochs(long time) {
    Epoch first = new Epoch(0);
    first.endTime = time;
    open.add(first);
  }

  long newest() {
    return open.getLast().number;
  }

  /**
   * Begins an epoch for the clients that may send events; returns the newest if there are too many.
   */
  long begin(Collection<ClientState> expected) {
    if (open.size() < MAX_OPEN) {
      Epoch epoch = new Epoch(newest() + 1);
      open.add(epoch);
      for (ClientState client : expected) {
        client.marks.add(new Mark(epoch, client.complete()));
      }
    }
    return newest();
  }

  /** A client connects at that time; what it had completed is unknown. */
  void clientConnects(long time) {
    for (Epoch epoch : open) {
      epoch.endTime = Math.min(epoch.endTime, time);
    }
  }

  /** A chunk of a client arrives at that time. */
  void chunkArrives(ClientState client, long chunk, long time) {
    for (Mark next = client.marks.peek();
        next != null && next.complete < chunk;
        next = client.marks.peek()) {
      next.epoch.endTime = Math.min(next.epoch.endTime, time);
      client.marks.remove();
    }
  }

  /**
   * A client left for good at that time; the events that end its transactions are the server's own.
   */
  void clientLeaves(ClientState client, long time) {
    chunkArrives(client, Long.MAX_VALUE, time);
  }

  /**
   * The time from which on ended transactions may overlap with events still to arrive.
   *
   * @param expected the clients that may send more events
   * @param time the analyzer's current time
   */
  long retainFrom(Collection<ClientState> expected, long time) {
    long acknowledged = newest();
    for (ClientState client : expected) {
      acknowledged = Math.min(acknowledged, client.acknowledgedEpoch);
    }
    while (open.getFirst().number < acknowledged) {
      open.remove();
    }
    return expected.isEmpty() ? time : Math.min(time, open.getFirst().endTime);
  }
}
