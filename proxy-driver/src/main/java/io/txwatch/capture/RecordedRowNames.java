package io.txwatch.capture;

import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The rows whose keys a history contains already: each is recorded once, and again when it has
 * another key. A table of hashes without eviction, so that a large working set costs nothing: a row
 * whose slot is taken is not named.
 */
final class RecordedRowNames {

  private static final int SLOT_BITS = 15;
  private static final int TABLES = 1 << 6;
  private static final int SLOTS = 1 << SLOT_BITS;

  private final AtomicLongArray rows = new AtomicLongArray(SLOTS);

  /** By the same slot, what stands for the key that was recorded last. */
  private final AtomicLongArray keys = new AtomicLongArray(SLOTS);

  /** By the table's hash, how often its rows were given other keys. */
  private final AtomicIntegerArray changes = new AtomicIntegerArray(TABLES);

  private volatile boolean isEmpty = true;

  /**
   * Notes the key of a row; false if it is recorded already, or is not to be.
   *
   * @param bits stands for the key: equal for equal keys of a table
   */
  boolean add(String place, String table, long row, long bits) {
    long key = bits + 0x9e3779b97f4a7c15L * changes.getPlain(slot(table));
    long hash = 31L * place.hashCode() + table.hashCode();
    hash = (hash ^ row) * 0x9e3779b97f4a7c15L | 1; // not 0
    int slot = (int) (hash >>> Long.SIZE - SLOT_BITS);
    if (rows.getPlain(slot) == 0 && rows.compareAndSet(slot, 0, hash)) {
      isEmpty = false;
      keys.set(slot, key);
      return true;
    }
    return rows.getPlain(slot) == hash
        && keys.getPlain(slot) != key
        && keys.getAndSet(slot, key) != key;
  }

  /**
   * The rows of a table may have other keys: each is recorded again.
   *
   * @return false if none is recorded
   */
  boolean renamed(String table) {
    if (isEmpty) {
      return false;
    }
    changes.incrementAndGet(slot(table));
    return true;
  }

  private static int slot(String table) {
    return table.hashCode() & TABLES - 1;
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
