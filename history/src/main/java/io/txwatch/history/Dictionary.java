package io.txwatch.history;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The texts of a segment by number. txwatch's own writer counts from 1; other writers may use any
 * numbers.
 */
final class Dictionary {

  private static final int MAX_DENSE_NUMBER = 1 << 17;

  private @Nullable String[] dense = new @Nullable String[64];
  private final Map<Integer, String> sparse = new HashMap<>();

  void clear() {
    Arrays.fill(dense, null);
    sparse.clear();
  }

  void put(int number, String text) {
    if (number < 0 || number >= MAX_DENSE_NUMBER) {
      sparse.put(number, text);
      return;
    }
    if (number >= dense.length) {
      dense = Arrays.copyOf(dense, Math.max(number + 1, 2 * dense.length));
    }
    dense[number] = text;
  }

  /** The text of a number; null if there is none. */
  @Nullable String get(int number) {
    return number >= 0 && number < dense.length ? dense[number] : sparse.get(number);
  }
}
