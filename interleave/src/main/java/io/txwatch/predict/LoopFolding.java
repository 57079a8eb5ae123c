package io.txwatch.predict;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiPredicate;

/** Finds the loops of a sequence: blocks of at most some elements that are repeated at once. */
final class LoopFolding {

  private static final int MAX_BODY = 20;

  private LoopFolding() {}

  /**
   * A stretch of a sequence.
   *
   * @param iterations the elements of each iteration; one if it is no loop
   */
  record Stretch<T>(List<List<T>> iterations) {
    List<T> body() {
      return iterations.get(0);
    }

    boolean isLoop() {
      return iterations.size() > 1;
    }
  }

  /** The stretches, the shortest possible bodies first; each element alone if nothing repeats. */
  static <T> List<Stretch<T>> fold(List<T> elements, BiPredicate<T, T> same) {
    List<Stretch<T>> stretches = new ArrayList<>();
    int at = 0;
    while (at < elements.size()) {
      int length = body(elements, at, same);
      int end = at + length;
      List<List<T>> iterations = new ArrayList<>(List.of(List.copyOf(elements.subList(at, end))));
      while (repeats(elements, at, end, length, same)) {
        iterations.add(List.copyOf(elements.subList(end, end + length)));
        end += length;
      }
      stretches.add(new Stretch<>(iterations));
      at = end;
    }
    return stretches;
  }

  private static <T> int body(List<T> elements, int at, BiPredicate<T, T> same) {
    for (int length = 1; length <= MAX_BODY; length++) {
      if (repeats(elements, at, at + length, length, same)) {
        return length;
      }
    }
    return 1;
  }

  private static <T> boolean repeats(
      List<T> elements, int first, int second, int length, BiPredicate<T, T> same) {
    if (second + length > elements.size()) {
      return false;
    }
    for (int i = 0; i < length; i++) {
      if (!same.test(elements.get(first + i), elements.get(second + i))) {
        return false;
      }
    }
    return true;
  }
}
