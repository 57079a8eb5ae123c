package io.txwatch.link;

import io.txwatch.history.Chunk;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * The chunks that are not acknowledged yet, numbered, within a bound in bytes.
 *
 * <p>When the bound is reached, events are dropped and counted until half of it is free again. Then
 * follow a gap with the count and the dropped events that are indispensable: the ends of
 * transactions whose beginning was kept, and the sessions opened or closed meanwhile. Each end
 * carries the number of its transaction's events, so that the analyzer detects which transactions
 * lost events and analyzes the others as usual.
 *
 * <p>Thread-safe.
 */
final class Backlog {

  /** The size at which a chunk is completed. */
  static final int CHUNK_BYTES = 1 << 16;

  /** The maximum time that the first event of a chunk waits for further events. */
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** The maximum size of sent, unacknowledged chunks; {@code link.proto} defines it. */
  private static final long MAX_UNACKNOWLEDGED_BYTES = 4 << 20;

  /** The maximum number of open transactions that are tracked. */
  private static final int MAX_OPEN_TRANSACTIONS = 1 << 16;

  /** A numbered chunk, with the openings and closings of sessions in it. */
  record NumberedChunk(long number, Chunk chunk, List<Event> sessions) {

    long bytes() {
      return chunk.bytes().length + 300L;
    }
  }

  private final long bound;
  private final Chunk.Builder builder;
  private final Chunk.Builder sessionRecords;
  private final NavigableMap<Long, NumberedChunk> waiting = new TreeMap<>();
  private long waitingBytes;
  private long lastNumber;
  private List<Event> sessionsInChunk = new ArrayList<>();
  private long chunkBegun;
  private long wakings;
  private long wakingsSeen;

  /** The sessions that were open before the first unacknowledged chunk. */
  private final Map<Long, Event> open = new LinkedHashMap<>();

  /** The transactions whose beginning was kept and whose end was not. */
  private final Set<Long> running = new HashSet<>();

  private boolean dropping;
  private long dropped;
  private long unreportedDrops;
  private final List<Event> endedMeanwhile = new ArrayList<>();
  private final List<Event> closedMeanwhile = new ArrayList<>();
  private final Map<Long, Event> openedMeanwhile = new LinkedHashMap<>();

  /** Creates a backlog of at most {@code bound} bytes plus one chunk. */
  Backlog(long bound, String node) {
    this(bound, node, Chunk.MAX_EVENT_BYTES);
  }

  /** Creates a backlog in which an event has at most {@code maxEvent} bytes. */
  Backlog(long bound, String node, int maxEvent) {
    this.bound = bound;
    this.builder = new Chunk.Builder(node, CHUNK_BYTES, maxEvent);
    this.sessionRecords = new Chunk.Builder(node, 1 << 10);
  }

  /**
   * Keeps an event, or drops it.
   *
   * @return true if this event is the first one dropped
   */
  synchronized boolean add(Event event) {
    if (dropping) {
      drop(event);
      resume();
      return false;
    }
    if (waitingBytes + builder.size() >= bound) {
      dropping = true;
      drop(event);
      return true;
    }
    keep(event);
    return false;
  }

  private void keep(Event event) {
    if (builder.events() == 0) {
      chunkBegun = System.nanoTime();
      notifyAll();
    }
    builder.add(event);
    if (event instanceof Event.TransactionBegan) {
      if (running.size() < MAX_OPEN_TRANSACTIONS) {
        running.add(event.transaction());
      }
    } else if (event instanceof Event.TransactionEnded) {
      running.remove(event.transaction());
    } else if (event instanceof Event.SessionOpened || event instanceof Event.SessionClosed) {
      sessionsInChunk.add(event);
    }
    if (builder.size() >= CHUNK_BYTES) {
      close();
    }
  }

  private void close() {
    NumberedChunk next = new NumberedChunk(++lastNumber, builder.take(), sessionsInChunk);
    sessionsInChunk = new ArrayList<>();
    waiting.put(next.number, next);
    waitingBytes += next.bytes();
    notifyAll();
  }

  private void drop(Event event) {
    if (event instanceof Event.TransactionEnded && running.remove(event.transaction())) {
      endedMeanwhile.add(event);
      return;
    } else if (event instanceof Event.SessionOpened) {
      openedMeanwhile.put(event.session(), event);
      return;
    } else if (event instanceof Event.SessionClosed) {
      if (openedMeanwhile.remove(event.session()) == null) {
        closedMeanwhile.add(event);
      }
      return;
    }
    long count = event instanceof Event.Gap gap ? gap.count() : 1;
    dropped += count;
    unreportedDrops += count;
  }

  /** Resumes accepting events if there is room again, and reports what was dropped. */
  private void resume() {
    if (!dropping || waitingBytes + builder.size() > bound / 2) {
      return;
    }
    dropping = false;
    if (unreportedDrops > 0) {
      keep(
          new Event.Gap(
              0,
              0,
              GapReason.OVERFLOW,
              "the shared analyzer was out of reach or too slow",
              unreportedDrops));
      unreportedDrops = 0;
    }
    endedMeanwhile.forEach(this::keep);
    endedMeanwhile.clear();
    closedMeanwhile.forEach(this::keep);
    closedMeanwhile.clear();
    openedMeanwhile.values().forEach(this::keep);
    openedMeanwhile.clear();
  }

  /**
   * Returns the first chunk after {@code number}, if there is one within {@code nanos} nanoseconds
   * and the unacknowledged chunks before it are within {@link #MAX_UNACKNOWLEDGED_BYTES}.
   *
   * @param atOnce whether to return an incomplete chunk without waiting for more events
   */
  synchronized Optional<NumberedChunk> after(long number, long nanos, boolean atOnce)
      throws InterruptedException {
    long until = System.nanoTime() + nanos;
    while (true) {
      resume();
      boolean mayGo = bytesUpTo(number) < MAX_UNACKNOWLEDGED_BYTES;
      Map.Entry<Long, NumberedChunk> next = mayGo ? waiting.higherEntry(number) : null;
      if (next != null) {
        return Optional.of(next.getValue());
      }
      long now = System.nanoTime();
      boolean some = mayGo && builder.events() > 0;
      if (some && (atOnce || now - chunkBegun >= LINGER_NANOS)) {
        close();
      } else if (now - until >= 0 || wakings != wakingsSeen) {
        wakingsSeen = wakings;
        return Optional.empty();
      } else {
        long pause = Math.min(nanosToLinger(some, now), until - now);
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(100_000, pause));
      }
    }
  }

  /** How much longer an incomplete chunk waits for events; without one, for as long as it takes. */
  private long nanosToLinger(boolean some, long now) {
    return some ? chunkBegun + LINGER_NANOS - now : Long.MAX_VALUE;
  }

  private long bytesUpTo(long number) {
    long bytes = 0;
    for (NumberedChunk chunk : waiting.headMap(number, true).values()) {
      bytes += chunk.bytes();
    }
    return bytes;
  }

  /** The number of the last chunk to which no event will be added. */
  synchronized long complete() {
    return lastNumber;
  }

  /** Releases the chunks up to that number. */
  synchronized void acknowledged(long through) {
    NavigableMap<Long, NumberedChunk> done = waiting.headMap(through, true);
    boolean some = !done.isEmpty();
    for (NumberedChunk chunk : done.values()) {
      waitingBytes -= chunk.bytes();
      for (Event event : chunk.sessions) {
        if (event instanceof Event.SessionOpened) {
          open.put(event.session(), event);
        } else {
          open.remove(event.session());
        }
      }
    }
    done.clear();
    if (some) {
      notifyAll();
    }
  }

  /** The number before the first unacknowledged chunk. */
  synchronized long base() {
    return waiting.isEmpty() ? lastNumber : waiting.firstKey() - 1;
  }

  /** Encodes the sessions that were open before the first unacknowledged chunk. */
  synchronized byte[] openSessionRecords() {
    open.values().forEach(sessionRecords::add);
    return sessionRecords.take().bytes();
  }

  /**
   * The number of the chunk that completes everything added so far; empty while events are being
   * dropped.
   */
  synchronized OptionalLong lastPendingChunk() {
    return dropping
        ? OptionalLong.empty()
        : OptionalLong.of(builder.events() > 0 ? lastNumber + 1 : lastNumber);
  }

  synchronized boolean isEmpty() {
    return waiting.isEmpty() && builder.events() == 0 && !dropping;
  }

  /** The number of unacknowledged events. */
  synchronized long events() {
    return waiting.values().stream().mapToLong(next -> next.chunk.events()).sum()
        + builder.events();
  }

  synchronized long dropped() {
    return dropped;
  }

  /** Wakes the thread that waits for a chunk. */
  synchronized void wake() {
    wakings++;
    notifyAll();
  }
}
