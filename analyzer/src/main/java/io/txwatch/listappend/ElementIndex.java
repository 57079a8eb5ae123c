package io.txwatch.listappend;

/** The append of each element of one key: open addressing over parallel arrays, reused. */
final class ElementIndex {

  /** What {@link #take} returns for an element that was taken before. */
  static final int TAKEN = -2;

  private long[] elements = new long[64];
  private int[] appends = new int[64];

  /** The slots in use have the current stamp. */
  private int[] stamps = new int[64];

  private boolean[] taken = new boolean[64];
  private int stamp;
  private int size;

  /** Empties it, and makes room for this many appends. */
  void clear(int expected) {
    if (2 * expected >= elements.length) {
      resize(Integer.highestOneBit(2 * expected + 1) << 1);
    }
    stamp++;
    size = 0;
  }

  /** Adds an append; false if the element has one already. */
  boolean add(long element, int append) {
    int i = slot(element);
    if (stamps[i] == stamp) {
      return false;
    }
    put(i, element, append);
    return true;
  }

  /** The append of an element; {@link ListOrder#NONE} if there is none or it was taken. */
  int append(long element) {
    int i = slot(element);
    return stamps[i] == stamp && !taken[i] ? appends[i] : ListOrder.NONE;
  }

  /** Returns the append of an element, if any, once. */
  int take(long element) {
    int i = slot(element);
    if (stamps[i] != stamp) {
      put(i, element, ListOrder.NONE);
    } else if (taken[i]) {
      return TAKEN;
    }
    i = slot(element);
    taken[i] = true;
    return appends[i];
  }

  private void put(int slot, long element, int append) {
    elements[slot] = element;
    appends[slot] = append;
    taken[slot] = false;
    stamps[slot] = stamp;
    if (2 * ++size >= elements.length) {
      resize(2 * elements.length);
    }
  }

  private void resize(int length) {
    long[] oldElements = elements;
    int[] oldAppends = appends;
    int[] oldStamps = stamps;
    boolean[] oldTaken = taken;
    elements = new long[length];
    appends = new int[length];
    taken = new boolean[length];
    stamps = new int[length];
    int old = stamp;
    stamp = 1;
    for (int j = 0; j < oldStamps.length; j++) {
      if (old > 0 && oldStamps[j] == old) {
        int i = slot(oldElements[j]);
        elements[i] = oldElements[j];
        appends[i] = oldAppends[j];
        taken[i] = oldTaken[j];
        stamps[i] = stamp;
      }
    }
  }

  private int slot(long element) {
    int mask = stamps.length - 1;
    int i = (int) ((element ^ element >>> 32) * 0x9E37_79B9L >>> 7) & mask;
    while (stamps[i] == stamp && elements[i] != element) {
      i = i + 1 & mask;
    }
    return i;
  }
}
