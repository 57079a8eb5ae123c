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
 * What was not acknowledged yet: numbered chunks, within a bound of bytes.
 *
 * <p>When the bound is reached, events are dropped and counted until half of it is free again. Then
 * comes a gap with their count, and what must not be missed of what was dropped: the ends of those
 * transactions whose beginning had been kept, and the sessions that were opened or closed
 * meanwhile. Each end carries the number of its transaction's events, so that whoever lost one is
 * found out, and whoever lost none is judged as ever.
 *
 * <p>Safe for many threads.
 */
final class Backlog {

  /** Bytes at which a chunk is closed. */
  static final int CHUNK_BYTES = 1 << 16;

  /** How long the first event of a chunk waits for more. */
  private static final long LINGER_NANOS = TimeUnit.MILLISECONDS.toNanos(4);

  /** Bytes on their way that are not acknowledged, as {@code link.proto} has it. */
  private static final long MAX_UNACKNOWLEDGED_BYTES = 4 << 20;

  /** Transactions whose ends are looked out for, at most. */
  private static final int MAX_OPEN_TRANSACTIONS = 1 << 16;

  /** A chunk that waits, and the openings and closings of sessions in it. */
  record NumberedChunk(long number, Chunk chunk, List<Event> sessions) {

    /** What it takes in memory, roughly. */
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

  /** The sessions that were open before the first chunk that waits. */
  private final Map<Long, Event> open = new LinkedHashMap<>();

  /** The transactions that began in what was kept, and did not end there. */
  private final Set<Long> running = new HashSet<>();

  private boolean dropping;
  private long dropped;
  private long unreportedDrops;
  private final List<Event> endedMeanwhile = new ArrayList<>();
  private final List<Event> closedMeanwhile = new ArrayList<>();
  private final Map<Long, Event> openedMeanwhile = new LinkedHashMap<>();

  /** A backlog of at most so many bytes, and a chunk. */
  Backlog(long bound, String node) {
    this.bound = bound;
    this.builder = new Chunk.Builder(node, CHUNK_BYTES);
    this.sessionRecords = new Chunk.Builder(node, 1 << 10);
  }

  /**
   * Keeps an event, or drops it.
   *
   * @return true if this is where dropping begins
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

  /** Ends the dropping if there is room again, and tells what was dropped. */
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
   * The first chunk behind that number, if there is one within so many nanoseconds, and not too
   * much before it is still to be acknowledged.
   *
   * @param atOnce whether to hand out what there is, without waiting for more
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
        long pause = some ? chunkBegun + LINGER_NANOS - now : until - now;
        TimeUnit.NANOSECONDS.timedWait(this, Math.max(100_000, Math.min(pause, until - now)));
      }
    }
  }

  private long bytesUpTo(long number) {
    long bytes = 0;
    for (NumberedChunk chunk : waiting.headMap(number, true).values()) {
      bytes += chunk.bytes();
    }
    return bytes;
  }

  /** Up to which chunk all is here that will be in them. */
  synchronized long complete() {
    return lastNumber;
  }

  /** Lets go of the chunks up to that number. */
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

  /** The number behind which the chunks that wait begin. */
  synchronized long base() {
    return waiting.isEmpty() ? lastNumber : waiting.firstKey() - 1;
  }

  /** The sessions that were open before the first chunk that waits, as records. */
  synchronized byte[] openSessionRecords() {
    open.values().forEach(sessionRecords::add);
    return sessionRecords.take().bytes();
  }

  /** The chunk with which everything is told that was added; none as long as events are dropped. */
  synchronized OptionalLong lastPendingChunk() {
    return dropping
        ? OptionalLong.empty()
        : OptionalLong.of(builder.events() > 0 ? lastNumber + 1 : lastNumber);
  }

  /** True if nothing waits. */
  synchronized boolean isEmpty() {
    return waiting.isEmpty() && builder.events() == 0 && !dropping;
  }

  /** How many events wait. */
  synchronized long events() {
    return waiting.values().stream().mapToLong(next -> next.chunk.events()).sum()
        + builder.events();
  }

  /** How many events were dropped. */
  synchronized long dropped() {
    return dropped;
  }

  /** Has whoever waits for a chunk wait no longer. */
  synchronized void wake() {
    wakings++;
    notifyAll();
  }
}
