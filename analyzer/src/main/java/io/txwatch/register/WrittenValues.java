package io.txwatch.register;

import io.txwatch.register.RegisterHistory.Kind;
import java.util.Arrays;

/** Finds the writes of a key and a value: a hash table of operations, with open addressing. */
final class WrittenValues {

  private static final int NONE = -1;

  private final RegisterHistory history;
  private final int[] table;
  private final int[] next;

  WrittenValues(RegisterHistory history) {
    this.history = history;
    table = new int[Integer.highestOneBit(Math.max(2, history.operations())) * 4];
    next = new int[history.operations()];
    Arrays.fill(table, NONE);
    Arrays.fill(next, NONE);
    for (int op = history.operations() - 1; op >= 0; op--) {
      if (history.kind(op) == Kind.WRITE) {
        int slot = slot(op);
        next[op] = table[slot];
        table[slot] = op;
      }
    }
  }

  /** The first write of the key and value of an operation; -1 if there is none. */
  int first(int op) {
    return table[slot(op)];
  }

  /** The next write of the same key and value; -1 if there is none. */
  int next(int write) {
    return next[write];
  }

  private int slot(int op) {
    long hash = (history.value(op) * 31 + history.key(op)) * 0x9E37_79B9_7F4A_7C15L;
    int slot = (int) (hash >>> 32) & table.length - 1;
    while (table[slot] != NONE && !isSame(table[slot], op)) {
      slot = slot + 1 & table.length - 1;
    }
    return slot;
  }

  private boolean isSame(int one, int other) {
    return history.key(one) == history.key(other) && history.value(one) == history.value(other);
  }
}
