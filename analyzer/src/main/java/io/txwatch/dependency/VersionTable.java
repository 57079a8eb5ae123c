package io.txwatch.dependency;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Versions by row and writer's token: open addressing with linear probing. The hashes stand beside,
 * so that a look-up touches few versions but the one that it is for.
 */
final class VersionTable {

  private static final int LEAST = 64;

  private @Nullable Version[] slots = new @Nullable Version[LEAST];
  private long[] hashes = new long[LEAST];
  private int size;

  @Nullable Version get(Row row, long transaction, int statement) {
    int mask = slots.length - 1;
    long hash = hash(row, transaction, statement);
    for (int i = slot(hash, mask); ; i = i + 1 & mask) {
      Version version = slots[i];
      if (version == null
          || hashes[i] == hash && version.row == row && version.is(transaction, statement)) {
        return version;
      }
    }
  }

  void put(Version version) {
    if (2 * (size + 1) > slots.length) {
      rebuild(slots.length * 2, false);
    }
    long writer = version.writer == null ? 0 : version.writer.id();
    place(version, hash(version.row, writer, version.statement));
    size++;
  }

  int size() {
    return size;
  }

  void forEach(Consumer<Version> action) {
    for (Version version : slots) {
      if (version != null) {
        action.accept(version);
      }
    }
  }

  /** Drops the versions that are not marked as kept. */
  void sweep() {
    size = 0;
    for (Version version : slots) {
      size += version != null && version.kept ? 1 : 0;
    }
    rebuild(Math.max(LEAST, Integer.highestOneBit(4 * size)), true);
  }

  private void rebuild(int length, boolean keptOnly) {
    @Nullable Version[] oldSlots = slots;
    long[] oldHashes = hashes;
    slots = new @Nullable Version[length];
    hashes = new long[length];
    for (int i = 0; i < oldSlots.length; i++) {
      Version version = oldSlots[i];
      if (version != null && (version.kept || !keptOnly)) {
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

  private static long hash(Row row, long transaction, int statement) {
    long mixed = (transaction * 31 + statement) * 0x9E37_79B9_7F4A_7C15L + row.id();
    return (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }
}
