package io.txwatch.graph;

import java.util.Arrays;

/**
 * A total order of components in which a component can be moved before another: a linked list with
 * increasing labels.
 *
 * <p>Labels leave gaps. When a gap is used up, all labels are respaced. This is linear in the
 * number of components and makes room for thousands of moves to that place.
 */
final class ComponentOrder {

  private static final int NONE = -1;
  private static final long SPACE = 1L << 32;
  private static final long STEP = 1L << 16;

  private long[] label;
  private int[] previous;
  private int[] next;
  private int first = NONE;
  private int last = NONE;

  /** Creates an empty order with an initial capacity. */
  ComponentOrder(int components) {
    label = new long[components];
    previous = new int[components];
    next = new int[components];
  }

  void append(int component) {
    if (component >= label.length) {
      int size = Math.max(component + 1, label.length * 2);
      label = Arrays.copyOf(label, size);
      previous = Arrays.copyOf(previous, size);
      next = Arrays.copyOf(next, size);
    }
    if (last != NONE && label[last] > Long.MAX_VALUE - 2 * SPACE) {
      relabel();
    }
    label[component] = last == NONE ? 0 : label[last] + SPACE;
    previous[component] = last;
    next[component] = NONE;
    if (last == NONE) {
      first = component;
    } else {
      next[last] = component;
    }
    last = component;
  }

  boolean isBefore(int component, int other) {
    return label[component] < label[other];
  }

  void remove(int component) {
    int before = previous[component];
    int after = next[component];
    if (before == NONE) {
      first = after;
    } else {
      next[before] = after;
    }
    if (after == NONE) {
      last = before;
    } else {
      previous[after] = before;
    }
  }

  void insertBefore(int component, int place) {
    int before = previous[place];
    long low = before == NONE ? label[place] - 2 * SPACE : label[before];
    if (label[place] - low < 2) {
      relabel();
      low = before == NONE ? label[place] - 2 * SPACE : label[before];
    }
    // Close to the previous component, since the next one is inserted before the same place, too.
    label[component] = low + Math.min(STEP, (label[place] - low) / 2);
    previous[component] = before;
    next[component] = place;
    previous[place] = component;
    if (before == NONE) {
      first = component;
    } else {
      next[before] = component;
    }
  }

  /** Sorts components by their place. */
  void sort(int[] components) {
    if (components.length < 2) {
      return;
    }
    long[] keys = new long[components.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = label[components[i]];
    }
    long[] sorted = keys.clone();
    Arrays.sort(sorted);
    int[] unsorted = components.clone();
    for (int i = 0; i < keys.length; i++) {
      components[Arrays.binarySearch(sorted, keys[i])] = unsorted[i];
    }
  }

  private void relabel() {
    long at = 0;
    for (int component = first; component != NONE; component = next[component]) {
      label[component] = at;
      at += SPACE;
    }
  }
}
