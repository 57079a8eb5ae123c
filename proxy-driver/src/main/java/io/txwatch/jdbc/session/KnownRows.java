package io.txwatch.jdbc.session;

import io.txwatch.jdbc.plan.KeyedRowHasher;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a connection's transaction has read, each by a key: the newest {@value #MAX_ROWS}.
 *
 * <p>It may be out of date: another transaction can have given the key to another row since. For
 * one connection, so for one thread at a time.
 */
public final class KnownRows {

  private static final int MAX_ROWS = 64;

  /** Marks a key under which two rows were read. */
  private static final long AMBIGUOUS = 0;

  private long transaction;
  private int size;
  private int next;
  private final long[] keys = new long[MAX_ROWS];
  private final long[] rows = new long[MAX_ROWS];
  private final @Nullable String[] tables = new @Nullable String[MAX_ROWS];
  private final @Nullable String[] writers = new @Nullable String[MAX_ROWS];

  /** By which key of its table each was read: {@link KeyedRowHasher#columns}. */
  private final long[] columns = new long[MAX_ROWS];

  /**
   * A query has returned the one row of a key.
   *
   * @param key the key's bits
   * @param by the key
   * @param writers the writers of the version that it has returned
   */
  public void read(long inTransaction, long key, KeyedRowHasher by, long row, String writers) {
    int known = place(inTransaction, key);
    if (known >= 0) {
      rows[known] = rows[known] == row ? row : AMBIGUOUS;
      return;
    }
    if (inTransaction != transaction) {
      forget();
      transaction = inTransaction;
    }
    keys[next] = key;
    rows[next] = row;
    tables[next] = by.table();
    this.writers[next] = writers;
    columns[next] = by.columns();
    next = (next + 1) % MAX_ROWS;
    size = Math.max(size, next == 0 ? MAX_ROWS : next);
  }

  /** The row that the transaction has read by that key; 0 if it is not known. */
  public long find(long inTransaction, long key) {
    int known = place(inTransaction, key);
    return known < 0 ? 0 : rows[known];
  }

  /** The writers of the version that it has read by that key first; null if that is not known. */
  public @Nullable String writers(long inTransaction, long key) {
    int known = place(inTransaction, key);
    return known < 0 || rows[known] == AMBIGUOUS ? null : writers[known];
  }

  private int place(long inTransaction, long key) {
    if (inTransaction == transaction && key != 0) {
      for (int i = 0; i < size; i++) {
        if (keys[i] == key) {
          return i;
        }
      }
    }
    return -1;
  }

  /** A statement is sent after which other rows may bear the keys. */
  public void mayMove(KeyedRowHasher key) {
    switch (key.role()) {
      case MAY_MOVE -> forgetOf(key.table(), 0);
      case WRITES_OTHER_KEYS -> forgetOf(key.table(), key.columns());
      case ANY_MAY_MOVE -> forget();
      case NONE, READS, WRITES -> {}
    }
  }

  /** Forgets the rows of a table, but not those that were read by one key of it. */
  private void forgetOf(String table, long exceptBy) {
    for (int i = 0; i < size; i++) {
      if (table.equals(tables[i]) && columns[i] != exceptBy) {
        keys[i] = 0;
      }
    }
  }

  /** Forgets all. */
  public void forget() {
    size = 0;
    next = 0;
  }
}
