package io.txwatch.jdbc;

import org.jspecify.annotations.Nullable;

/**
 * The rows that a connection's transaction has read, each by a key: the newest {@value #MOST}.
 *
 * <p>It may be out of date: another transaction can have given the key to another row since. For
 * one connection, so for one thread at a time.
 */
final class KnownRows {

  private static final int MOST = 32;

  /** Marks a key under which two rows were read. */
  private static final long AMBIGUOUS = 0;

  private long transaction;
  private int size;
  private int next;
  private final long[] keys = new long[MOST];
  private final long[] rows = new long[MOST];
  private final @Nullable String[] tables = new @Nullable String[MOST];

  /** A query has returned the one row of a key. */
  void read(long inTransaction, long key, String table, long row) {
    if (inTransaction != transaction) {
      forget();
      transaction = inTransaction;
    }
    for (int i = 0; i < size; i++) {
      if (keys[i] == key) {
        rows[i] = rows[i] == row ? row : AMBIGUOUS;
        return;
      }
    }
    keys[next] = key;
    rows[next] = row;
    tables[next] = table;
    next = (next + 1) % MOST;
    size = Math.max(size, next == 0 ? MOST : next);
  }

  /** The row that the transaction has read by that key; 0 if it is not known. */
  long find(long inTransaction, long key) {
    if (inTransaction == transaction) {
      for (int i = 0; i < size; i++) {
        if (keys[i] == key) {
          return rows[i];
        }
      }
    }
    return 0;
  }

  /** A statement is sent after which other rows may bear the keys. */
  void mayMove(KnownKey key) {
    switch (key.role()) {
      case MAY_MOVE -> forget(key.table());
      case ANY_MAY_MOVE -> forget();
      case NONE, READS, WRITES -> {}
    }
  }

  private void forget(String table) {
    for (int i = 0; i < size; i++) {
      if (table.equals(tables[i])) {
        keys[i] = 0;
      }
    }
  }

  /** Forgets all. */
  void forget() {
    size = 0;
    next = 0;
  }
}
