package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/**
 * Recently used strings, so that equal ones are stored once: a direct-mapped table by hash. A
 * string that was evicted and occurs again is stored twice.
 */
final class StringCache {

  private static final int SLOTS = 1 << 10;

  /** Longer strings are not cached, so that the whole table stays small. */
  private static final int MAX_LENGTH = 1 << 10;

  private final @Nullable String[] slots = new @Nullable String[SLOTS];

  /** The memory that the last string added; 0 if it was cached. */
  long addedWeight;

  /**
   * The string to store instead of an equal one; {@link #addedWeight} is the memory that it adds.
   */
  String intern(String text) {
    addedWeight = 0;
    if (text.isEmpty()) {
      return text;
    }
    int hash = text.hashCode();
    int slot = (hash ^ hash >>> 10 ^ hash >>> 20) & SLOTS - 1;
    String known = slots[slot];
    if (known != null && known.equals(text)) {
      return known;
    }
    addedWeight = Footprint.ofText(text);
    if (text.length() <= MAX_LENGTH) {
      slots[slot] = text;
    }
    return text;
  }
}
