package io.txwatch.history;

import java.io.Flushable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the application's threads and the consumers of events: a bounded queue, and one
 * daemon thread that empties it. {@link #accept} takes some ten nanoseconds, never waits for
 * anybody, and never throws.
 *
 * <h2>When the queue is full</h2>
 *
 * Statements are dropped: they are many, and big. Of each transaction that lost some, the first
 * loss notes where in the queue it happened, later ones only count up; the thread makes one {@link
 * Event.Gap} of them and delivers it at that place, so before anything that the transaction did
 * afterwards, its end included. Beginnings and ends are few and small, and without them nobody
 * could tell what became of a transaction: they go to a reserve, with their place, and are
 * delivered in order as if there had been room. The reserve is bounded too. Beyond it a gap of no
 * session says that anything may be missing.
 *
 * <p>"Where" is the producers' index of the queue at the time of the failed offer. Everything that
 * the same session had queued before has a smaller index, everything that it queues later has that
 * one or a greater. So it is enough to deliver, before the event at index i, what was noted at i or
 * before.
 *
 * <h2>When nothing comes</h2>
 *
 * While events come the thread empties the queue at intervals, so that a producer does not pay for
 * waking it. After {@value #MAX_IDLE_ROUNDS} intervals without an event it flushes the consumers
 * and waits, with one more flush a second later and no wake-ups after that; the next event wakes
 * it. No wake-up is lost: a producer first adds its event, then reads {@link #asleep}; the thread
 * first sets it, then looks at the queue.
 *
 * <p>A {@link SharedQueue} decides when a queue ends that no connection uses any more.
 *
 * <h2>When a consumer fails</h2>
 *
 * It is said once, counted, told to that consumer as a gap; the others do not notice.
 */
public final class QueueSink implements EventSink {

  /** Beginnings, ends and gaps that may wait besides the queue. */
  private static final int MAX_RESERVED_EVENTS =
      (int) Math.max(1 << 10, Math.min(1 << 16, maxHeapBytes() >> 12));

  /** So much heap there is to be for each event that may wait, in bytes. */
  private static final int HEAP_BYTES_PER_EVENT = 1 << 13;

  private static final int MIN_CAPACITY = 1 << 10;

  /**
   * Rows of version sets that may wait, some 22 bytes each: they weigh more than the events that
   * carry them. Version sets beyond it are dropped and counted. Less in a small heap.
   */
  static final long MAX_VERSION_ROWS = Math.min(2_000_000, maxHeapBytes() / 256);

  /** An event with more rows than this counts as so many rows of version sets, times eight. */
  private static final int MAX_WEIGHTLESS_ROWS = 32;

  /** What a row of an event weighs, in rows of version sets. */
  private static final int ROW_WEIGHT = 8;

  static final long CLOSE_TIMEOUT_MILLIS = 5_000;

  /** For so long of that events are still delivered; then the consumers are closed. */
  private static final long DELIVERY_TIMEOUT_MILLIS = 3_500;

  /** After so many faults outside of the consumers nothing is delivered any more. */
  private static final int MAX_FAULTS = 16;

  /**
   * Nanoseconds. To wake the thread costs as much as tens of events, on the application's time: so
   * let hundreds gather, unless they come so fast that the queue begins to fill.
   */
  private static final long PAUSE_NANOS = 20_000_000;

  private static final long SHORT_PAUSE_NANOS = 1_000_000;
  private static final long MAX_PAUSE_NANOS = 40_000_000;

  /** After so many pauses without an event the thread waits for the next one. */
  static final int MAX_IDLE_ROUNDS = 5;

  /**
   * Nanoseconds from the first flush of a quiet queue to the second. A consumer that does something
   * at most once a second does it then.
   */
  private static final long SECOND_FLUSH_DELAY_NANOS = 1_100_000_000;

  /** The share of the queue that calls for short pauses. */
  private static final int SHORT_PAUSE_QUEUE_SHARE = 32;

  private static final long FLUSH_INTERVAL_NANOS = 100_000_000;

  private static final long AWAIT_POLL_NANOS = 1_000_000;

  /**
   * After so many events, some fifty microseconds of analysis, the thread lets others go first:
   * where processors are short it would otherwise hold up the application for all that has
   * gathered. Not while the queue is filling.
   */
  private static final int EVENTS_PER_YIELD = 1 << 6;

  /** Events between two looks whether what had come by a certain time is delivered. */
  private static final int EVENTS_PER_CATCH_UP_CHECK = 1 << 10;

  private final MpscAtomicArrayQueue<Event> queue;
  private final Queue<DeferredEvent> reserve = new ConcurrentLinkedQueue<>();
  private final AtomicLong versionRows = new AtomicLong();
  private final AtomicInteger reserved = new AtomicInteger();
  private final AtomicLong deferredNumber = new AtomicLong();
  private final Map<Long, Lost> losses = new ConcurrentHashMap<>();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder droppedUntraced = new LongAdder();
  private volatile boolean late;
  private volatile boolean closed;

  /** The calls of {@link #notifyCaughtUp} that have returned. */
  private volatile long rounds;

  /** True while the thread waits for somebody to {@link #wake} it. */
  private volatile boolean asleep;

  /** When events are delivered no more, by {@link System#nanoTime}; only if it is closed. */
  private volatile long deliverUntil;

  private final List<EventSink> consumers;
  private final Map<EventSink, Long> failures = new HashMap<>();
  private final Consumer<String> warnings;
  private final Thread thread;

  /** Nanoseconds until this queue is to end, asked when it is empty; see {@link SharedQueue}. */
  private final ToLongFunction<QueueSink> nanosToEnd;

  /** Open until the thread that used the consumers before has ended. */
  private final CountDownLatch predecessorEnded;

  /** Open until the thread has ended; does not hold the queue. */
  private final CountDownLatch ended = new CountDownLatch(1);

  /** True if the queue ends because nobody uses it: its consumers may be used again. */
  private boolean unused;

  // Of the SharedQueue, guarded by its lock.
  int users;
  long unusedSinceNanos;

  private final PriorityQueue<DeferredEvent> inOrder = new PriorityQueue<>();
  private long catchUpTo;
  private long flushed = System.nanoTime();
  private volatile long failed;
  private volatile @Nullable Thread hook;

  /**
   * An event that came when the queue was full.
   *
   * @param place the producers' index at that time
   * @param number counts what came late, so that one place has an order too
   */
  private record DeferredEvent(long place, long number, Event event)
      implements Comparable<DeferredEvent> {
    @Override
    public int compareTo(DeferredEvent other) {
      int byPlace = Long.compare(place, other.place);
      return byPlace != 0 ? byPlace : Long.compare(number, other.number);
    }
  }

  /** What a transaction lost since it was last told. */
  private record Lost(long session, long place, long number, long count) {}

  /** A queue that tells troubles on standard error. */
  public QueueSink(int capacity, List<? extends EventSink> consumers) {
    this(capacity, consumers, line -> System.err.println("txwatch: " + line));
  }

  /**
   * Starts the thread.
   *
   * @param capacity events that may wait; rounded up to a power of two. Fewer in a small heap, so
   *     that they never take more than a small part of it
   * @param consumers are called by that thread alone, and closed by it. One that is {@link
   *     Flushable} is flushed when there is nothing else to do
   * @param warnings takes a line for people
   */
  public QueueSink(int capacity, List<? extends EventSink> consumers, Consumer<String> warnings) {
    this(capacity, consumers, warnings, queue -> Long.MAX_VALUE, new CountDownLatch(0));
  }

  /**
   * The same for a {@link SharedQueue}.
   *
   * @param nanosToEnd nanoseconds until the queue is to end. At 0 or less nobody can add events any
   *     more
   * @param predecessorEnded open while another queue uses the consumers
   */
  QueueSink(
      int capacity,
      List<? extends EventSink> consumers,
      Consumer<String> warnings,
      ToLongFunction<QueueSink> nanosToEnd,
      CountDownLatch predecessorEnded) {
    long room = Math.max(MIN_CAPACITY, maxHeapBytes() / HEAP_BYTES_PER_EVENT);
    this.queue = new MpscAtomicArrayQueue<>((int) Math.max(4, Math.min(capacity, room)));
    this.consumers = List.copyOf(consumers);
    this.warnings = warnings;
    this.nanosToEnd = nanosToEnd;
    this.predecessorEnded = predecessorEnded;
    this.thread = BackgroundThreads.create("txwatch-events", this::run);
    thread.start();
  }

  /** Open until this queue has ended and its consumers are released; does not hold the queue. */
  CountDownLatch ended() {
    return ended;
  }

  /** True if it takes no more events. */
  boolean isClosed() {
    return closed;
  }

  /** Has the thread look at the queue, and say that it has caught up, if it waits. Cheap if not. */
  void wake() {
    if (asleep) {
      asleep = false;
      LockSupport.unpark(thread);
    }
  }

  private static long maxHeapBytes() {
    return Runtime.getRuntime().maxMemory();
  }

  @Override
  public void accept(Event event) {
    try {
      if (closed) {
        dropped.increment();
      } else if (event instanceof Event.StatementExecuted e && isHeavy(e)) {
        acceptHeavy(e);
      } else if (!queue.offer(event)) {
        defer(event);
      }
    } catch (OutOfMemoryError e) { // on the application's thread: it must not notice
      dropped.increment();
      droppedUntraced.increment();
      late = true;
    }
    wake();
  }

  private void acceptHeavy(Event.StatementExecuted event) {
    Event.StatementExecuted light = event;
    if (!reserve(event)) {
      light = event.withoutVersionSets();
      if (event.versionSets().isEmpty() || isHeavy(light) && !reserve(light)) {
        defer(event);
        return;
      }
      accept(
          new Event.Gap(
              event.session(),
              event.transaction(),
              GapReason.NO_VERSION_SET,
              "too many of them wait",
              1));
    }
    if (!queue.offer(light)) {
      versionRows.addAndGet(isHeavy(light) ? -weight(light) : 0);
      defer(light);
    }
  }

  /** Whether there was room for its rows, which is taken then. */
  private boolean reserve(Event.StatementExecuted event) {
    long rows = weight(event);
    if (versionRows.addAndGet(rows) > MAX_VERSION_ROWS && versionRows.get() > rows) {
      versionRows.addAndGet(-rows);
      return false;
    }
    return true;
  }

  private static boolean isHeavy(Event.StatementExecuted event) {
    return !event.versionSets().isEmpty() || event.rows().size() > MAX_WEIGHTLESS_ROWS;
  }

  private static long weight(Event.StatementExecuted event) {
    int own = event.rows().size();
    long rows = own > MAX_WEIGHTLESS_ROWS ? (long) ROW_WEIGHT * own : 0;
    for (VersionSet set : event.versionSets()) {
      rows += set.size();
    }
    return rows;
  }

  private void defer(Event event) {
    long place = queue.currentProducerIndex();
    if (event instanceof Event.StatementExecuted e) {
      lose(e.session(), e.transaction(), place, 1);
    } else if (event instanceof Event.Gap e) {
      lose(e.session(), e.transaction(), place, e.count());
    } else if (reserved.incrementAndGet() <= MAX_RESERVED_EVENTS) {
      reserve.add(new DeferredEvent(place, deferredNumber.getAndIncrement(), event));
    } else {
      reserved.decrementAndGet();
      dropped.increment();
      droppedUntraced.increment();
    }
    late = true;
  }

  private void lose(long session, long transaction, long place, long count) {
    dropped.add(count);
    if (losses.size() < MAX_RESERVED_EVENTS) {
      losses.merge(
          transaction == 0 ? session : transaction,
          new Lost(session, place, deferredNumber.getAndIncrement(), count),
          (first, more) ->
              new Lost(first.session, first.place, first.number, first.count + more.count));
    } else {
      droppedUntraced.add(count);
    }
  }

  /** How many events were dropped because there was no room, or because the queue was closed. */
  public long dropped() {
    return dropped.sum();
  }

  /** How many times a consumer failed. */
  public long failed() {
    return failed;
  }

  /**
   * Waits until all events that were accepted before this call have been delivered. The first round
   * that ends may have drained the queue before this call; the second drained it afterwards.
   *
   * @return false if that took longer than the timeout, or the calling thread was interrupted
   */
  boolean awaitDelivered(Duration timeout) {
    long deadline = System.nanoTime() + timeout.toNanos();
    long wanted = rounds + 2;
    while (rounds < wanted && thread.isAlive()) {
      if (System.nanoTime() - deadline >= 0
          || Thread.currentThread().isInterrupted()
          || Thread.currentThread() == thread) {
        return false;
      }
      asleep = false;
      LockSupport.unpark(thread);
      LockSupport.parkNanos(this, AWAIT_POLL_NANOS);
    }
    return true;
  }

  /**
   * Closes this queue when the JVM ends in order, if nobody did before.
   *
   * @return this
   */
  public QueueSink closeAtShutdown() {
    Thread closer = BackgroundThreads.create("txwatch-shutdown", this::close);
    hook = closer;
    try {
      Runtime.getRuntime().addShutdownHook(closer);
    } catch (IllegalStateException e) {
      // The JVM is ending: what can be delivered until it has ended is.
    }
    return this;
  }

  /**
   * Takes no more events, waits five seconds at most until those that wait are delivered and the
   * consumers are closed, and says how many were left. Never throws.
   */
  @Override
  public void close() {
    if (!closed) {
      deliverUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DELIVERY_TIMEOUT_MILLIS);
      closed = true;
    }
    LockSupport.unpark(thread);
    if (thread == Thread.currentThread()) {
      return;
    }
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      warnings.accept("closed before " + queue.size() + " events were analysed or written");
    }
    removeHook();
  }

  /** A shutdown hook holds this queue, and the class loader of its class. */
  private void removeHook() {
    Thread closer = hook;
    if (closer != null && closer != Thread.currentThread()) {
      try {
        Runtime.getRuntime().removeShutdownHook(closer);
      } catch (IllegalStateException e) {
        // The JVM is ending, the hook runs or ran: it finds everything closed.
      }
    }
  }

  private void run() {
    try {
      awaitPredecessor();
      for (EventSink consumer : consumers) {
        consumer.setWaker(this::wake);
      }
      deliverDespiteFaults();
      int left = queue.size();
      if (left > 0) {
        dropRemaining(left);
      }
      consumers.forEach(this::end);
      removeHook();
    } finally {
      ended.countDown();
    }
  }

  private void deliverDespiteFaults() {
    for (int faults = 0; faults < MAX_FAULTS; faults++) {
      try {
        deliverUntilClosed();
        break;
      } catch (Throwable e) { // most likely there is no memory left
        report(faults == 0 ? "a fault of txwatch, please report it; events are missing: " + e : "");
      }
      if (faults == MAX_FAULTS - 1) {
        closed = true;
        queue.clear();
        report("events are not analysed or written any more, after repeated faults");
      }
    }
  }

  private void end(EventSink consumer) {
    try {
      if (unused) {
        consumer.quiesce();
      } else {
        consumer.close();
      }
      consumer.setWaker(() -> {}); // the one that it has holds this queue
    } catch (Throwable e) {
      fail(consumer, e);
    }
  }

  private void awaitPredecessor() {
    while (true) {
      try {
        predecessorEnded.await();
        return;
      } catch (InterruptedException e) {
        // It is nobody's to interrupt: two threads must not use one consumer.
      }
    }
  }

  private void report(String line) {
    try {
      droppedUntraced.increment();
      late = true;
      if (!line.isEmpty()) {
        warnings.accept(line);
      }
    } catch (Throwable e) {
      // Not even a line can be written.
    }
  }

  private void deliverUntilClosed() {
    int idleRounds = 0;
    boolean flushedTwice = false;
    while (true) {
      boolean last = closed;
      long delivered = drain();
      if (last && (delivered == 0 || isTooLate())) {
        break;
      } else if (last) {
        continue;
      }
      notifyCaughtUp();
      if (delivered > 0) {
        idleRounds = 0;
        flushedTwice = false;
        LockSupport.parkNanos(this, isFilling(delivered) ? SHORT_PAUSE_NANOS : PAUSE_NANOS);
      } else if (++idleRounds < MAX_IDLE_ROUNDS) {
        LockSupport.parkNanos(this, MAX_PAUSE_NANOS);
      } else {
        flush();
        if (sleep(flushedTwice ? Long.MAX_VALUE : SECOND_FLUSH_DELAY_NANOS)) {
          idleRounds = MAX_IDLE_ROUNDS - 2; // consumers are told twice that it has caught up
        } else {
          flushedTwice = true;
        }
      }
    }
  }

  /**
   * Waits until somebody wakes this thread, the time is over, or the queue is to end.
   *
   * @return true if somebody woke it
   */
  private boolean sleep(long nanos) {
    long since = System.nanoTime();
    asleep = true;
    while (asleep && queue.isEmpty() && !late && !closed) {
      long left = nanos == Long.MAX_VALUE ? nanos : since + nanos - System.nanoTime();
      long toEnd = nanosToEnd.applyAsLong(this);
      if (toEnd <= 0) {
        deliverUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DELIVERY_TIMEOUT_MILLIS);
        unused = true;
        closed = true;
      } else if (left <= 0) {
        asleep = false;
        return false;
      } else if (left == Long.MAX_VALUE && toEnd == Long.MAX_VALUE) {
        LockSupport.park(this);
      } else {
        LockSupport.parkNanos(this, Math.min(left, toEnd));
      }
    }
    asleep = false;
    return true;
  }

  /** True if what still waits after the end must be left: consumers have to close in time. */
  private boolean isTooLate() {
    return closed && System.nanoTime() - deliverUntil > 0;
  }

  /** Reports what was left because there was no time. */
  private void dropRemaining(int events) {
    warnings.accept("closed before " + events + " events were analysed or written");
    deliver(overflow(0, 0, events));
  }

  /** True if so many events at once say that the queue begins to fill. */
  private boolean isFilling(long delivered) {
    return delivered > queue.capacity() / SHORT_PAUSE_QUEUE_SHARE;
  }

  /** Delivers what waits, and says how much it was. */
  private long drain() {
    long delivered = 0;
    while (true) {
      long place = queue.currentConsumerIndex();
      Event event = queue.poll();
      delivered += deliverDeferred(place);
      if (event == null) {
        return delivered;
      }
      deliver(event);
      delivered++;
      if (isTooLate()) {
        return delivered;
      }
      if (delivered % EVENTS_PER_YIELD == 0 && !isFilling(delivered)) {
        Thread.yield();
      }
      // It may never be found empty.
      if (delivered % EVENTS_PER_CATCH_UP_CHECK == 0 && place >= catchUpTo) {
        notifyCaughtUp();
      }
    }
  }

  /** All is delivered that had come when this was called before. */
  private void notifyCaughtUp() {
    for (EventSink consumer : consumers) {
      try {
        consumer.caughtUp();
      } catch (Throwable e) {
        fail(consumer, e);
      }
    }
    catchUpTo = queue.currentProducerIndex(); // after it was said: what comes meanwhile counts
    rounds++;
    if (System.nanoTime() - flushed > FLUSH_INTERVAL_NANOS) {
      flush();
      flushed = System.nanoTime();
    }
  }

  /** Delivers what came late at that place of the queue or before. */
  private long deliverDeferred(long place) {
    if (late) {
      late = false;
      collectDeferred();
    }
    long delivered = 0;
    for (DeferredEvent first = inOrder.peek();
        first != null && first.place <= place;
        first = inOrder.peek()) {
      deliver(inOrder.remove().event);
      delivered++;
    }
    return delivered;
  }

  private void collectDeferred() {
    for (Iterator<Long> keys = losses.keySet().iterator(); keys.hasNext(); ) {
      long key = keys.next();
      Lost lost = losses.remove(key);
      if (lost != null) {
        long transaction = key == lost.session ? 0 : key;
        inOrder.add(
            new DeferredEvent(
                lost.place, lost.number, overflow(lost.session, transaction, lost.count)));
      }
    }
    for (DeferredEvent next = reserve.poll(); next != null; next = reserve.poll()) {
      reserved.decrementAndGet();
      inOrder.add(next);
    }
    long untraced = droppedUntraced.sumThenReset();
    if (untraced > 0) {
      inOrder.add(new DeferredEvent(0, 0, overflow(0, 0, untraced)));
    }
  }

  private static Event.Gap overflow(long session, long transaction, long count) {
    return new Event.Gap(session, transaction, GapReason.OVERFLOW, "the queue was full", count);
  }

  private void deliver(Event event) {
    if (event instanceof Event.StatementExecuted e && isHeavy(e)) {
      versionRows.addAndGet(-weight(e));
    }
    for (EventSink consumer : consumers) {
      try {
        consumer.accept(event);
      } catch (Throwable e) {
        fail(consumer, e);
        reportFault(consumer, event);
      }
    }
  }

  private void reportFault(EventSink consumer, Event event) {
    try {
      consumer.accept(Event.Gap.ofFault(event));
    } catch (Throwable e) {
      fail(consumer, e);
    }
  }

  private void flush() {
    for (EventSink consumer : consumers) {
      if (consumer instanceof Flushable flushable) {
        try {
          flushable.flush();
        } catch (Throwable e) {
          fail(consumer, e);
        }
      }
    }
  }

  private void fail(EventSink consumer, Throwable e) {
    failed++;
    if (failures.merge(consumer, 1L, Long::sum) == 1) {
      List<String> where = new ArrayList<>();
      for (StackTraceElement frame : e.getStackTrace()) {
        if (where.size() < 3) {
          where.add(frame.toString());
        }
      }
      warnings.accept(
          consumer.getClass().getSimpleName() + " failed and goes on: " + e + " at " + where);
    }
  }
}
