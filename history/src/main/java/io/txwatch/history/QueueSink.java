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
 * A bounded queue between the application's threads and the consumers of events, drained by one
 * daemon thread. {@link #accept} takes some ten nanoseconds, never blocks, and never throws.
 *
 * <h2>When the queue fills</h2>
 *
 * From half of its capacity on, transactions that begin omit what concerns a part of all rows
 * ({@link LoadShedding}).
 *
 * <h2>When the queue is full</h2>
 *
 * Statements, which are the most and the largest events, are dropped. The first loss of a
 * transaction records its position in the queue, later losses only increment a count; the thread
 * emits one {@link Event.Gap} for them at that position, and so before every later event of the
 * transaction, its end included. Beginnings and ends of transactions are few and small, and without
 * them outcomes would be unknown: they go to a reserve with their position and are delivered in
 * order. The reserve is bounded too, by a part of the queue: what a transaction's beginning, end
 * and gap cost must not exceed what its statements would have cost. If it overflows, a gap without
 * a session reports that any event may be missing. The count of events at a transaction's end shows
 * which transactions are complete nevertheless.
 *
 * <p>The position is the queue's producer index at the time of the failed offer. Events that the
 * same session added before have a smaller index, later ones an equal or greater one. So it
 * suffices to deliver, before the event at index i, everything recorded at position i or before.
 * What was recorded while more than half of the queue was used has a position, and later events of
 * its session have indexes, beyond the next half. So the thread collects it once in as many events,
 * and not for each.
 *
 * <h2>When the queue is idle</h2>
 *
 * While events arrive, the thread drains the queue at intervals, so that producers need not wake
 * it. After {@value #MAX_IDLE_ROUNDS} intervals without an event it flushes the consumers and waits
 * for the next event, with {@value #LATER_FLUSHES} more flushes, a second apart. No wake-up is
 * lost: a producer first adds its event, then reads {@link #asleep}; the thread first sets it, then
 * checks the queue.
 *
 * <p>A {@link SharedQueue} decides when an unused queue ends.
 *
 * <h2>When a consumer fails</h2>
 *
 * The failure is reported once, counted, and passed to that consumer as a gap; other consumers are
 * not affected.
 */
public final class QueueSink implements EventSink {

  /** The maximum number of events in the reserve, and of gaps for losses, each. */
  private static final int MAX_RESERVED_EVENTS =
      (int) Math.max(1 << 10, Math.min(1 << 16, maxHeapBytes() >> 12));

  /** The reserve of a small queue. */
  private static final int MIN_RESERVED_EVENTS = 1 << 14;

  /** The heap required per event of capacity, in bytes. */
  private static final int HEAP_BYTES_PER_EVENT = 1 << 13;

  private static final int MIN_CAPACITY = 1 << 10;

  /**
   * The maximum number of queued version-set rows, some 22 bytes each; they take more memory than
   * the events that contain them. Version sets beyond the bound are dropped and counted. What is
   * read by value counts by its size, and is not resolved beyond the bound. Smaller in a small
   * heap.
   */
  static final long MAX_VERSION_ROWS = Math.min(2_000_000, maxHeapBytes() / 256);

  /**
   * The rows of an event with more rows than this count against {@link #MAX_VERSION_ROWS}, with
   * {@link #ROW_WEIGHT}.
   */
  private static final int MAX_WEIGHTLESS_ROWS = 32;

  /** The weight of an event's row, in version-set rows. */
  private static final int ROW_WEIGHT = 8;

  /** The size of a version-set row, about. */
  private static final int VERSION_ROW_BYTES = 16;

  static final long CLOSE_TIMEOUT_MILLIS = 5_000;

  /**
   * The part of {@link #CLOSE_TIMEOUT_MILLIS} during which events are still delivered; then the
   * consumers are closed.
   */
  private static final long DELIVERY_TIMEOUT_MILLIS = 3_500;

  /** The number of faults outside the consumers after which nothing is delivered any more. */
  private static final int MAX_FAULTS = 16;

  /**
   * Waking the thread costs the application as much as tens of events, so hundreds gather between
   * two rounds, unless the queue begins to fill.
   */
  private static final long PAUSE_NANOS = 20_000_000;

  private static final long SHORT_PAUSE_NANOS = 1_000_000;
  private static final long MAX_PAUSE_NANOS = 40_000_000;

  /** The number of pauses without an event after which the thread waits for the next one. */
  static final int MAX_IDLE_ROUNDS = 5;

  /**
   * The delay from a flush of an idle queue to the next, which serves consumers that act at most
   * once a second, and those that wait up to two seconds for an event.
   */
  private static final long LATER_FLUSH_DELAY_NANOS = 1_100_000_000;

  static final int LATER_FLUSHES = 2;

  /** Pauses are short while more than this share (1/n) of the queue is used. */
  private static final int SHORT_PAUSE_QUEUE_SHARE = 32;

  private static final long FLUSH_INTERVAL_NANOS = 100_000_000;

  private static final long AWAIT_POLL_NANOS = 1_000_000;

  /**
   * The number of events, some fifty microseconds of analysis, after which the thread yields: with
   * few processors it would otherwise delay the application until the queue is empty. It does not
   * yield while the queue is filling.
   */
  private static final int EVENTS_PER_YIELD = 1 << 6;

  /**
   * The number of events between two checks whether {@link EventSink#caughtUp} is due and the queue
   * fills.
   */
  private static final int EVENTS_PER_CHECK = 1 << 10;

  private final MpscAtomicArrayQueue<Event> queue;
  private final Queue<DeferredEvent> reserve = new ConcurrentLinkedQueue<>();
  private final AtomicLong versionRows = new AtomicLong();
  private final AtomicInteger reserved = new AtomicInteger();

  /** The number of transactions with losses whose gaps are not delivered yet. */
  private final AtomicInteger traced = new AtomicInteger();

  /** The bound of {@link #traced} and, for beginnings and ends, of {@link #reserved}. */
  private final int maxReserved;

  private final AtomicLong deferredNumber = new AtomicLong();
  private final Map<Long, Lost> losses = new ConcurrentHashMap<>();
  private final LongAdder dropped = new LongAdder();
  private final LongAdder droppedUntraced = new LongAdder();

  /** True if something was recorded that may precede the next event in the queue. */
  private volatile boolean late;

  /** True if something was recorded that precedes no event in the next half of the queue. */
  private volatile boolean lateByHalf;

  /** The index at which what {@link #lateByHalf} stands for is collected. */
  private long collectAt;

  private volatile boolean closed;

  /** The number of completed calls of {@link #notifyCaughtUp}. */
  private volatile long rounds;

  /** True while the thread waits for {@link #wake}. */
  private volatile boolean asleep;

  /** The time ({@link System#nanoTime}) after which a closed queue delivers no more events. */
  private volatile long deliverUntil;

  private final LoadShedding shedding;

  /** A session of which an event was delivered; 0 before the first one. */
  private long lastSession;

  private final List<EventSink> consumers;
  private final Map<EventSink, Long> failures = new HashMap<>();
  private final Consumer<String> warnings;
  private final Thread thread;

  /**
   * Returns the nanoseconds until this queue must end; called when it is empty. See {@link
   * SharedQueue}.
   */
  private final ToLongFunction<QueueSink> nanosToEnd;

  /** Open until the previous queue has released the consumers. */
  private final CountDownLatch predecessorEnded;

  /** Open until the thread has ended; does not reference the queue. */
  private final CountDownLatch ended = new CountDownLatch(1);

  /** True if the queue ends because it is unused; its consumers may then be used again. */
  private boolean unused;

  private final Pauses pauses = new Pauses();

  // Used by SharedQueue, guarded by its lock.
  int users;
  long unusedSinceNanos;

  private final PriorityQueue<DeferredEvent> inOrder = new PriorityQueue<>();
  private long catchUpTo;
  private long flushed = System.nanoTime();
  private volatile long failed;
  private volatile @Nullable Thread hook;

  /**
   * An event that arrived when the queue was full.
   *
   * @param place the producer index at that time
   * @param number a sequence number that orders events at the same position
   * @param bound counts it until it is delivered; null if nothing does
   */
  private record DeferredEvent(long place, long number, Event event, @Nullable AtomicInteger bound)
      implements Comparable<DeferredEvent> {
    @Override
    public int compareTo(DeferredEvent other) {
      int byPlace = Long.compare(place, other.place);
      return byPlace != 0 ? byPlace : Long.compare(number, other.number);
    }
  }

  /** The losses of a transaction that are not reported yet. */
  private record Lost(long session, long place, long number, long count) {}

  /** Creates a queue that reports failures on standard error. */
  public QueueSink(int capacity, List<? extends EventSink> consumers) {
    this(capacity, consumers, line -> System.err.println("txwatch: " + line));
  }

  /**
   * Starts the thread.
   *
   * @param capacity the maximum number of queued events, rounded up to a power of two; smaller in a
   *     small heap, so that they never take more than a small part of it
   * @param consumers called and closed only by the thread. A {@link Flushable} consumer is flushed
   *     when the queue is idle
   * @param warnings receives lines about failures
   */
  public QueueSink(int capacity, List<? extends EventSink> consumers, Consumer<String> warnings) {
    this(
        capacity,
        consumers,
        warnings,
        queue -> Long.MAX_VALUE,
        new CountDownLatch(0),
        new LoadShedding());
  }

  /**
   * Creates a queue for a {@link SharedQueue}.
   *
   * @param nanosToEnd returns the nanoseconds until the queue must end; at 0 or less no more events
   *     can be added
   * @param predecessorEnded open while another queue uses the consumers
   * @param shedding used by one queue at a time
   */
  QueueSink(
      int capacity,
      List<? extends EventSink> consumers,
      Consumer<String> warnings,
      ToLongFunction<QueueSink> nanosToEnd,
      CountDownLatch predecessorEnded,
      LoadShedding shedding) {
    this.shedding = shedding;
    long room = Math.max(MIN_CAPACITY, maxHeapBytes() / HEAP_BYTES_PER_EVENT);
    this.queue = new MpscAtomicArrayQueue<>((int) Math.max(4, Math.min(capacity, room)));
    this.maxReserved =
        Math.min(MAX_RESERVED_EVENTS, Math.max(MIN_RESERVED_EVENTS, queue.capacity() / 4));
    this.consumers = List.copyOf(consumers);
    this.warnings = warnings;
    this.nanosToEnd = nanosToEnd;
    this.predecessorEnded = predecessorEnded;
    this.thread = BackgroundThreads.create("txwatch-events", this::run);
    thread.start();
  }

  @Override
  public LoadShedding shedding() {
    return shedding;
  }

  /** Open until this queue has ended and released its consumers; does not reference the queue. */
  CountDownLatch ended() {
    return ended;
  }

  /** True if the queue accepts no more events. */
  boolean isClosed() {
    return closed;
  }

  /**
   * Wakes the thread, if it waits, to check the queue and call {@link EventSink#caughtUp}. Cheap if
   * it does not wait.
   */
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
      } else if (event instanceof Event.ValuesObserved e && isHeavy(e)) {
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

  private void acceptHeavy(Event.ValuesObserved event) {
    long weight = weight(event);
    if (!reserve(weight)) {
      accept(event.withoutReads("too many rows wait"));
    } else if (!queue.offer(event)) {
      versionRows.addAndGet(-weight);
      defer(event.withoutReads("the queue was full"));
    }
  }

  private boolean reserve(Event.StatementExecuted event) {
    return reserve(weight(event));
  }

  /** Reserves room for an event's rows; false if there is none. */
  private boolean reserve(long rows) {
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

  private static boolean isHeavy(Event.ValuesObserved event) {
    long rows = 0;
    for (RowValues values : event.reads()) {
      rows += values.size();
    }
    return rows > MAX_WEIGHTLESS_ROWS;
  }

  private static long weight(Event.ValuesObserved event) {
    long bytes = 0;
    for (RowValues values : event.reads()) {
      bytes +=
          (long) Long.BYTES * values.keys().length + (long) Integer.BYTES * values.values().length;
    }
    return bytes / VERSION_ROW_BYTES;
  }

  private void defer(Event event) {
    long place = queue.currentProducerIndex();
    if (event instanceof Event.StatementExecuted e) {
      lose(e.session(), e.transaction(), place, 1);
    } else if (event instanceof Event.Gap e) {
      lose(e.session(), e.transaction(), place, e.count());
    } else if (reserved.incrementAndGet() <= maxReserved(event)) {
      reserve.add(new DeferredEvent(place, deferredNumber.getAndIncrement(), event, reserved));
    } else {
      reserved.decrementAndGet();
      dropped.increment();
      droppedUntraced.increment();
    }
    // Read afterwards: whatever this session adds next then is that far behind.
    if (queue.size() > queue.capacity() / 2) {
      lateByHalf = true;
    } else {
      late = true;
    }
  }

  /** A session whose opening is lost is not observed until it closes. */
  private int maxReserved(Event event) {
    return event instanceof Event.SessionOpened ? MAX_RESERVED_EVENTS : maxReserved;
  }

  private void lose(long session, long transaction, long place, long count) {
    dropped.add(count);
    long key = transaction == 0 ? session : transaction;
    if (traced.get() < maxReserved || losses.containsKey(key)) {
      Lost lost = new Lost(session, place, deferredNumber.getAndIncrement(), count);
      Lost all =
          losses.merge(
              key,
              lost,
              (first, more) ->
                  new Lost(first.session, first.place, first.number, first.count + more.count));
      if (all.number == lost.number) {
        traced.incrementAndGet();
      }
    } else {
      droppedUntraced.add(count);
    }
  }

  /** The number of events dropped because the queue was full or closed. */
  public long dropped() {
    return dropped.sum();
  }

  /** The number of failures of consumers. */
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
   * Registers a shutdown hook that closes this queue.
   *
   * @return this
   */
  public QueueSink closeAtShutdown() {
    return closeAtShutdown(() -> {});
  }

  /**
   * Registers a shutdown hook that closes this queue after something else.
   *
   * @return this
   */
  QueueSink closeAtShutdown(Runnable before) {
    Thread closer =
        BackgroundThreads.create(
            "txwatch-shutdown",
            () -> {
              try {
                before.run();
              } finally {
                close();
              }
            });
    hook = closer;
    try {
      Runtime.getRuntime().addShutdownHook(closer);
    } catch (IllegalStateException e) {
      // The JVM is shutting down: events are delivered until it exits.
    }
    return this;
  }

  /**
   * Accepts no more events, waits at most five seconds until the queued events are delivered and
   * the consumers closed, and reports the number of events left. Never throws.
   */
  @Override
  public void close() {
    beginClosing();
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

  /** Accepts no more events, and lets the thread deliver the queued ones and end. */
  void beginClosing() {
    if (!closed) {
      deliverUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(DELIVERY_TIMEOUT_MILLIS);
      closed = true;
    }
    LockSupport.unpark(thread);
  }

  /** The shutdown hook references this queue and its class loader. */
  private void removeHook() {
    Thread closer = hook;
    if (closer != null && closer != Thread.currentThread()) {
      try {
        Runtime.getRuntime().removeShutdownHook(closer);
      } catch (IllegalStateException e) {
        // The JVM is shutting down: the hook runs or ran, and finds everything closed.
      }
    }
  }

  private void run() {
    try {
      awaitPredecessor();
      shedding.queueBegan();
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
      consumer.setWaker(() -> {}); // the current waker references this queue
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
        // Interrupts are ignored: two threads must not use one consumer.
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
      // The report itself failed; nothing more can be done.
    }
  }

  private void deliverUntilClosed() {
    pauses.reset();
    boolean done = false;
    while (!done) {
      boolean last = closed;
      long delivered = drain();
      if (last) {
        done = delivered == 0 || isTooLate();
      } else {
        adjustShedding();
        notifyCaughtUp();
        pauses.after(delivered);
      }
    }
  }

  /** The pauses between two deliveries, which grow while there is nothing to deliver. */
  private final class Pauses {
    private int idleRounds;
    private int laterFlushes;

    /** The sum of all pauses. */
    private long idleNanos;

    void reset() {
      idleRounds = 0;
      laterFlushes = 0;
    }

    void after(long delivered) {
      long since = System.nanoTime();
      pause(delivered);
      idleNanos += System.nanoTime() - since;
    }

    private void pause(long delivered) {
      if (delivered > 0) {
        reset();
        LockSupport.parkNanos(
            QueueSink.this, isFilling(delivered) ? SHORT_PAUSE_NANOS : PAUSE_NANOS);
      } else if (++idleRounds < MAX_IDLE_ROUNDS) {
        LockSupport.parkNanos(QueueSink.this, MAX_PAUSE_NANOS);
      } else {
        flush();
        if (sleep(laterFlushes < LATER_FLUSHES ? LATER_FLUSH_DELAY_NANOS : Long.MAX_VALUE)) {
          idleRounds = MAX_IDLE_ROUNDS - 2; // leaves two rounds, and so two calls of caughtUp
        } else {
          laterFlushes++;
        }
      }
    }
  }

  /**
   * Waits until this thread is woken, the time has elapsed, or the queue must end.
   *
   * @return true if it was woken
   */
  private boolean sleep(long nanos) {
    long since = System.nanoTime();
    asleep = true;
    while (asleep && queue.isEmpty() && !late && !lateByHalf && !closed) {
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

  /** True if the remaining events must be dropped so that the consumers close in time. */
  private boolean isTooLate() {
    return closed && System.nanoTime() - deliverUntil > 0;
  }

  /** Reports the events that were dropped for lack of time. */
  private void dropRemaining(int events) {
    warnings.accept("closed before " + events + " events were analysed or written");
    deliver(overflow(0, 0, events));
  }

  /** True if {@code delivered} events in one round indicate that the queue begins to fill. */
  private boolean isFilling(long delivered) {
    return delivered > queue.capacity() / SHORT_PAUSE_QUEUE_SHARE;
  }

  /** Delivers the queued events and returns their number. */
  private long drain() {
    long delivered = 0;
    while (true) {
      long place = queue.currentConsumerIndex();
      Event event = queue.poll();
      delivered += deliverDeferred(place, event == null);
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
      if (delivered % EVENTS_PER_CHECK == 0) {
        adjustShedding();
        if (place >= catchUpTo) { // the queue may never be empty at this point
          notifyCaughtUp();
        }
      }
    }
  }

  private void adjustShedding() {
    shedding.adjust(
        queue.currentConsumerIndex(),
        queue.currentProducerIndex(),
        dropped.sum(),
        queue.capacity(),
        System.nanoTime(),
        pauses.idleNanos,
        lastSession,
        this::deliver);
  }

  /** Notifies consumers once everything is delivered that had been queued at the previous call. */
  private void notifyCaughtUp() {
    for (EventSink consumer : consumers) {
      try {
        consumer.caughtUp();
      } catch (Throwable e) {
        fail(consumer, e);
      }
    }
    catchUpTo =
        queue.currentProducerIndex(); // read afterwards: events that arrived meanwhile count
    rounds++;
    if (System.nanoTime() - flushed > FLUSH_INTERVAL_NANOS) {
      flush();
      flushed = System.nanoTime();
    }
  }

  /**
   * Delivers deferred events recorded at that position or before.
   *
   * @param isEmpty whether the queue is empty
   */
  private long deliverDeferred(long place, boolean isEmpty) {
    if (late || lateByHalf && (isEmpty || place >= collectAt)) {
      late = false;
      lateByHalf = false;
      collectAt = place + queue.capacity() / 2;
      collectDeferred();
    }
    long delivered = 0;
    for (DeferredEvent first = inOrder.peek();
        first != null && first.place <= place;
        first = inOrder.peek()) {
      inOrder.remove();
      if (first.bound != null) {
        first.bound.decrementAndGet();
      }
      deliver(first.event);
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
                lost.place, lost.number, overflow(lost.session, transaction, lost.count), traced));
      }
    }
    for (DeferredEvent next = reserve.poll(); next != null; next = reserve.poll()) {
      inOrder.add(next);
    }
    long untraced = droppedUntraced.sumThenReset();
    if (untraced > 0) {
      inOrder.add(new DeferredEvent(0, 0, overflow(0, 0, untraced), null));
    }
  }

  private static Event.Gap overflow(long session, long transaction, long count) {
    return new Event.Gap(session, transaction, GapReason.OVERFLOW, "the queue was full", count);
  }

  private void deliver(Event event) {
    if (event instanceof Event.StatementExecuted e && isHeavy(e)) {
      versionRows.addAndGet(-weight(e));
    } else if (event instanceof Event.ValuesObserved e && isHeavy(e)) {
      versionRows.addAndGet(-weight(e));
    }
    if (event.session() != 0) {
      lastSession = event.session();
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
          consumer.getClass().getSimpleName() + " failed and continues: " + e + " at " + where);
    }
  }
}
