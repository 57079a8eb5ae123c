package io.txwatch.history;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Decides what {@linkplain RowShare share} of the rows is observed while more events arrive than a
 * queue can deliver. Each transaction reads the share once, when it begins, and omits its
 * statements on other rows ({@link TransactionEvents}): so it is complete for the rows of its
 * share.
 *
 * <p>The queue's thread decides. While it delivers an eighth of the queue's capacity, it counts how
 * many events arrive. If the queue was more than half used before, and is more than three quarters
 * used and no less than before, the share becomes as much smaller as necessary to deliver what
 * arrives, but not less than about a half at once: what seems to be load may be a pause of the
 * thread. So neither a burst nor a pause reduces the share, if the queue has room for it. The share
 * becomes larger as far as the thread was idle; or by one step when little of the queue was used
 * for longer, which is an attempt.
 *
 * <p>Consumers need the smallest share of all active transactions, including those of which nothing
 * is emitted. A smaller share is announced ({@link Event.RowsShed}) before a transaction can begin
 * under it. A larger one is announced when the last transaction has ended that began under a
 * smaller one, and everything has been delivered that was queued then: what begins after the
 * announcement, in the order of delivery, did not overlap with such a transaction. A transaction
 * first counts itself and then reads the share again; the thread first changes the share and then
 * reads the counts. So the thread overlooks none.
 */
public final class LoadShedding {

  /** Sheds nothing. */
  public static final LoadShedding NEVER = new LoadShedding();

  /** What part of the time the queue's thread may be busy with a new share. */
  private static final double MAX_BUSY = 0.92;

  /** A greater load, as it seems, is taken for this one. */
  private static final double MAX_LOAD = 2;

  /** The time over which it is measured how long the queue's thread is idle. */
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /**
   * The share is increased after so many windows in which at most an eighth of the queue was used.
   */
  private static final int QUIET_WINDOWS_TO_INCREASE = 4;

  /** The interval at which omitted statements are reported. */
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile RowShare share = RowShare.ALL;

  /** By steps, the number of active transactions under each share but {@link RowShare#ALL}. */
  private final AtomicIntegerArray active = new AtomicIntegerArray(RowShare.MAX_STEPS + 1);

  private final LongAdder statements = new LongAdder();
  private final LongAdder transactions = new LongAdder();

  // The rest is used by the queue's thread only.

  private RowShare announced = RowShare.ALL;

  /** The share to be announced next, if it is larger. */
  private RowShare next = RowShare.ALL;

  /** The queue's producer index since which {@link #next} holds. */
  private long nextSince;

  private boolean isNextDelivered;

  /** The session that announcements name: always the same one. */
  private long announcer;

  // The queue's indexes when its arrivals were last compared with its deliveries.
  private long comparedConsumerIndex;
  private long comparedProducerIndex;
  private long comparedLost;

  private long windowBegan;
  private long maxQueued;
  private int quietWindows;
  private long idleBefore;
  private long reportedAt;

  /** Returns the share of a transaction that begins. It must call {@link #ended} once. */
  RowShare began() {
    while (true) {
      RowShare begun = share;
      if (begun.isAll()) {
        return begun;
      }
      active.incrementAndGet(begun.steps());
      if (share.equals(begun)) {
        return begun;
      }
      active.decrementAndGet(begun.steps());
    }
  }

  /**
   * A transaction has ended.
   *
   * @param begun its share
   * @param omitted the number of its statements that were omitted, or some rows of them
   * @param entirely whether no event of it was emitted
   */
  void ended(RowShare begun, int omitted, boolean entirely) {
    if (begun.isAll()) {
      return;
    }
    if (omitted > 0) {
      statements.add(omitted);
    }
    if (entirely) {
      transactions.increment();
    }
    active.decrementAndGet(begun.steps());
  }

  /** The share of transactions that begin now. */
  RowShare share() {
    return share;
  }

  /** Another queue begins, whose indexes and idle time start at 0. */
  void queueBegan() {
    comparedConsumerIndex = 0;
    comparedProducerIndex = 0;
    comparedLost = 0;
    nextSince = 0;
    isNextDelivered = false;
    beginWindow(System.nanoTime(), 0);
  }

  /**
   * Changes the share if necessary. Called by the queue's thread only.
   *
   * @param consumerIndex the index of the next event to be delivered
   * @param producerIndex the index of the next event to be queued
   * @param lost the events that found no room in the queue so far
   * @param capacity the maximum of the difference between the two indexes
   * @param now the time, {@link System#nanoTime}
   * @param idleNanos how long the thread was idle so far
   * @param session a session of this process
   * @param out receives announcements, which must precede the events that are not delivered yet
   */
  public void adjust(
      long consumerIndex,
      long producerIndex,
      long lost,
      int capacity,
      long now,
      long idleNanos,
      long session,
      Consumer<Event> out) {
    long queued = producerIndex - consumerIndex;
    maxQueued = Math.max(maxQueued, queued);
    double load = overload(consumerIndex, producerIndex, lost, capacity);
    if (load > 0) {
      quietWindows = 0;
      beginWindow(now, idleNanos);
      RowShare smaller = smallerFor(load);
      announce(announced.and(smaller), now, session, out);
      share = smaller;
    }
    if (announced.isAll()) {
      return;
    }
    if (now - windowBegan > WINDOW_NANOS) {
      quietWindows = maxQueued <= capacity / 8 ? quietWindows + 1 : 0;
      RowShare larger = largerFor(1 - (idleNanos - idleBefore) / (double) (now - windowBegan));
      if (!larger.equals(share) || quietWindows == QUIET_WINDOWS_TO_INCREASE) {
        quietWindows = 0;
        share = larger.equals(share) ? share.larger() : larger;
      }
      beginWindow(now, idleNanos);
    }
    if (isLargerDue(consumerIndex, producerIndex)) {
      announce(next, now, session, out);
    } else if (now - reportedAt > REPORT_NANOS) {
      announce(announced, now, session, out);
    }
  }

  /**
   * Whether {@link #next} must be announced. The second call after its events were delivered also
   * follows events that had found no room in the queue.
   */
  private boolean isLargerDue(long consumerIndex, long producerIndex) {
    RowShare smallest = smallestActive();
    if (!smallest.equals(next)) {
      next = smallest;
      nextSince = producerIndex;
      isNextDelivered = false;
    } else if (isNextDelivered) {
      return !next.equals(announced);
    } else {
      isNextDelivered = consumerIndex >= nextSince;
    }
    return false;
  }

  /** How many times as much arrives as can be delivered; 0 if it is not known to be more. */
  private double overload(long consumerIndex, long producerIndex, long lost, int capacity) {
    long delivered = consumerIndex - comparedConsumerIndex;
    if (delivered < capacity / 8) {
      return 0;
    }
    long before = comparedProducerIndex - comparedConsumerIndex;
    long queued = producerIndex - consumerIndex;
    long arrived = producerIndex - comparedProducerIndex + lost - comparedLost;
    comparedConsumerIndex = consumerIndex;
    comparedProducerIndex = producerIndex;
    comparedLost = lost;
    boolean isOverload =
        before > capacity / 2 && queued >= before && queued > capacity - capacity / 4;
    return isOverload ? arrived / (double) delivered : 0;
  }

  private RowShare smallerFor(double load) {
    RowShare smaller = share.smaller(1);
    while (isTooLarge(smaller, Math.min(load, MAX_LOAD)) && smaller.steps() < RowShare.MAX_STEPS) {
      smaller = smaller.smaller(1);
    }
    return smaller;
  }

  private RowShare largerFor(double busy) {
    RowShare larger = share;
    while (!larger.isAll() && !isTooLarge(larger.larger(), busy)) {
      larger = larger.larger();
    }
    return larger;
  }

  /** Whether the thread would be too busy with it, which has this load with the present share. */
  private boolean isTooLarge(RowShare other, double load) {
    return load * other.fraction() / share.fraction() > MAX_BUSY;
  }

  private void beginWindow(long now, long idleNanos) {
    maxQueued = 0;
    windowBegan = now;
    idleBefore = idleNanos;
  }

  /** The smallest share of active transactions and of those that begin now. */
  private RowShare smallestActive() {
    for (int steps = RowShare.MAX_STEPS; steps > share.steps(); steps--) {
      if (active.get(steps) != 0) {
        return new RowShare(steps);
      }
    }
    return share;
  }

  private void announce(RowShare smallest, long now, long session, Consumer<Event> out) {
    announcer = announcer == 0 ? session : announcer;
    announced = smallest;
    reportedAt = now;
    out.accept(
        new Event.RowsShed(
            announcer, smallest, statements.sumThenReset(), transactions.sumThenReset()));
  }
}
