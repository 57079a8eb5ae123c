package io.txwatch.jdbc;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When an UPDATE that is a transaction of its own is asked which row it has written, on PostgreSQL,
 * where to be asked costs it most of what it costs to be watched.
 *
 * <p>It has read nothing else and writes nothing else, so nobody depends on it but who reads or
 * writes that very row afterwards: and that one finds its token in the row's list of writers. So
 * what it did comes to light if it matters, as long as the list is not full of others. A row that
 * is updated by its key again and again is asked at the first time and after every {@value #MOST}
 * that were not: before the window ({@link io.txwatch.history.WriterList#WINDOW}) has moved on.
 *
 * <p>Shared by the connections to a database. Of as many rows it is known how often they were not
 * asked as there are slots, each with the newest row of those that share it.
 */
final class AskedRows {

  /** So many executions in a row are not asked; as many again may overtake the one that is. */
  static final int MOST = 3;

  private static final int SLOT_BITS = 14;

  /** The bits of a slot that count; the others are the key's. */
  private static final long COUNT = 3;

  private final AtomicLongArray slots = new AtomicLongArray(1 << SLOT_BITS);

  /** What becomes of an execution. */
  enum Asking {
    /** It is asked: nothing is known of the row. */
    FIRST,
    /** It is asked: enough others were not. */
    AGAIN,
    /** It is not asked. */
    NOT
  }

  /**
   * An UPDATE is about to be sent.
   *
   * @param key the bits of the key by which it finds its row; 0 if they are not known
   */
  Asking next(long key) {
    if (key == 0) {
      return Asking.FIRST;
    }
    int slot = (int) (key >>> Long.SIZE - SLOT_BITS);
    long known = slots.get(slot);
    long none = key & ~COUNT;
    if ((known & ~COUNT) != none) {
      slots.set(slot, none);
      return Asking.FIRST;
    }
    if ((known & COUNT) < MOST && slots.compareAndSet(slot, known, known + 1)) {
      return Asking.NOT;
    }
    slots.set(slot, none);
    return Asking.AGAIN;
  }
}
