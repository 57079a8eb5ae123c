package io.txwatch.serve;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/**
 * Tells what was over, in any client, before everything that is still to come began, in any client.
 *
 * <p>Streams of clients are merged as they arrive, and one may be behind another, or behind the
 * time, by as much as its buffer holds. An epoch is a moment between two events for all of them:
 *
 * <ul>
 *   <li>Whatever a client had completed when it last said so had happened before the epoch began
 *       ({@code complete} in {@code link.proto}). What came before the first chunk beyond was over
 *       by then, and so nothing but arrives late.
 *   <li>A client that knows of the epoch says with which chunk it has told everything that had
 *       happened before it heard ({@code told}). Whatever comes after that began later.
 * </ul>
 *
 * So once every client has told the epoch, nothing overlaps any more with what was over at the
 * arrival of the first chunk that was not known to be complete when it began. What is kept for what
 * is still to come is what was on the wire between, and not what waits with the clients.
 *
 * <p>Times are the analyzer's: how many events it has taken in. Of the thread that analyses.
 */
final class Epochs {

  /** Epochs that may be open: no more are begun as long as a client does not tell them. */
  private static final int MAX_OPEN = 1024;

  /** From the oldest that some client has not told beyond to the newest; never empty. */
  private final Deque<Epoch> open = new ArrayDeque<>();

  /** One epoch. */
  private static final class Epoch {
    final long number;

    /** When the first event came that may have happened after it began, as far as it came. */
    long endTime = Long.MAX_VALUE;

    Epoch(long number) {
      this.number = number;
    }
  }

  /** An epoch, and the last chunk of a client that was known to be complete when it began. */
  static final class Mark {
    private final Epoch epoch;
    private final long complete;

    private Mark(Epoch epoch, long complete) {
      this.epoch = epoch;
      this.complete = complete;
    }
  }

  /**
   * Begins before the first client comes.
   *
   * @param time nothing is discarded that was over then or later, until all clients have told
   */
  Epochs(long time) {
    Epoch first = new Epoch(0);
    first.endTime = time;
    open.add(first);
  }

  /** The newest. */
  long newest() {
    return open.getLast().number;
  }

  /** Begins one, of those clients of whom something may come; the newest if there are too many. */
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

  /** A client comes at that time: nobody knows what it had completed. */
  void clientConnects(long time) {
    for (Epoch epoch : open) {
      epoch.endTime = Math.min(epoch.endTime, time);
    }
  }

  /** A chunk of a client comes at that time. */
  void chunkArrives(ClientState client, long chunk, long time) {
    for (Mark next = client.marks.peek();
        next != null && next.complete < chunk;
        next = client.marks.peek()) {
      next.epoch.endTime = Math.min(next.epoch.endTime, time);
      client.marks.remove();
    }
  }

  /** A client is gone for good at that time: what is said of it from now on it does not say. */
  void clientLeaves(ClientState client, long time) {
    chunkArrives(client, Long.MAX_VALUE, time);
  }

  /**
   * The time since which something was over that may overlap with what is still to come.
   *
   * @param expected of whom something may come
   * @param time the analyzer's, now
   */
  long retainFrom(Collection<ClientState> expected, long time) {
    long told = newest();
    for (ClientState client : expected) {
      told = Math.min(told, client.acknowledgedEpoch);
    }
    while (open.getFirst().number < told) {
      open.remove();
    }
    return expected.isEmpty() ? time : Math.min(time, open.getFirst().endTime);
  }
}
