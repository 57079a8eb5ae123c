package io.txwatch.serve;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Origin;
import io.txwatch.history.Outcome;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The books of a client: up to which chunk everything was taken in, and what it has open. Kept by
 * the thread that analyses, and made anew from the history after a restart.
 */
final class ClientState {

  /** Open transactions that are kept, at most. */
  private static final int MAX_OPEN_TRANSACTIONS = 1 << 16;

  final long id;
  String name = "a client of an earlier run";

  /** All chunks up to this one were taken in. */
  long lastChunk;

  /** How many events of the next chunk were taken in already, before a restart. */
  int takenOfNextChunk;

  /** Its connection; null while it is cut off. */
  @Nullable Connection connection;

  /** True from when it was cut off until it is back, or given up. */
  boolean awaited;

  /** When it was cut off, in nanoseconds of {@link System#nanoTime}. */
  long cutOffNanos;

  /** Whether that was in the middle of a frame. */
  boolean torn;

  /** The latest of the {@link Epochs} before whose beginning it has nothing more to tell of. */
  long acknowledgedEpoch;

  /** The latest that it was told of. */
  long sentEpoch;

  /** Which of its chunks were complete when each of the epochs began. */
  final Deque<Epochs.Mark> marks = new ArrayDeque<>();

  /** Its chunks up to this one are known to be complete. */
  private long complete;

  final Set<Long> sessions = new LinkedHashSet<>();

  /** The session of each open transaction. */
  private final Map<Long, Long> open = new LinkedHashMap<>();

  ClientState(long id) {
    this.id = id;
  }

  /** Its chunks up to that one are complete. */
  void markComplete(long chunk) {
    complete = Math.max(complete, chunk);
  }

  /** Its chunks up to this one are known to be complete. */
  long complete() {
    return complete;
  }

  /** Whether something of it may still come. */
  boolean isExpected() {
    return connection != null || awaited;
  }

  /** How many transactions it has open. */
  int openTransactions() {
    return open.size();
  }

  /** Takes note of an event of its. */
  void track(Event event) {
    if (event instanceof Event.TransactionBegan) {
      if (open.size() < MAX_OPEN_TRANSACTIONS) {
        open.put(event.transaction(), event.session());
      }
    } else if (event instanceof Event.TransactionEnded) {
      open.remove(event.transaction());
    } else if (event instanceof Event.SessionOpened) {
      sessions.add(event.session());
    } else if (event instanceof Event.SessionClosed) {
      sessions.remove(event.session());
    }
  }

  /** Takes note of where an event of its stands in the history of an earlier run. */
  void replayed(Event event, Origin origin) {
    track(event);
    boolean whole = origin.index() >= origin.events();
    lastChunk = Math.max(lastChunk, whole ? origin.chunk() : origin.chunk() - 1);
    takenOfNextChunk = whole ? 0 : origin.index();
  }

  /** The chunk that what the server says of this client itself is filed under. */
  Origin ownOrigin() {
    return new Origin(id, lastChunk, 0, 0);
  }

  /**
   * Ends what it has open: nobody will tell how that ended.
   *
   * @param reason for a gap of each open transaction; null if the client ended in order
   * @param micros now, for people
   */
  void closeAll(@Nullable GapReason reason, long micros, Consumer<Event> out) {
    Map<Long, Long> ended = Map.copyOf(open);
    open.clear();
    ended.forEach(
        (transaction, session) -> {
          if (reason != null) {
            out.accept(
                new Event.Gap(session, transaction, reason, "the link to it broke for good", 1));
          }
          out.accept(new Event.TransactionEnded(session, transaction, Outcome.UNKNOWN, micros));
        });
    Set<Long> left = Set.copyOf(sessions);
    sessions.clear();
    left.forEach(session -> out.accept(new Event.SessionClosed(session)));
  }
}
