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
 * The state of a client: up to which chunk its events were analyzed, and what it has open. Confined
 * to the analysis thread; rebuilt from the history after a restart.
 */
final class ClientState {

  private static final int MAX_OPEN_TRANSACTIONS = 1 << 16;

  final long id;
  String name = "a client of an earlier run";

  /** The last chunk that was analyzed; so were all before it. */
  long lastChunk;

  /** The events of the next chunk that were analyzed before a restart. */
  int takenOfNextChunk;

  /** Its connection; null while cut off. */
  @Nullable Connection connection;

  /** True from the cut until the client reconnects or is removed. */
  boolean awaited;

  /** When it was cut off, as {@link System#nanoTime}. */
  long cutOffNanos;

  /** Whether the connection ended within a frame. */
  boolean torn;

  /** The latest of the {@link Epochs} from before which it has no more events to send. */
  long acknowledgedEpoch;

  /** The latest epoch that was sent to it. */
  long sentEpoch;

  /** For each epoch, its chunks that were complete when the epoch began. */
  final Deque<Epochs.Mark> marks = new ArrayDeque<>();

  /** Its chunks up to this one are known to be complete. */
  private long complete;

  final Set<Long> sessions = new LinkedHashSet<>();

  private final Map<Long, Long> open = new LinkedHashMap<>();

  ClientState(long id) {
    this.id = id;
  }

  /** Marks its chunks up to this one as complete. */
  void markComplete(long chunk) {
    complete = Math.max(complete, chunk);
  }

  /** Its chunks up to this one are known to be complete. */
  long complete() {
    return complete;
  }

  /** Whether more of its events may arrive. */
  boolean isExpected() {
    return connection != null || awaited;
  }

  int openTransactions() {
    return open.size();
  }

  /** Tracks an event of this client. */
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

  /** Tracks an event that is replayed from the history of an earlier run. */
  void replayed(Event event, Origin origin) {
    track(event);
    boolean whole = origin.index() >= origin.events();
    lastChunk = Math.max(lastChunk, whole ? origin.chunk() : origin.chunk() - 1);
    takenOfNextChunk = whole ? 0 : origin.index();
  }

  /** The origin of events that the server itself adds for this client. */
  Origin ownOrigin() {
    return new Origin(id, lastChunk, 0, 0);
  }

  /**
   * Ends its open transactions, with an unknown outcome, and its sessions.
   *
   * @param reason the reason for the gap of each open transaction; null if the client ended in
   *     order
   * @param micros the current time, in microseconds since 1970
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
