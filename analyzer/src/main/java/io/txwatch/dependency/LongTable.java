package io.txwatch.dependency;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A map from {@code long} to objects without boxes: open addressing with linear probing, at most
 * two thirds full. Not thread-safe. Keys that follow one another (ids are counted) spread by
 * Fibonacci hashing.
 */
final class LongTable<V> {

  private long[] keys = new long[16];
  private @Nullable Object[] values = new @Nullable Object[16];
  private int size;

  int size() {
    return size;
  }

  @Nullable V get(long key) {
    int mask = keys.length - 1;
    for (int i = slot(key, mask); ; i = i + 1 & mask) {
      Object value = values[i];
      if (value == null) {
        return null;
      }
      if (keys[i] == key) {
        return cast(value);
      }
    }
  }

  void put(long key, V value) {
    if (3 * (size + 1) > 2 * keys.length) {
      grow();
    }
    int mask = keys.length - 1;
    int i = slot(key, mask);
    while (values[i] != null && keys[i] != key) {
      i = i + 1 & mask;
    }
    if (values[i] == null) {
      size++;
    }
    keys[i] = key;
    values[i] = value;
  }

  /** Removes a key, closing the gap so that later probes still find what lies behind it. */
  void remove(long key) {
    int mask = keys.length - 1;
    int i = slot(key, mask);
    while (values[i] != null && keys[i] != key) {
      i = i + 1 & mask;
    }
    if (values[i] == null) {
      return;
    }
    size--;
    int hole = i;
    for (int j = i + 1 & mask; values[j] != null; j = j + 1 & mask) {
      int home = slot(keys[j], mask);
      if ((j - home & mask) >= (j - hole & mask)) {
        keys[hole] = keys[j];
        values[hole] = values[j];
        hole = j;
      }
    }
    values[hole] = null;
  }

  void forEach(Consumer<V> action) {
    for (Object value : values) {
      if (value != null) {
        action.accept(cast(value));
      }
    }
  }

  /** Removes what a test says, by building the table anew. */
  void removeIf(Predicate<V> test) {
    long[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    int kept = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      Object value = oldValues[i];
      if (value != null && test.test(cast(value))) {
        oldValues[i] = null;
      }
      kept += oldValues[i] == null ? 0 : 1;
    }
    int length = Math.max(16, Integer.highestOneBit(4 * kept));
    keys = new long[length];
    values = new @Nullable Object[length];
    size = 0;
    for (int i = 0; i < oldKeys.length; i++) {
      Object value = oldValues[i];
      if (value != null) {
        put(oldKeys[i], cast(value));
      }
    }
  }

  private void grow() {
    long[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = Arrays.copyOf(new @Nullable Object[0], oldKeys.length * 2);
    int mask = keys.length - 1;
    for (int j = 0; j < oldKeys.length; j++) {
      if (oldValues[j] != null) {
        int i = slot(oldKeys[j], mask);
        while (values[i] != null) {
          i = i + 1 & mask;
        }
        keys[i] = oldKeys[j];
        values[i] = oldValues[j];
      }
    }
  }

  private static int slot(long key, int mask) {
    long mixed = key * 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32) & mask;
  }

  @SuppressWarnings("unchecked")
  private V cast(Object value) {
    return (V) value;
  }
}
