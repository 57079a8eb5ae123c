package io.txwatch.format;

import io.txwatch.history.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A list-append history in memory, with a few bytes per operation.
 *
 * <p>Nearly every list that is read is a prefix of a longer one. So only the longest list of each
 * key is stored, and for each read the length of its list. Contradictory lists of a key (neither is
 * a prefix of the other) are stored as further branches.
 */
final class ListHistory {

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

  private final KeyNames names;
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

  private boolean indexed;

  ListHistory(KeyNames names) {
    this.names = names;
  }

  /** Reads an Elle history, in EDN or JSON. */
  static ListHistory read(Path file) throws IOException {
    ListHistory history = new ListHistory(new KeyNames());
    ElleTransactions transactions = new ElleTransactions(history::add);
    ElleReader.read(file, history.names, transactions);
    transactions.end();
    history.checkIndexes();
    return history;
  }

  /**
   * Adds a transaction.
   *
   * @param before how many earlier ones had ended when it began; -1 if unknown
   */
  void add(long process, int before, long index, Outcome outcome, MicroOps micro) {
    if (transactions == processes.length) {
      processes = Arrays.copyOf(processes, transactions * 2);
      outcomes = Arrays.copyOf(outcomes, transactions * 2);
      befores = Arrays.copyOf(befores, transactions * 2);
      indexes = Arrays.copyOf(indexes, transactions * 2);
      firstOps = Arrays.copyOf(firstOps, transactions * 2 + 1);
    }
    processes[transactions] = process;
    outcomes[transactions] = (byte) outcome.ordinal();
    befores[transactions] = before;
    indexes[transactions] = index;
    for (int i = 0; i < micro.size(); i++) {
      add(outcome, micro, i);
    }
    firstOps[++transactions] = operations;
  }

  private void add(Outcome outcome, MicroOps micro, int i) {
    int key = micro.key(i);
    switch (micro.kind(i)) {
      case APPEND, WRITE -> add(Kind.APPEND, key, micro.value(i));
      case READ_NIL -> add(outcome == Outcome.COMMITTED ? Kind.READ : Kind.UNKNOWN_READ, key, 0);
      case READ_LIST ->
          add(Kind.READ, key, observe(key, micro.elements(), micro.start(i), (int) micro.value(i)));
      case READ_VALUE -> add(Kind.UNKNOWN_READ, key, 0);
    }
  }

  private void add(Kind kind, int key, long value) {
    if (operations == kinds.length) {
      kinds = Arrays.copyOf(kinds, operations * 2);
      keys = Arrays.copyOf(keys, operations * 2);
      values = Arrays.copyOf(values, operations * 2);
    }
    kinds[operations] = (byte) kind.ordinal();
    keys[operations] = key;
    values[operations] = value;
    operations++;
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

  /** Uses the indexes as names of transactions if each has its own. */
  private void checkIndexes() {
    long[] sorted = Arrays.copyOf(indexes, transactions);
    Arrays.sort(sorted);
    indexed = transactions == 0 || sorted[0] >= 0 && sorted[transactions - 1] <= Integer.MAX_VALUE;
    for (int i = 1; i < transactions; i++) {
      indexed &= sorted[i] != sorted[i - 1];
    }
  }

  KeyNames names() {
    return names;
  }

  int transactions() {
    return transactions;
  }

  int operations() {
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

  /**
   * The index of its completion if every transaction has one, otherwise its position in the file.
   */
  long index(int transaction) {
    return indexed ? indexes[transaction] : transaction;
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

  /** The contradictory lists of a key; at most one if all is well. */
  List<Branch> branches(int key) {
    return key < branches.size() ? branches.get(key) : List.of();
  }
}
