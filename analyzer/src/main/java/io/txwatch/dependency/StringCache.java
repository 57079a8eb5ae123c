package io.txwatch.dependency;

import org.jspecify.annotations.Nullable;

/**
 * StringCache that were seen of late, so that equal ones are kept once: a direct-mapped table by
 * hash. A text that is pushed out and comes again is kept twice.
 */
final class StringCache {

  private static final int SLOTS = 1 << 10;

  /** Longer ones are not kept here: all of the table together is to stay small. */
  private static final int MAX_LENGTH = 1 << 10;

  private final @Nullable String[] slots = new @Nullable String[SLOTS];

  /** Weighs in {@code added} what a text takes if it was not here. */
  long addedWeight;

  /** The text to keep instead of an equal one; its {@link #addedWeight} is what that adds. */
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
