package io.txwatch.history;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;

/**
 * Decides what {@linkplain RowShare share} of the rows is observed while more events arrive than a
 * queue can deliver. Each transaction reads the share once, when it begins, and omits its statements
 * on other rows ({@link TransactionEvents}): so it is complete for the rows of its share.
 *
 * <p>The queue's thread decides. While more than half of the queue is used, it halves the share:
 * once, and again only after everything is delivered that was in the queue then, since that was
 * observed under the larger share. So a pause of the process, which fills the queue once, halves the
 * share once. When its thread was idle for most of some time, it doubles the share, since twice the
 * events then fit.
 *
 * <p>Consumers need the smallest share of all active transactions, including those of which nothing
 * is emitted. A smaller share is announced ({@link Event.RowsShed}) before a transaction can begin
 * under it, a larger one after the last transaction has ended that began under a smaller one. A
 * transaction first counts itself and then reads the share again; the thread first changes the share
 * and then reads the counts. So the thread overlooks none.
 */
public final class LoadShedding {

  /** Sheds nothing. */
  public static final LoadShedding NEVER = new LoadShedding();

  /** The time over which it is measured how long the queue's thread is idle. */
  private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** The share is doubled if the queue's thread is idle for this part of the time. */
  private static final double IDLE_TO_DOUBLE = 0.55;

  /** The interval at which omitted statements are reported. */
  private static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private volatile RowShare share = RowShare.ALL;

  /** By halvings, the number of active transactions under each share but {@link RowShare#ALL}. */
  private final AtomicIntegerArray active = new AtomicIntegerArray(RowShare.MAX_HALVINGS + 1);

  private final LongAdder statements = new LongAdder();
  private final LongAdder transactions = new LongAdder();

  // The rest is used by the queue's thread only.

  private RowShare announced = RowShare.ALL;

  /** The session that announcements name: always the same one. */
  private long announcer;

  /** The share is not halved before the queue's consumer index has reached this. */
  private long nextHalvingAt;

  private long windowBegan;
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
    if (queued > capacity / 2
        && consumerIndex >= nextHalvingAt
        && share.halvings() < RowShare.MAX_HALVINGS) {
      nextHalvingAt = producerIndex;
      beginWindow(now, idleNanos);
      RowShare half = share.half();
      announce(announced.and(half), now, session, out);
      share = half;
    }
    if (announced.isAll()) {
      return;
    }
    if (now - windowBegan > WINDOW_NANOS) {
      if (idleNanos - idleBefore > IDLE_TO_DOUBLE * (now - windowBegan)) {
        share = share.twice();
      }
      beginWindow(now, idleNanos);
    }
    RowShare smallest = smallestActive();
    if (!smallest.equals(announced) || now - reportedAt > REPORT_NANOS) {
      announce(smallest, now, session, out);
    }
  }

  private void beginWindow(long now, long idleNanos) {
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
