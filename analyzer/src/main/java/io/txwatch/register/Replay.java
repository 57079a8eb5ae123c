package io.txwatch.register;

import io.txwatch.register.ExecutionSearch.Step;
import io.txwatch.register.ReadsFrom.Read;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The search over the steps of committed transactions.
 *
 * @param sessions whether session order counts
 */
record Replay(RegisterHistory history, ReadsFrom readsFrom, boolean sessions) {

  private static final int[] NONE = {};

  /** The search for a serial execution: a transaction is one step. */
  ExecutionSearch ofTransactions() {
    return new StepList().build(false);
  }

  /**
   * The search for an execution under snapshot isolation: a transaction that writes is two steps.
   */
  ExecutionSearch ofSnapshotsAndCommits() {
    return new StepList().build(true);
  }

  /** Numbers the versions and lists the steps. */
  private final class StepList {
    private final Map<Integer, Integer> versions = new HashMap<>();
    private final List<Integer> keyOf = new ArrayList<>();
    private final List<Step> steps = new ArrayList<>();
    private final List<List<Integer>> then = new ArrayList<>();

    ExecutionSearch build(boolean snapshot) {
      int keys = history.keys().keys();
      for (int key = 0; key < keys; key++) {
        keyOf.add(key);
      }
      Map<Integer, List<Integer>> reads = reads();
      Map<Long, Integer> lastOfSession = new HashMap<>();
      for (int t : order()) {
        int first = steps.size();
        int[] read = ints(reads.getOrDefault(t, List.of()));
        List<Integer> written = written(t);
        if (snapshot && !written.isEmpty()) {
          addSnapshotAndCommit(read, written);
        } else {
          add(new Step(read, ints(written), NONE, NONE, NONE));
        }
        if (sessions) {
          Integer before = lastOfSession.put(history.session(t), steps.size() - 1);
          if (before != null) {
            then.get(before).add(first);
          }
        }
      }
      return new ExecutionSearch(withSuccessors(), ints(keyOf), keys);
    }

    private Map<Integer, List<Integer>> reads() {
      Map<Integer, List<Integer>> reads = new HashMap<>();
      for (Read read : readsFrom.reads()) {
        int version = read.writer() < 0 ? history.key(read.op()) : version(read.write());
        reads.computeIfAbsent(read.reader(), t -> new ArrayList<>()).add(version);
      }
      return reads;
    }

    private List<Integer> written(int t) {
      List<Integer> written = new ArrayList<>();
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        if (history.kind(op) == RegisterHistory.Kind.WRITE
            && readsFrom.lastWrite(t, history.key(op)) == op) {
          written.add(version(op));
        }
      }
      return written;
    }

    private int version(int write) {
      return versions.computeIfAbsent(
          write,
          w -> {
            keyOf.add(history.key(w));
            return keyOf.size() - 1;
          });
    }

    private void addSnapshotAndCommit(int[] read, List<Integer> written) {
      int commit = steps.size() + 1;
      int[] claims = written.stream().mapToInt(keyOf::get).toArray();
      add(new Step(read, NONE, claims, NONE, NONE));
      then.get(commit - 1).add(commit);
      add(new Step(NONE, ints(written), NONE, claims, NONE));
    }

    private void add(Step step) {
      steps.add(step);
      then.add(new ArrayList<>(1));
    }

    private List<Step> withSuccessors() {
      List<Step> complete = new ArrayList<>();
      for (int s = 0; s < steps.size(); s++) {
        Step step = steps.get(s);
        complete.add(
            new Step(step.reads(), step.writes(), step.claims(), step.frees(), ints(then.get(s))));
      }
      return complete;
    }
  }

  /**
   * Committed transactions, by their position in their session: a file may list one session after
   * another.
   */
  private List<Integer> order() {
    Map<Long, Integer> lengths = new HashMap<>();
    int[] places = new int[history.transactions()];
    for (int t = 0; t < places.length; t++) {
      places[t] = lengths.merge(history.session(t), 1, Integer::sum);
    }
    boolean grouped = true;
    for (int t = 1; t < places.length; t++) {
      grouped &= places[t] == 1 || history.session(t) == history.session(t - 1);
    }
    List<Integer> order = new ArrayList<>();
    for (int t = 0; t < places.length; t++) {
      if (readsFrom.isCommitted(t)) {
        order.add(t);
      }
    }
    if (grouped) {
      order.sort(
          Comparator.comparingDouble(
              t -> (double) places[t] / lengths.getOrDefault(history.session(t), 1)));
    }
    return order;
  }

  private static int[] ints(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }
}
