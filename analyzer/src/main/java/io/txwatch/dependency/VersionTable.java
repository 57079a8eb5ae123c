package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/**
 * Versions by row and writer token: open addressing with linear probing. The hashes are stored in
 * an array of their own, so that a lookup rarely dereferences other versions.
 */
final class VersionTable {

  private static final int MIN_CAPACITY = 64;

  private @Nullable Version[] slots = new @Nullable Version[MIN_CAPACITY];
  private long[] hashes = new long[MIN_CAPACITY];
  private int size;

  @Nullable Version get(Row row, long transaction, int number) {
    int mask = slots.length - 1;
    long hash = hash(row, transaction, number);
    for (int i = slot(hash, mask); ; i = i + 1 & mask) {
      Version version = slots[i];
      if (version == null
          || hashes[i] == hash && version.row == row && version.is(transaction, number)) {
        return version;
      }
    }
  }

  void put(Version version) {
    if (2 * (size + 1) > slots.length) {
      rebuild(slots.length * 2);
    }
    place(version, hash(version));
    size++;
  }

  int size() {
    return size;
  }

  /** Removes a version and closes the gap, so that probes still find the versions behind it. */
  void remove(Version version) {
    int mask = slots.length - 1;
    int hole = slot(hash(version), mask);
    while (slots[hole] != version) {
      hole = hole + 1 & mask;
    }
    for (int i = hole + 1 & mask; slots[i] != null; i = i + 1 & mask) {
      int home = slot(hashes[i], mask);
      if ((i - home & mask) >= (i - hole & mask)) {
        slots[hole] = slots[i];
        hashes[hole] = hashes[i];
        hole = i;
      }
    }
    slots[hole] = null;
    size--;
    if (slots.length > MIN_CAPACITY && 16 * size < slots.length) {
      rebuild(slots.length / 4);
    }
  }

  private void rebuild(int length) {
    @Nullable Version[] oldSlots = slots;
    long[] oldHashes = hashes;
    long[] newHashes = new long[length];
    slots = new @Nullable Version[length]; // if memory is exhausted, the table is unchanged
    hashes = newHashes;
    for (int i = 0; i < oldSlots.length; i++) {
      Version version = oldSlots[i];
      if (version != null) {
        place(version, oldHashes[i]);
      }
    }
  }

  private void place(Version version, long hash) {
    int mask = slots.length - 1;
    int i = slot(hash, mask);
    while (slots[i] != null) {
      i = i + 1 & mask;
    }
    slots[i] = version;
    hashes[i] = hash;
  }

  private static int slot(long hash, int mask) {
    return (int) (hash >>> 32) & mask;
  }

  private static long hash(Version version) {
    return hash(version.row, version.writerId, version.number);
  }

  private static long hash(Row row, long transaction, int number) {
    long mixed = (transaction * 31 + number) * 0x9E37_79B9_7F4A_7C15L + row.id();
    return (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }
}
