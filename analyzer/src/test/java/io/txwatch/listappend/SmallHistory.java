package io.txwatch.listappend;

import io.txwatch.history.Outcome;
import io.txwatch.register.RegisterHistory.Keys;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;

/**
 * A list-append history of a few transactions, as values: what a judge by brute force reads.
 *
 * @param transactions in the order in which they completed
 */
record SmallHistory(List<Transaction> transactions) {

  /**
   * An operation.
   *
   * @param element the element appended; 0 for a read
   * @param list the list read; empty for an append
   */
  record Op(int key, int element, List<Integer> list) {

    boolean isAppend() {
      return element > 0;
    }
  }

  /**
   * A transaction.
   *
   * @param before how many transactions had completed when it began
   */
  record Transaction(int process, int before, Outcome outcome, List<Op> ops) {

    List<Integer> appends(int key) {
      return ops.stream().filter(op -> op.isAppend() && op.key() == key).map(Op::element).toList();
    }
  }

  /** The keys of small histories are shown as numbers. */
  private record Numbers(int keys) implements Keys {
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

  ListHistory listHistory() {
    ListHistory history = new ListHistory(new Numbers(keys()));
    for (Transaction t : transactions) {
      history.begin(t.process(), t.before(), -1, t.outcome());
      for (Op op : t.ops()) {
        if (op.isAppend()) {
          history.append(op.key(), op.element());
        } else if (t.outcome() == Outcome.COMMITTED) {
          long[] list = op.list().stream().mapToLong(Integer::longValue).toArray();
          history.read(op.key(), list, 0, list.length);
        } else {
          history.readUnknown(op.key());
        }
      }
    }
    return history;
  }

  int keys() {
    return 1
        + transactions.stream().flatMap(t -> t.ops().stream()).mapToInt(Op::key).max().orElse(0);
  }

  /**
   * A random history. Its reads return what an execution of interleaved operations shows, from
   * which some are changed: random lists alone would nearly always contradict each other.
   */
  static SmallHistory random(Random random, int size) {
    int keys = 1 + random.nextInt(3);
    int processes = 1 + random.nextInt(4);
    Map<Integer, List<Integer>> lists = new HashMap<>();
    List<List<Op>> done = new ArrayList<>();
    List<Outcome> outcomes = new ArrayList<>();
    List<List<Op>> shapes = new ArrayList<>();
    int element = 0;
    for (int t = 0; t < size; t++) {
      List<Op> ops = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        boolean append = random.nextBoolean();
        ops.add(new Op(random.nextInt(keys), append ? ++element : 0, List.of()));
      }
      shapes.add(ops);
      done.add(new ArrayList<>());
      int of = random.nextInt(10);
      outcomes.add(of == 0 ? Outcome.ABORTED : of <= 2 ? Outcome.UNKNOWN : Outcome.COMMITTED);
    }
    boolean isolated = random.nextInt(3) > 0;
    List<Map<Integer, List<Integer>>> snapshots =
        new ArrayList<>(Collections.nCopies(size, Map.of()));
    List<Integer> turns = new ArrayList<>();
    for (int t = 0; t < size; t++) {
      int steps = isolated ? 2 : shapes.get(t).size();
      turns.addAll(Collections.nCopies(steps, t));
    }
    if (random.nextInt(3) > 0) {
      Collections.shuffle(turns, random);
    }
    for (int t : turns) {
      if (isolated && snapshots.get(t).isEmpty()) {
        snapshots.set(t, copy(lists));
        continue;
      }
      for (int i = done.get(t).size(); i < shapes.get(t).size(); i++) {
        Op op = shapes.get(t).get(i);
        if (op.isAppend()) {
          if (outcomes.get(t) != Outcome.ABORTED || random.nextInt(20) == 0) {
            lists.computeIfAbsent(op.key(), k -> new ArrayList<>()).add(op.element());
          }
          done.get(t).add(op);
        } else {
          done.get(t)
              .add(
                  new Op(
                      op.key(),
                      0,
                      read(random, op.key(), isolated, snapshots.get(t), done.get(t), lists)));
        }
        if (!isolated) {
          break;
        }
      }
    }
    return new SmallHistory(transactions(random, processes, done, outcomes));
  }

  private static Map<Integer, List<Integer>> copy(Map<Integer, List<Integer>> lists) {
    Map<Integer, List<Integer>> copy = new HashMap<>();
    copy.put(-1, List.of());
    lists.forEach((key, list) -> copy.put(key, List.copyOf(list)));
    return copy;
  }

  private static List<Integer> read(
      Random random,
      int key,
      boolean isolated,
      Map<Integer, List<Integer>> snapshot,
      List<Op> own,
      Map<Integer, List<Integer>> lists) {
    List<Integer> list =
        new ArrayList<>((isolated ? snapshot : lists).getOrDefault(key, List.of()));
    if (isolated) {
      own.stream()
          .filter(op -> op.isAppend() && op.key() == key)
          .forEach(op -> list.add(op.element()));
    }
    int change = random.nextInt(24);
    if (change == 0 && !list.isEmpty()) {
      list.remove(list.size() - 1);
    } else if (change == 1) {
      Collections.shuffle(list, random);
    } else if (change == 2) {
      list.clear();
    }
    return List.copyOf(list);
  }

  private static List<Transaction> transactions(
      Random random, int processes, List<List<Op>> ops, List<Outcome> outcomes) {
    List<Integer> order = new ArrayList<>();
    for (int t = 0; t < ops.size(); t++) {
      order.add(t);
    }
    for (int swaps = random.nextInt(ops.size() + 1); swaps > 0 && ops.size() > 1; swaps--) {
      Collections.swap(order, random.nextInt(ops.size()), random.nextInt(ops.size()));
    }
    List<Transaction> result = new ArrayList<>();
    Map<Integer, Integer> lastOf = new HashMap<>();
    for (int i = 0; i < order.size(); i++) {
      int process = random.nextInt(processes);
      int after = lastOf.getOrDefault(process, 0);
      int before = random.nextInt(8) == 0 ? -1 : after + random.nextInt(i - after + 1);
      lastOf.put(process, i + 1);
      result.add(
          new Transaction(process, before, outcomes.get(order.get(i)), ops.get(order.get(i))));
    }
    return result;
  }

  @Override
  public String toString() {
    return transactions.stream()
        .map(
            t ->
                "process %d, began after %d, %s: %s"
                    .formatted(
                        t.process(),
                        t.before(),
                        t.outcome(),
                        t.ops().stream()
                            .map(
                                op ->
                                    op.isAppend()
                                        ? "a" + op.key() + " " + op.element()
                                        : "r" + op.key() + " " + op.list())
                            .collect(Collectors.joining(", "))))
        .collect(Collectors.joining("\n", "\n", "\n"));
  }
}
