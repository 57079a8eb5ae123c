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
 * <p>The queue's thread decides. A <em>backlog</em> begins when more than half of the queue is
 * used, and ends when everything is delivered that was in the queue then. If more than half is used
 * again at its end, or almost all of the queue is used before, the share is halved and the next
 * backlog begins. So a pause of the process, which fills the queue once, halves the share once at
 * most. The share is doubled when the thread is idle for most of some time, since twice the events
 * then fit; or when little of the queue was used for longer, which is an attempt.
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

  /** The time over which it is measured how long the queue's thread is idle. */
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The share is doubled if the queue's thread is idle for more than this part of the time. */
  private static final double IDLE_TO_DOUBLE = 0.55;

  /** It is also doubled after so many windows in which at most an eighth of the queue was used. */
  private static final int QUIET_WINDOWS_TO_DOUBLE = 4;

  /** The interval at which omitted statements are reported. */
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile RowShare share = RowShare.ALL;

  /** By halvings, the number of active transactions under each share but {@link RowShare#ALL}. */
  private final AtomicIntegerArray active = new AtomicIntegerArray(RowShare.MAX_HALVINGS + 1);

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

  /** The queue's producer index when the last backlog began. */
  private long backlogEnd;

  private boolean isBacklog;

  /** Whether the share was halved since the backlog began. */
  private boolean isHalved;

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
      active.incrementAndGet(begun.halvings());
      if (share.equals(begun)) {
        return begun;
      }
      active.decrementAndGet(begun.halvings());
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
    active.decrementAndGet(begun.halvings());
  }

  /** The share of transactions that begin now. */
  RowShare share() {
    return share;
  }

  /** Another queue begins, whose indexes and idle time start at 0. */
  void queueBegan() {
    backlogEnd = 0;
    isBacklog = false;
    isHalved = false;
    nextSince = 0;
    isNextDelivered = false;
    beginWindow(System.nanoTime(), 0);
  }

  /**
   * Changes the share if necessary. Called by the queue's thread only.
   *
   * @param consumerIndex the index of the next event to be delivered
   * @param producerIndex the index of the next event to be queued
   * @param capacity the maximum of the difference between the two
   * @param now the time, {@link System#nanoTime}
   * @param idleNanos how long the thread was idle so far
   * @param session a session of this process
   * @param out receives announcements, which must precede the events that are not delivered yet
   */
  public void adjust(
      long consumerIndex,
      long producerIndex,
      int capacity,
      long now,
      long idleNanos,
      long session,
      Consumer<Event> out) {
    long queued = producerIndex - consumerIndex;
    maxQueued = Math.max(maxQueued, queued);
    if (mustHalve(consumerIndex, producerIndex, capacity)) {
      quietWindows = 0;
      beginWindow(now, idleNanos);
      RowShare half = share.half();
      announce(announced.and(half), now, session, out);
      share = half;
    }
    if (announced.isAll()) {
      return;
    }
    if (now - windowBegan > WINDOW_NANOS) {
      quietWindows = maxQueued <= capacity / 8 ? quietWindows + 1 : 0;
      if (idleNanos - idleBefore > IDLE_TO_DOUBLE * (now - windowBegan)
          || quietWindows == QUIET_WINDOWS_TO_DOUBLE) {
        quietWindows = 0;
        share = share.twice();
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

  private boolean mustHalve(long consumerIndex, long producerIndex, int capacity) {
    long queued = producerIndex - consumerIndex;
    if (consumerIndex >= backlogEnd) {
      isHalved = isBacklog && queued > capacity / 2;
      isBacklog = queued > capacity / 2;
      backlogEnd = isBacklog ? producerIndex : backlogEnd;
      return isHalved && share.halvings() < RowShare.MAX_HALVINGS;
    }
    if (!isHalved && queued > capacity - capacity / 8) {
      isHalved = true;
      backlogEnd = producerIndex;
      return share.halvings() < RowShare.MAX_HALVINGS;
    }
    return false;
  }

  private void beginWindow(long now, long idleNanos) {
    maxQueued = 0;
    windowBegan = now;
    idleBefore = idleNanos;
  }

  /** The smallest share of active transactions and of those that begin now. */
  private RowShare smallestActive() {
    for (int halvings = RowShare.MAX_HALVINGS; halvings > share.halvings(); halvings--) {
      if (active.get(halvings) != 0) {
        return new RowShare(halvings);
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
