package io.txwatch.graph;

import java.util.Arrays;

/** A growing list of ints. */
public final class IntList {

  private int[] values = new int[16];
  private int size;

  public int size() {
    return size;
  }

  public int get(int index) {
    return values[index];
  }

  public void add(int value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  public void clear() {
    size = 0;
  }

  public int[] toArray() {
    return Arrays.copyOf(values, size);
  }
}
