package io.txwatch.dependency;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A map with {@code long} keys, without boxing: open addressing with linear probing, at most two
 * thirds full. Not thread-safe. Fibonacci hashing spreads consecutive keys, such as ids.
 */
final class LongTable<V> {

  private static final int MIN_CAPACITY = 16;

  private long[] keys = new long[MIN_CAPACITY];
  private @Nullable Object[] values = new @Nullable Object[MIN_CAPACITY];
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
      resize(2 * keys.length);
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

  /** Removes a key and closes the gap, so that probes still find the keys behind it. */
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
    if (keys.length > MIN_CAPACITY && 16 * size < keys.length) {
      resize(keys.length / 4);
    }
  }

  void forEach(Consumer<V> action) {
    for (Object value : values) {
      if (value != null) {
        action.accept(cast(value));
      }
    }
  }

  private void resize(int length) {
    long[] oldKeys = keys;
    @Nullable Object[] oldValues = values;
    long[] newKeys = new long[length];
    values = new @Nullable Object[length]; // if memory is exhausted, the table is unchanged
    keys = newKeys;
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
