package io.txwatch.register;

import io.txwatch.history.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A random register history of a few transactions, in the order in which they ended. Every register
 * starts with 0.
 *
 * @param transactions its transactions
 */
record SmallHistory(List<Transaction> transactions) {

  static final int KEYS = 3;

  /** A read or write of a register. */
  record Op(boolean write, int key, long value) {
    @Override
    public String toString() {
      return (write ? "w" : "r") + key + "=" + value;
    }
  }

  /**
   * A transaction.
   *
   * @param startedAfter how many transactions had ended when it began
   */
  record Transaction(int session, int startedAfter, Outcome outcome, List<Op> ops) {}

  /**
   * A history: of snapshots of a random execution, of which some reads are replaced by others.
   *
   * @param repeated whether a value may be written more than once
   */
  static SmallHistory random(Random random, boolean repeated) {
    int count = 2 + random.nextInt(7);
    int sessions = 1 + random.nextInt(4);
    int[] ends = new int[sessions];
    List<Transaction> transactions = new ArrayList<>();
    List<long[]> states = new ArrayList<>(List.of(new long[KEYS]));
    Map<Integer, List<Long>> written = new HashMap<>();
    long value = 0;
    boolean noisy = random.nextBoolean();
    int longest = 1 + random.nextInt(4);
    for (int t = 0; t < count; t++) {
      int session = random.nextInt(sessions);
      int startedAfter = ends[session] + random.nextInt(t - ends[session] + 1);
      ends[session] = t + 1;
      int lag = random.nextInt(4) == 0 ? random.nextInt(3) : 0;
      long[] snapshot = states.get(Math.max(0, states.size() - 1 - lag)).clone();
      List<Op> ops = new ArrayList<>();
      for (int i = random.nextInt(longest); i >= 0; i--) {
        int key = random.nextInt(KEYS);
        List<Long> values = written.computeIfAbsent(key, k -> new ArrayList<>(List.of(0L)));
        if (random.nextBoolean()) {
          value++;
          long write = repeated && random.nextInt(4) == 0 ? random.nextInt(4) : value;
          snapshot[key] = write;
          values.add(write);
          ops.add(new Op(true, key, write));
        } else {
          boolean other = noisy && random.nextInt(6) == 0;
          long read = other ? values.get(random.nextInt(values.size())) : snapshot[key];
          ops.add(new Op(false, key, read));
        }
      }
      Outcome outcome =
          switch (random.nextInt(16)) {
            case 0 -> Outcome.ABORTED;
            case 1 -> Outcome.UNKNOWN;
            default -> Outcome.COMMITTED;
          };
      if (outcome == Outcome.COMMITTED) {
        long[] state = states.get(states.size() - 1).clone();
        ops.stream().filter(Op::write).forEach(op -> state[op.key] = op.value);
        states.add(state);
      }
      transactions.add(new Transaction(session, startedAfter, outcome, List.copyOf(ops)));
    }
    return new SmallHistory(transactions);
  }

  RegisterHistory history() {
    RegisterHistory.Builder history =
        RegisterHistory.builder("register history", new Numbers()).initialValue(0);
    for (int t = 0; t < transactions.size(); t++) {
      Transaction transaction = transactions.get(t);
      history.begin(transaction.session, "session " + transaction.session, t, transaction.outcome);
      history.startedAfter(transaction.startedAfter);
      for (Op op : transaction.ops) {
        if (op.write) {
          history.write(op.key, op.value);
        } else {
          history.read(op.key, op.value);
        }
      }
    }
    return history.build();
  }

  private record Numbers() implements RegisterHistory.Keys {
    @Override
    public int keys() {
      return KEYS;
    }

    @Override
    public String table(int key, String ofIntegers) {
      return ofIntegers;
    }

    @Override
    public long row(int key) {
      return key;
    }

    @Override
    public String valueText(long value) {
      return Long.toString(value);
    }
  }

  /** The judge: tries every order of transactions, of unknown outcomes, and of snapshots. */
  static final class Judge {
    private final List<Transaction> all;
    private final boolean sessions;
    private final boolean realTime;
    private boolean[] takesPart = new boolean[0];
    private final Set<List<Object>> failed = new HashSet<>();

    Judge(SmallHistory history, boolean sessions, boolean realTime) {
      this.all = history.transactions;
      this.sessions = sessions;
      this.realTime = realTime;
    }

    boolean isSerializable() {
      return someOutcomes(() -> serial(new boolean[all.size()], new long[KEYS]));
    }

    boolean isSnapshotIsolated() {
      return someOutcomes(
          () -> snapshots(new boolean[all.size()], new boolean[all.size()], new long[KEYS]));
    }

    /**
     * No aborted or intermediate read, and an order in which each read returns an earlier write.
     */
    boolean isReadCommitted() {
      return someOutcomes(() -> committed(new ArrayList<>(), new boolean[all.size()]));
    }

    private boolean someOutcomes(BooleanSupplier explained) {
      List<Integer> unknown = new ArrayList<>();
      for (int t = 0; t < all.size(); t++) {
        if (all.get(t).outcome == Outcome.UNKNOWN) {
          unknown.add(t);
        }
      }
      for (int subset = 0; subset < 1 << unknown.size(); subset++) {
        takesPart = new boolean[all.size()];
        for (int t = 0; t < all.size(); t++) {
          takesPart[t] = all.get(t).outcome == Outcome.COMMITTED;
        }
        for (int i = 0; i < unknown.size(); i++) {
          takesPart[unknown.get(i)] = (subset >> i & 1) == 1;
        }
        failed.clear();
        if (explained.getAsBoolean()) {
          return true;
        }
      }
      return false;
    }

    /** Whether all that must have ended before a transaction has. */
    private boolean mayBegin(int t, boolean[] ended) {
      boolean may = true;
      for (int before = 0; before < all.size(); before++) {
        boolean first =
            sessions && before < t && all.get(before).session == all.get(t).session
                || realTime
                    && before < all.get(t).startedAfter
                    && all.get(before).outcome == Outcome.COMMITTED
                || before == 0 && t > 0 && createsRegisters();
        may &= ended[before] || !takesPart[before] || !first;
      }
      return may;
    }

    /** As the formats say: a first transaction that only writes initial values precedes all. */
    private boolean createsRegisters() {
      return all.get(0).ops.stream().allMatch(op -> op.write && op.value == 0);
    }

    private boolean serial(boolean[] ended, long[] state) {
      if (!failed.add(List.of(Arrays.toString(ended), Arrays.toString(state)))) {
        return false;
      }
      boolean done = true;
      for (int t = 0; t < all.size(); t++) {
        if (takesPart[t] && !ended[t]) {
          done = false;
          long[] after = state.clone();
          if (mayBegin(t, ended) && runs(t, after)) {
            ended[t] = true;
            boolean found = serial(ended, after);
            ended[t] = false;
            if (found) {
              return true;
            }
          }
        }
      }
      return done;
    }

    private boolean runs(int t, long[] state) {
      for (Op op : all.get(t).ops) {
        if (op.write) {
          state[op.key] = op.value;
        } else if (state[op.key] != op.value) {
          return false;
        }
      }
      return true;
    }

    private boolean snapshots(boolean[] begun, boolean[] ended, long[] state) {
      if (!failed.add(
          List.of(Arrays.toString(begun), Arrays.toString(ended), Arrays.toString(state)))) {
        return false;
      }
      boolean done = true;
      for (int t = 0; t < all.size(); t++) {
        if (!takesPart[t] || ended[t]) {
          continue;
        }
        done = false;
        boolean found = false;
        if (begun[t]) {
          long[] after = state.clone();
          all.get(t).ops.stream().filter(Op::write).forEach(op -> after[op.key] = op.value);
          ended[t] = true;
          found = snapshots(begun, ended, after);
          ended[t] = false;
        } else if (mayBegin(t, ended) && !conflicts(t, begun, ended) && runs(t, state.clone())) {
          begun[t] = true;
          found = snapshots(begun, ended, state);
          begun[t] = false;
        }
        if (found) {
          return true;
        }
      }
      return done;
    }

    /** Whether a transaction that has not ended writes a key of another. */
    private boolean conflicts(int t, boolean[] begun, boolean[] ended) {
      boolean conflicts = false;
      for (int other = 0; other < all.size(); other++) {
        boolean active = begun[other] && !ended[other];
        conflicts |= active && !Collections.disjoint(keys(t), keys(other));
      }
      return conflicts;
    }

    private List<Integer> keys(int t) {
      return all.get(t).ops.stream().filter(Op::write).map(Op::key).toList();
    }

    private boolean committed(List<Integer> order, boolean[] ended) {
      boolean done = true;
      for (int t = 0; t < all.size(); t++) {
        if (takesPart[t] && !ended[t]) {
          done = false;
          if (mayBegin(t, ended) && readsEarlier(t, order)) {
            ended[t] = true;
            order.add(t);
            boolean found = committed(order, ended);
            order.remove(order.size() - 1);
            ended[t] = false;
            if (found) {
              return true;
            }
          }
        }
      }
      return done;
    }

    private boolean readsEarlier(int t, List<Integer> order) {
      Map<Integer, Long> own = new HashMap<>();
      for (Op op : all.get(t).ops) {
        if (op.write) {
          own.put(op.key, op.value);
        } else if (own.containsKey(op.key)
            ? own.getOrDefault(op.key, 0L) != op.value
            : op.value != 0
                && order.stream().noneMatch(writer -> last(writer, op.key) == op.value)) {
          return false;
        }
      }
      return true;
    }

    private long last(int t, int key) {
      return all.get(t).ops.stream()
          .filter(op -> op.write && op.key == key)
          .mapToLong(Op::value)
          .reduce(-1, (before, after) -> after);
    }
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (Transaction t : transactions) {
      text.append(
          "%s session %d after %d %s%n".formatted(t.outcome, t.session, t.startedAfter, t.ops));
    }
    return text.toString();
  }
}
