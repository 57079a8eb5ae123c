package io.txwatch.format;

import java.util.Arrays;

/** The reads and writes of one transaction, as in its line. Reused for each line. */
final class MicroOps {

  enum Kind {
    /** Appends an element to a key's list. */
    APPEND,
    /** Writes a register. */
    WRITE,
    /** Returns nothing: the list is empty, the register is not set, or the result is unknown. */
    READ_NIL,
    /** Returns a register's value. */
    READ_VALUE,
    /** Returns a list. */
    READ_LIST
  }

  private static final Kind[] KINDS = Kind.values();

  private byte[] kinds = new byte[8];
  private int[] keys = new int[8];
  private long[] values = new long[8];
  private int[] starts = new int[8];
  private int size;
  private long[] elements = new long[64];
  private int elementCount;

  void clear() {
    size = 0;
    elementCount = 0;
  }

  /** Adds an operation with at most one value. */
  void add(Kind kind, int key, long value) {
    if (size == kinds.length) {
      kinds = Arrays.copyOf(kinds, size * 2);
      keys = Arrays.copyOf(keys, size * 2);
      values = Arrays.copyOf(values, size * 2);
      starts = Arrays.copyOf(starts, size * 2);
    }
    kinds[size] = (byte) kind.ordinal();
    keys[size] = key;
    values[size] = value;
    starts[size] = elementCount;
    size++;
  }

  /** Adds an element to the list of the next {@link #addList}. */
  void element(long value) {
    if (elementCount == elements.length) {
      elements = Arrays.copyOf(elements, elementCount * 2);
    }
    elements[elementCount++] = value;
  }

  /** The start of the elements of the next list. */
  int mark() {
    return elementCount;
  }

  /** Adds a read of the elements from a mark on. */
  void addList(int key, int mark) {
    add(Kind.READ_LIST, key, elementCount - mark);
    starts[size - 1] = mark;
  }

  int size() {
    return size;
  }

  Kind kind(int i) {
    return KINDS[kinds[i]];
  }

  int key(int i) {
    return keys[i];
  }

  /** The value written or read; the length of the list read. */
  long value(int i) {
    return values[i];
  }

  /** The start, in {@link #elements}, of the elements of the list read. */
  int start(int i) {
    return starts[i];
  }

  long[] elements() {
    return elements;
  }

  /** Whether there are no writes here, or both have the same writes in the same order. */
  boolean agreesWithWritesOf(MicroOps other) {
    int i = nextWrite(0);
    int j = i < size ? other.nextWrite(0) : other.size;
    while (i < size && j < other.size) {
      if (kinds[i] != other.kinds[j] || keys[i] != other.keys[j] || values[i] != other.values[j]) {
        return false;
      }
      i = nextWrite(i + 1);
      j = other.nextWrite(j + 1);
    }
    return i >= size && j >= other.size;
  }

  private int nextWrite(int from) {
    int i = from;
    while (i < size && kind(i) != Kind.APPEND && kind(i) != Kind.WRITE) {
      i++;
    }
    return i;
  }

  /** Only the writes, and reads of unknown result: what is known before a transaction has ended. */
  MicroOps invoked() {
    MicroOps copy = new MicroOps();
    for (int i = 0; i < size; i++) {
      Kind kind = kind(i);
      copy.add(
          kind == Kind.APPEND || kind == Kind.WRITE ? kind : Kind.READ_NIL, keys[i], values[i]);
    }
    return copy;
  }
}
