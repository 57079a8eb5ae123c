package io.txwatch.jdbc.plan;

import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Which texts were seen lately, by their hashes: each takes the place of another one. A text that
 * is new may be taken for one that was seen, and the other way round. Without a lock.
 */
final class RecentTexts {

  private static final int PLACES = 1 << 12;

  private final AtomicIntegerArray hashes = new AtomicIntegerArray(PLACES);

  /** True if a text was seen before; it has been seen from now on. */
  boolean contains(String text) {
    int hash = text.hashCode();
    int place = (hash ^ hash >>> 16) & PLACES - 1;
    if (hashes.getPlain(place) == hash) {
      return true;
    }
    hashes.setPlain(place, hash);
    return false;
  }
}
