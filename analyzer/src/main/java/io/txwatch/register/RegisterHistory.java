package io.txwatch.register;

import io.txwatch.history.Outcome;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A register history in memory, with a few bytes per operation. Immutable. */
public final class RegisterHistory {

  public enum Kind {
    /** A write of its value. */
    WRITE,
    /** A read that returned its value. */
    READ,
    /** A read of a register before its first write. */
    READ_INITIAL
  }

  /** The display names of keys and values. */
  public interface Keys {
    /** The number of keys: 0, 1, … */
    int keys();

    /** The table of a key; {@code ofIntegers} for integer keys. */
    String table(int key, String ofIntegers);

    long row(int key);

    /** A value as written in the file. */
    String valueText(long value);
  }

  private static final Kind[] KINDS = Kind.values();
  private static final Outcome[] OUTCOMES = Outcome.values();

  private final String what;
  private final Keys keys;
  private final OptionalLong initialValue;
  private final int transactions;
  private final long[] sessions;
  private final long[] labels;
  private final byte[] outcomes;
  private final int[] startedAfter;
  private final Map<Long, String> sessionNames;
  private final int[] firstOps;
  private final byte[] kinds;
  private final int[] opKeys;
  private final long[] values;

  private RegisterHistory(Builder from) {
    what = from.what;
    keys = from.keys;
    initialValue = from.initialValue;
    transactions = from.transactions;
    sessions = Arrays.copyOf(from.sessions, transactions);
    labels = Arrays.copyOf(from.labels, transactions);
    outcomes = Arrays.copyOf(from.outcomes, transactions);
    startedAfter = Arrays.copyOf(from.startedAfter, transactions);
    sessionNames = Map.copyOf(from.sessionNames);
    // The operations of a transaction may be scattered; they are collected in their order.
    firstOps = new int[transactions + 1];
    for (int i = 0; i < from.operations; i++) {
      firstOps[from.owners[i] + 1]++;
    }
    for (int t = 0; t < transactions; t++) {
      firstOps[t + 1] += firstOps[t];
    }
    int[] next = Arrays.copyOf(firstOps, transactions);
    kinds = new byte[from.operations];
    opKeys = new int[from.operations];
    values = new long[from.operations];
    for (int i = 0; i < from.operations; i++) {
      int at = next[from.owners[i]]++;
      kinds[at] = from.kinds[i];
      opKeys[at] = from.opKeys[i];
      values[at] = from.values[i];
    }
  }

  private RegisterHistory(RegisterHistory of, long initialValue) {
    what = of.what;
    keys = of.keys;
    this.initialValue = OptionalLong.of(initialValue);
    transactions = of.transactions;
    sessions = of.sessions;
    labels = of.labels;
    outcomes = of.outcomes;
    startedAfter = of.startedAfter;
    sessionNames = of.sessionNames;
    firstOps = of.firstOps;
    kinds = of.kinds;
    opKeys = of.opKeys;
    values = of.values;
  }

  /** The same history with another initial value of every register. */
  public RegisterHistory withInitialValue(long value) {
    return new RegisterHistory(this, value);
  }

  /**
   * Starts a history.
   *
   * @param what its description: "register history"
   */
  public static Builder builder(String what, Keys keys) {
    return new Builder(what, keys);
  }

  public String what() {
    return what;
  }

  /** What its keys and values are called. */
  public Keys keys() {
    return keys;
  }

  /** The initial value of every register, if that value could also be written. */
  public OptionalLong initialValue() {
    return initialValue;
  }

  /** The number of transactions: 0, 1, … */
  public int transactions() {
    return transactions;
  }

  /** The number of operations: 0, 1, …; those of a transaction are consecutive. */
  public int operations() {
    return kinds.length;
  }

  /** The session of a transaction. The transactions of a session are numbered in its order. */
  public long session(int transaction) {
    return sessions[transaction];
  }

  public String sessionName(long session) {
    return sessionNames.getOrDefault(session, "");
  }

  /** The transaction's number in the file; -1 if none. */
  public long label(int transaction) {
    return labels[transaction];
  }

  public Outcome outcome(int transaction) {
    return OUTCOMES[outcomes[transaction]];
  }

  /**
   * The number of transactions that had ended when it began; those have the smallest numbers. -1 if
   * that is not recorded.
   */
  public int startedAfter(int transaction) {
    return startedAfter[transaction];
  }

  public int firstOp(int transaction) {
    return firstOps[transaction];
  }

  /** The end of a transaction's operations, exclusive. */
  public int endOp(int transaction) {
    return firstOps[transaction + 1];
  }

  public Kind kind(int op) {
    return KINDS[kinds[op]];
  }

  public int key(int op) {
    return opKeys[op];
  }

  public long value(int op) {
    return values[op];
  }

  public static final class Builder {
    private final String what;
    private final Keys keys;
    private OptionalLong initialValue = OptionalLong.empty();
    private int transactions;
    private long[] sessions = new long[64];
    private long[] labels = new long[64];
    private byte[] outcomes = new byte[64];
    private int[] startedAfter = new int[64];
    private final Map<Long, String> sessionNames = new HashMap<>();
    private final Map<Label, Integer> byLabel = new HashMap<>();
    private int current;
    private int operations;
    private int[] owners = new int[256];
    private byte[] kinds = new byte[256];
    private int[] opKeys = new int[256];
    private long[] values = new long[256];

    private record Label(long session, long label) {}

    private Builder(String what, Keys keys) {
      this.what = what;
      this.keys = keys;
    }

    /** Sets the initial value of every register. */
    public Builder initialValue(long value) {
      initialValue = OptionalLong.of(value);
      return this;
    }

    /** Begins a transaction; operations added next are its own. */
    public void begin(long session, String sessionName, long label, Outcome outcome) {
      if (transactions == sessions.length) {
        sessions = Arrays.copyOf(sessions, transactions * 2);
        labels = Arrays.copyOf(labels, transactions * 2);
        outcomes = Arrays.copyOf(outcomes, transactions * 2);
        startedAfter = Arrays.copyOf(startedAfter, transactions * 2);
      }
      sessionNames.putIfAbsent(session, sessionName);
      sessions[transactions] = session;
      labels[transactions] = label;
      outcomes[transactions] = (byte) outcome.ordinal();
      startedAfter[transactions] = -1;
      current = transactions++;
    }

    /** Continues the transaction with that label in that session, or begins it. */
    public void continueOrBegin(long session, String sessionName, long label, Outcome outcome) {
      if (transactions > 0 && labels[current] == label && sessions[current] == session) {
        return;
      }
      Label name = new Label(session, label);
      Integer known = byLabel.get(name);
      if (known == null) {
        begin(session, sessionName, label, outcome);
        byLabel.put(name, current);
      } else {
        current = known;
      }
    }

    /** Sets the outcome of the current transaction. */
    public void outcome(Outcome outcome) {
      outcomes[current] = (byte) outcome.ordinal();
    }

    /** Sets how many transactions had ended when the current one began. */
    public void startedAfter(int ended) {
      startedAfter[current] = ended;
    }

    /** Adds a write to the current transaction. */
    public void write(int key, long value) {
      add(Kind.WRITE, key, value);
    }

    /** Adds a read to the current transaction. */
    public void read(int key, long value) {
      add(Kind.READ, key, value);
    }

    /** Adds a read of a register without a write. */
    public void readUnwritten(int key) {
      add(Kind.READ_INITIAL, key, 0);
    }

    public RegisterHistory build() {
      return new RegisterHistory(this);
    }

    private void add(Kind kind, int key, long value) {
      if (operations == owners.length) {
        owners = Arrays.copyOf(owners, operations * 2);
        kinds = Arrays.copyOf(kinds, operations * 2);
        opKeys = Arrays.copyOf(opKeys, operations * 2);
        values = Arrays.copyOf(values, operations * 2);
      }
      owners[operations] = current;
      kinds[operations] = (byte) kind.ordinal();
      opKeys[operations] = key;
      values[operations] = value;
      operations++;
    }
  }
}
