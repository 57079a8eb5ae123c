package io.txwatch.register;

import io.txwatch.history.Outcome;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;

/** A history of registers in memory, a few bytes an operation. Immutable. */
public final class RegisterHistory {

  /** What an operation is. */
  public enum Kind {
    /** A write of its value. */
    WRITE,
    /** A read that returned its value. */
    READ,
    /** A read of a register that nobody had written. */
    READ_INITIAL
  }

  /** What people call keys and values. */
  public interface Keys {
    /** How many keys there are: they are 0, 1, … */
    int keys();

    /** The table that a key belongs to; {@code ofIntegers} for keys that are integers. */
    String table(int key, String ofIntegers);

    /** The row that a key is. */
    long row(int key);

    /** A value as it was written. */
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
    sessionNames = Map.copyOf(from.sessionNames);
    // Operations of one transaction may lie apart: they are brought together, in their order.
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

  /**
   * Begins a history.
   *
   * @param what what it is, for people: "register history"
   */
  public static Builder builder(String what, Keys keys) {
    return new Builder(what, keys);
  }

  /** What it is, for people. */
  public String what() {
    return what;
  }

  /** What its keys and values are called. */
  public Keys keys() {
    return keys;
  }

  /** The value of every register at first, if that is one that could be written too. */
  public OptionalLong initialValue() {
    return initialValue;
  }

  /** How many transactions it has: they are 0, 1, … */
  public int transactions() {
    return transactions;
  }

  /** How many operations it has: they are 0, 1, …, those of a transaction together. */
  public int operations() {
    return kinds.length;
  }

  /** The session of a transaction. Those of one session have their numbers in its order. */
  public long session(int transaction) {
    return sessions[transaction];
  }

  /** What people call a session. */
  public String sessionName(long session) {
    return sessionNames.getOrDefault(session, "");
  }

  /** The number that the file gives a transaction; -1 if none. */
  public long label(int transaction) {
    return labels[transaction];
  }

  /** How a transaction ended. */
  public Outcome outcome(int transaction) {
    return OUTCOMES[outcomes[transaction]];
  }

  /** The first operation of a transaction. */
  public int firstOp(int transaction) {
    return firstOps[transaction];
  }

  /** Behind the last operation of a transaction. */
  public int endOp(int transaction) {
    return firstOps[transaction + 1];
  }

  /** What an operation is. */
  public Kind kind(int op) {
    return KINDS[kinds[op]];
  }

  /** The key of an operation. */
  public int key(int op) {
    return opKeys[op];
  }

  /** The value of an operation. */
  public long value(int op) {
    return values[op];
  }

  /** Collects a history. */
  public static final class Builder {
    private final String what;
    private final Keys keys;
    private OptionalLong initialValue = OptionalLong.empty();
    private int transactions;
    private long[] sessions = new long[64];
    private long[] labels = new long[64];
    private byte[] outcomes = new byte[64];
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

    /** Says that every register has this value at first. */
    public Builder initialValue(long value) {
      initialValue = OptionalLong.of(value);
      return this;
    }

    /** Begins a transaction; what is added next is its. */
    public void begin(long session, String sessionName, long label, Outcome outcome) {
      if (transactions == sessions.length) {
        sessions = Arrays.copyOf(sessions, transactions * 2);
        labels = Arrays.copyOf(labels, transactions * 2);
        outcomes = Arrays.copyOf(outcomes, transactions * 2);
      }
      sessionNames.putIfAbsent(session, sessionName);
      sessions[transactions] = session;
      labels[transactions] = label;
      outcomes[transactions] = (byte) outcome.ordinal();
      current = transactions++;
    }

    /** Goes on with the transaction of that label in that session, or begins it. */
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

    /** Says how the current transaction ended. */
    public void outcome(Outcome outcome) {
      outcomes[current] = (byte) outcome.ordinal();
    }

    /** The current transaction wrote. */
    public void write(int key, long value) {
      add(Kind.WRITE, key, value);
    }

    /** The current transaction read. */
    public void read(int key, long value) {
      add(Kind.READ, key, value);
    }

    /** The current transaction read a register that nobody had written. */
    public void readInitial(int key) {
      add(Kind.READ_INITIAL, key, 0);
    }

    /** The history. */
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
