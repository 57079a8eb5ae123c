package io.txwatch.capture;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The rows whose keys a history contains already: each is recorded once. A table of hashes without
 * eviction, so that a large working set costs nothing: a row whose slot is taken is not named.
 */
final class NamedRows {

  private static final int SLOT_BITS = 15;
  private static final int SLOTS = 1 << SLOT_BITS;

  private final AtomicLongArray rows = new AtomicLongArray(SLOTS);
  private volatile boolean isEmpty = true;

  /** Notes a row; false if its key is recorded already, or is not to be. */
  boolean add(String place, String table, long row) {
    long hash = 31L * place.hashCode() + table.hashCode();
    hash = (hash ^ row) * 0x9e3779b97f4a7c15L | 1; // not 0
    int slot = (int) (hash >>> Long.SIZE - SLOT_BITS);
    boolean isNew = rows.getPlain(slot) == 0 && rows.compareAndSet(slot, 0, hash);
    if (isNew) {
      isEmpty = false;
    }
    return isNew;
  }

  /** Another history begins. */
  void clear() {
    if (!isEmpty) {
      isEmpty = true;
      for (int i = 0; i < SLOTS; i++) {
        rows.set(i, 0);
      }
    }
  }
}
