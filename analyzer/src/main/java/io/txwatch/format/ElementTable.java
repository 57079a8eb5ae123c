package io.txwatch.format;

import java.util.Arrays;

/**
 * The writer of each element of each key, and its position in the key's list: open addressing over
 * parallel arrays.
 */
final class ElementTable {

  /** The writer of an element that no transaction appended. */
  static final int NO_WRITER = -1;

  /** The position of an element that no transaction read. */
  static final int UNREAD = -1;

  private int[] keys = new int[256];
  private long[] elements = new long[256];
  private int[] writers = new int[256];
  private int[] statements = new int[256];
  private int[] positions = new int[256];
  private int size;

  ElementTable() {
    Arrays.fill(keys, -1);
  }

  /** The entry of an element; negative if there is none. */
  int find(int key, long element) {
    int mask = keys.length - 1;
    for (int i = slot(key, element, mask); ; i = i + 1 & mask) {
      if (keys[i] < 0) {
        return -1;
      }
      if (keys[i] == key && elements[i] == element) {
        return i;
      }
    }
  }

  /** Adds a new element. Invalidates entries that were found before. */
  int add(int key, long element, int writer, int statement) {
    if (2 * (size + 1) > keys.length) {
      grow();
    }
    int i = free(key, element);
    keys[i] = key;
    elements[i] = element;
    writers[i] = writer;
    statements[i] = statement;
    positions[i] = UNREAD;
    size++;
    return i;
  }

  /** The transaction that appended it, or {@link #NO_WRITER}. */
  int writer(int entry) {
    return writers[entry];
  }

  /** The number of the statement that appended it. */
  int statement(int entry) {
    return statements[entry];
  }

  /** Its position in the key's list, from 0, or {@link #UNREAD}. */
  int position(int entry) {
    return positions[entry];
  }

  void setPosition(int entry, int position) {
    positions[entry] = position;
  }

  private int free(int key, long element) {
    int mask = keys.length - 1;
    int i = slot(key, element, mask);
    while (keys[i] >= 0) {
      i = i + 1 & mask;
    }
    return i;
  }

  private void grow() {
    int[] oldKeys = keys;
    long[] oldElements = elements;
    int[] oldWriters = writers;
    int[] oldStatements = statements;
    int[] oldPositions = positions;
    int length = oldKeys.length * 2;
    keys = new int[length];
    Arrays.fill(keys, -1);
    elements = new long[length];
    writers = new int[length];
    statements = new int[length];
    positions = new int[length];
    for (int j = 0; j < oldKeys.length; j++) {
      if (oldKeys[j] >= 0) {
        int i = free(oldKeys[j], oldElements[j]);
        keys[i] = oldKeys[j];
        elements[i] = oldElements[j];
        writers[i] = oldWriters[j];
        statements[i] = oldStatements[j];
        positions[i] = oldPositions[j];
      }
    }
  }

  private static int slot(int key, long element, int mask) {
    // Both elements and keys are consecutive numbers: a sum of multiples would collide often.
    long mixed = element * 0x9E37_79B9_7F4A_7C15L + key;
    return (int) ((mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L >>> 32) & mask;
  }
}
