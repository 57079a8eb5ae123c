package io.txwatch.listappend;

import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory.Keys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A list-append history in memory, with a few bytes per operation.
 *
 * <p>Nearly every list that is read is a prefix of a longer one. So only the longest list of each
 * key is stored, and for each read the length of its list. Contradictory lists of a key (neither is
 * a prefix of the other) are stored as further branches.
 *
 * <p>Only reads of committed transactions count: what others read is not known.
 */
public final class ListHistory {

  enum Kind {
    /** An append; its value is the element. */
    APPEND,
    /** A read; its value is a branch and a length. */
    READ,
    UNKNOWN_READ
  }

  private static final Kind[] KINDS = Kind.values();

  /** A list of a key's elements, as far as it was read. */
  static final class Branch {
    private long[] elements = new long[4];
    private int length;

    int length() {
      return length;
    }

    long element(int i) {
      return elements[i];
    }

    /**
     * Extends this list by an array if one is a prefix of the other; false if they contradict each
     * other.
     */
    private boolean takes(long[] from, int start, int count) {
      int common = Math.min(count, length);
      if (!Arrays.equals(elements, 0, common, from, start, start + common)) {
        return false;
      }
      if (count > length) {
        if (count > elements.length) {
          elements = Arrays.copyOf(elements, Math.max(count, 2 * elements.length));
        }
        System.arraycopy(from, start + length, elements, length, count - length);
        length = count;
      }
      return true;
    }
  }

  private final Keys names;
  private final List<List<Branch>> branches = new ArrayList<>();

  private int transactions;
  private long[] processes = new long[64];
  private byte[] outcomes = new byte[64];
  private int[] befores = new int[64];
  private long[] indexes = new long[64];
  private int[] firstOps = new int[65];

  private int operations;
  private byte[] kinds = new byte[256];
  private int[] keys = new int[256];
  private long[] values = new long[256];

  /**
   * Starts a history.
   *
   * @param names the display names of keys and elements
   */
  public ListHistory(Keys names) {
    this.names = names;
  }

  /**
   * Begins a transaction; operations added next are its own.
   *
   * @param process the process that ran it, one transaction at a time; -1 if unknown
   * @param before how many earlier ones had ended when it began; -1 if unknown
   * @param index its number for display; -1 if it has none
   */
  public void begin(long process, int before, long index, Outcome outcome) {
    if (transactions == processes.length) {
      processes = Arrays.copyOf(processes, transactions + (transactions >> 1));
      outcomes = Arrays.copyOf(outcomes, transactions + (transactions >> 1));
      befores = Arrays.copyOf(befores, transactions + (transactions >> 1));
      indexes = Arrays.copyOf(indexes, transactions + (transactions >> 1));
      firstOps = Arrays.copyOf(firstOps, transactions + (transactions >> 1) + 1);
    }
    processes[transactions] = process;
    outcomes[transactions] = (byte) outcome.ordinal();
    befores[transactions] = before;
    indexes[transactions] = index;
    firstOps[++transactions] = operations;
  }

  /** Adds an append to the current transaction. */
  public void append(int key, long element) {
    add(Kind.APPEND, key, element);
  }

  /** Adds a read whose result is unknown. */
  public void readUnknown(int key) {
    add(Kind.UNKNOWN_READ, key, 0);
  }

  /** Adds a read of a list: {@code count} elements of an array, from {@code start} on. */
  public void read(int key, long[] elements, int start, int count) {
    if (outcome(transactions - 1) == Outcome.COMMITTED) {
      add(Kind.READ, key, count == 0 ? 0 : observe(key, elements, start, count));
    } else {
      readUnknown(key);
    }
  }

  private void add(Kind kind, int key, long value) {
    if (operations == kinds.length) {
      kinds = Arrays.copyOf(kinds, operations + (operations >> 1));
      keys = Arrays.copyOf(keys, operations + (operations >> 1));
      values = Arrays.copyOf(values, operations + (operations >> 1));
    }
    kinds[operations] = (byte) kind.ordinal();
    keys[operations] = key;
    values[operations] = value;
    firstOps[transactions] = ++operations;
  }

  private long observe(int key, long[] elements, int start, int count) {
    while (branches.size() <= key) {
      branches.add(new ArrayList<>(1));
    }
    List<Branch> known = branches.get(key);
    for (int i = 0; i < known.size(); i++) {
      if (known.get(i).takes(elements, start, count)) {
        return (long) i << 32 | count;
      }
    }
    Branch branch = new Branch();
    branch.takes(elements, start, count);
    known.add(branch);
    return (long) (known.size() - 1) << 32 | count;
  }

  /** The number of keys: 0, 1, … */
  int keys() {
    return names.keys();
  }

  Keys names() {
    return names;
  }

  /** The number of transactions: 0, 1, … */
  public int transactions() {
    return transactions;
  }

  /** The number of operations: 0, 1, …; those of a transaction are consecutive. */
  public int operations() {
    return operations;
  }

  long process(int transaction) {
    return processes[transaction];
  }

  /** The number of transactions that had ended when this one began; -1 if unknown. */
  int endedBefore(int transaction) {
    return befores[transaction];
  }

  Outcome outcome(int transaction) {
    return OUTCOMES[outcomes[transaction]];
  }

  private static final Outcome[] OUTCOMES = Outcome.values();

  /** Its number for display; -1 if it has none. */
  long index(int transaction) {
    return indexes[transaction];
  }

  /** The transaction of each operation. */
  int[] owners() {
    int[] owners = new int[operations];
    for (int t = 0; t < transactions; t++) {
      Arrays.fill(owners, firstOps[t], firstOps[t + 1], t);
    }
    return owners;
  }

  int firstOp(int transaction) {
    return firstOps[transaction];
  }

  /** The end of its operations, exclusive. */
  int endOp(int transaction) {
    return firstOps[transaction + 1];
  }

  Kind kind(int op) {
    return KINDS[kinds[op]];
  }

  int key(int op) {
    return keys[op];
  }

  long element(int op) {
    return values[op];
  }

  int branch(int op) {
    return (int) (values[op] >>> 32);
  }

  /** The number of elements that a read returned. */
  int length(int op) {
    return (int) values[op];
  }

  /** The contradictory lists of a key; at most one if all is well, none if it was empty. */
  List<Branch> branches(int key) {
    return key < branches.size() ? branches.get(key) : List.of();
  }
}
