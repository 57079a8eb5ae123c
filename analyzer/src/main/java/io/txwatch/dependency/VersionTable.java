package io.txwatch.dependency;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Versions by row and writer's token: open addressing with linear probing. */
final class VersionTable {

  private @Nullable Version[] slots = new @Nullable Version[64];
  private int size;

  @Nullable Version get(Row row, long transaction, int statement) {
    int mask = slots.length - 1;
    for (int i = hash(row, transaction, statement) & mask; ; i = i + 1 & mask) {
      Version version = slots[i];
      if (version == null || version.row == row && version.is(transaction, statement)) {
        return version;
      }
    }
  }

  void put(Version version) {
    if (2 * (size + 1) > slots.length) {
      @Nullable Version[] old = slots;
      slots = new @Nullable Version[old.length * 2];
      for (Version each : old) {
        if (each != null) {
          place(each);
        }
      }
    }
    place(version);
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
    @Nullable Version[] old = slots;
    slots = new @Nullable Version[64];
    size = 0;
    for (Version version : old) {
      if (version != null && version.kept) {
        put(version);
      }
    }
  }

  private void place(Version version) {
    int mask = slots.length - 1;
    int i = hash(version) & mask;
    while (slots[i] != null) {
      i = i + 1 & mask;
    }
    slots[i] = version;
  }

  private static int hash(Version version) {
    long writer = version.writer == null ? 0 : version.writer.id();
    return hash(version.row, writer, version.statement);
  }

  private static int hash(Row row, long transaction, int statement) {
    long mixed = (row.id() * 31 + transaction) * 31 + statement;
    mixed *= 0x9E37_79B9_7F4A_7C15L;
    return (int) (mixed >>> 32);
  }
}
