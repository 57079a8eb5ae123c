package io.txwatch.capture;

import java.util.ArrayList;
import java.util.List;

/** The savepoints of a transaction, each with the last statement before it. */
final class Savepoints {

  /** The maximum number of savepoints per transaction; beyond it the oldest are evicted. */
  static final int MAX_MARKS = 1 << 12;

  private record Mark(String name, int statement) {}

  private final List<Mark> marks = new ArrayList<>();

  void set(String name, int lastStatement) {
    if (marks.size() == MAX_MARKS) {
      marks.subList(0, MAX_MARKS / 2).clear();
    }
    marks.add(new Mark(name, lastStatement));
  }

  /**
   * Rolls back to the newest savepoint of that name: it remains, later ones are removed.
   *
   * @return the last statement before it; -1 if there is none of that name
   */
  int goBackTo(String name) {
    int i = find(name);
    if (i < 0) {
      return -1;
    }
    marks.subList(i + 1, marks.size()).clear();
    return marks.get(i).statement();
  }

  void release(String name) {
    int i = find(name);
    if (i >= 0) {
      marks.subList(i, marks.size()).clear();
    }
  }

  boolean isEmpty() {
    return marks.isEmpty();
  }

  void clear() {
    marks.clear();
  }

  private int find(String name) {
    for (int i = marks.size() - 1; i >= 0; i--) {
      if (marks.get(i).name().equals(name)) {
        return i;
      }
    }
    return -1;
  }
}
