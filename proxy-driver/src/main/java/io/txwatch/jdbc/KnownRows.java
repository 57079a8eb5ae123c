package io.txwatch.jdbc;

import io.txwatch.history.WriterList;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a connection's transaction has read, each by a key: the newest {@value #MOST}.
 *
 * <p>It may be out of date: another transaction can have given the key to another row since. Not so
 * where it holds the row's lock: such a row is known with its writers. For one connection, so for
 * one thread at a time.
 */
final class KnownRows {

  private static final int MOST = 64;

  /** Marks a key under which two rows were read. */
  private static final long AMBIGUOUS = 0;

  private long transaction;
  private int size;
  private int next;
  private final long[] keys = new long[MOST];
  private final long[] rows = new long[MOST];
  private final @Nullable String[] tables = new @Nullable String[MOST];

  /** What stands in {@code txw_wl} of a row that is locked. */
  private final @Nullable String[] writers = new @Nullable String[MOST];

  /** True once statements are sent that are not seen. */
  private boolean bypassed;

  /** Counts what may have put something known out of date. */
  private int changes;

  /** A query has returned the one row of a key. */
  void read(long inTransaction, long key, String table, long row) {
    int known = place(inTransaction, key);
    if (known >= 0) {
      rows[known] = rows[known] == row ? row : AMBIGUOUS;
    } else {
      add(inTransaction, key, table, row);
    }
  }

  /**
   * A query that locks it has returned the one row of a key.
   *
   * @param since {@link #changes} when the query was sent: what came after it may have changed the
   *     row
   */
  void locked(long inTransaction, long key, String table, long row, String with, int since) {
    read(inTransaction, key, table, row);
    if (since == changes && !bypassed && WriterList.isOfColumn(with)) {
      writers[place(inTransaction, key)] = with;
    }
  }

  /** The transaction has written the one row of a key, so holds its lock. */
  void written(long inTransaction, long key, String table, long row, String with) {
    changes++;
    if (bypassed) {
      return;
    }
    for (int i = 0; i < size; i++) {
      if (rows[i] == row && keys[i] != key) {
        keys[i] = 0; // another key of the row, with the writers that it had
      }
    }
    int known = place(inTransaction, key);
    if (known < 0) {
      add(inTransaction, key, table, row);
      known = place(inTransaction, key);
    }
    rows[known] = row;
    writers[known] = with;
  }

  private void add(long inTransaction, long key, String table, long row) {
    if (inTransaction != transaction) {
      size = 0;
      next = 0;
      transaction = inTransaction;
    }
    keys[next] = key;
    rows[next] = row;
    tables[next] = table;
    writers[next] = null;
    next = (next + 1) % MOST;
    size = Math.max(size, next == 0 ? MOST : next);
  }

  /** The row that the transaction has read by that key; 0 if it is not known. */
  long find(long inTransaction, long key) {
    int known = place(inTransaction, key);
    return known < 0 ? 0 : rows[known];
  }

  /** What stands in {@code txw_wl} of the row of that key; null if its lock is not held. */
  @Nullable String writers(long inTransaction, long key) {
    int known = place(inTransaction, key);
    return known < 0 || rows[known] == AMBIGUOUS ? null : writers[known];
  }

  /** How often something has come that may have put out of date what is known of locked rows. */
  int changes() {
    return changes;
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
  void mayMove(KnownKey key) {
    switch (key.role()) {
      case MAY_MOVE -> forget(key.table());
      case ANY_MAY_MOVE -> forget();
      case NONE, READS, WRITES -> {}
    }
    switch (key.unsettled()) {
      case OF_TABLE -> unsettle(key.table());
      case ALL -> unsettle();
      case NONE -> {}
    }
  }

  /** Of no row of a table it is known any more who wrote it, or that its lock is held. */
  void unsettle(String table) {
    changes++;
    for (int i = 0; i < size; i++) {
      if (table.equals(tables[i])) {
        writers[i] = null;
      }
    }
  }

  /** The same of all rows. */
  void unsettle() {
    changes++;
    Arrays.fill(writers, null);
  }

  /** From now on statements are sent that are not seen: no lock is known to be held. */
  void bypassed() {
    bypassed = true;
    forget();
  }

  /** Forgets the rows of a table. */
  void forget(String table) {
    changes++;
    for (int i = 0; i < size; i++) {
      if (table.equals(tables[i])) {
        keys[i] = 0;
      }
    }
  }

  /** Forgets all. */
  void forget() {
    changes++;
    size = 0;
    next = 0;
  }
}
