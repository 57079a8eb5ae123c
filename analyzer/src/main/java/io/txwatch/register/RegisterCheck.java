package io.txwatch.register;

import io.txwatch.anomaly.Anomaly;
import io.txwatch.anomaly.Phenomenon;
import io.txwatch.anomaly.Verdict;
import io.txwatch.history.IsolationLevel;
import io.txwatch.register.ExecutionSearch.Step;
import io.txwatch.register.ReadsFrom.Read;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Checks a register history: first what is certain, then by a search within a budget.
 *
 * <p>At READ_UNCOMMITTED and READ_COMMITTED the certain edges decide: every history whose read-from
 * edges form no cycle has an order of versions that agrees with them. REPEATABLE_READ equals
 * SERIALIZABLE here, since there are no predicates.
 */
public final class RegisterCheck {

  private RegisterCheck() {}

  /**
   * The result of a check.
   *
   * @param valid whether the history satisfies its level; empty if undecided
   * @param reason why not, or what the result rests on, for people
   */
  public record Result(Optional<Boolean> valid, String reason) {}

  /**
   * Checks a history.
   *
   * @param level the level, by Adya's definitions
   * @param sessions whether session order counts
   * @param budget the time limit of the search
   * @param found receives each anomaly
   */
  public static Result check(
      RegisterHistory history,
      IsolationLevel level,
      boolean sessions,
      Duration budget,
      Consumer<Anomaly> found) {
    boolean snapshots = level.compareTo(IsolationLevel.REPEATABLE_READ) >= 0;
    ReadsFrom readsFrom = new ReadsFrom(history, level != IsolationLevel.READ_UNCOMMITTED);
    CertainEdges edges = new CertainEdges(history, readsFrom, sessions, snapshots);
    RegisterAnomalies anomalies = new RegisterAnomalies(history, level);
    List<Anomaly> all = new ArrayList<>();
    readsFrom.wrong().forEach(wrong -> all.add(anomalies.of(wrong)));
    for (List<CertainEdges.Edge> cycle : edges.cycles(level != IsolationLevel.SNAPSHOT)) {
      all.add(anomalies.of(cycle));
    }
    all.forEach(found);
    if (all.stream().anyMatch(anomaly -> anomaly.verdict() == Verdict.VIOLATION)) {
      return new Result(Optional.of(false), "");
    } else if (edges.count() == 0) {
      return new Result(Optional.empty(), "no transaction depends on another");
    } else if (readsFrom.unresolved() > 0) {
      return new Result(
          Optional.empty(),
          readsFrom.unresolved()
              + " reads of values that more than one transaction may have written: nothing certain"
              + " is wrong, and nothing more can be said");
    } else if (!snapshots) {
      return new Result(Optional.of(true), "");
    }
    return search(history, readsFrom, level == IsolationLevel.SNAPSHOT, sessions, budget);
  }

  private static Result search(
      RegisterHistory history,
      ReadsFrom readsFrom,
      boolean snapshot,
      boolean sessions,
      Duration budget) {
    long end = System.nanoTime() + budget.toNanos();
    // Serializable implies snapshot isolation and is decided sooner.
    Optional<Boolean> result =
        replay(history, readsFrom, false, sessions).search(() -> !snapshot && isBefore(end));
    if (snapshot && !result.equals(Optional.of(true))) {
      result = replay(history, readsFrom, true, sessions).search(() -> isBefore(end));
    }
    if (result.isEmpty()) {
      return new Result(
          result,
          "nothing certain is wrong, but the search for an execution that explains all reads ended"
              + " with its budget of "
              + budget.toSeconds()
              + " s");
    }
    return new Result(
        result,
        result.get()
            ? "an execution that explains all reads was found"
            : "no execution explains all reads, in whatever order the writes are put: every one was"
                + " tried");
  }

  private static boolean isBefore(long end) {
    return System.nanoTime() - end < 0;
  }

  /** The search over the steps of committed transactions. */
  private static ExecutionSearch replay(
      RegisterHistory history, ReadsFrom readsFrom, boolean snapshot, boolean sessions) {
    int keys = history.keys().keys();
    Map<Integer, Integer> versions = new HashMap<>();
    List<Integer> keyOf = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      keyOf.add(key);
    }
    Map<Integer, List<Integer>> reads = new HashMap<>();
    for (Read read : readsFrom.reads()) {
      int key = history.key(read.op());
      int version = read.writer() < 0 ? key : version(history, read.write(), versions, keyOf);
      reads.computeIfAbsent(read.reader(), t -> new ArrayList<>()).add(version);
    }
    List<Step> steps = new ArrayList<>();
    Map<Long, Integer> lastOfSession = new HashMap<>();
    List<List<Integer>> then = new ArrayList<>();
    for (int t : order(history, readsFrom)) {
      int[] read = ints(reads.getOrDefault(t, List.of()));
      List<Integer> written = new ArrayList<>();
      for (int op = history.firstOp(t); op < history.endOp(t); op++) {
        if (history.kind(op) == RegisterHistory.Kind.WRITE
            && readsFrom.lastWrite(t, history.key(op)) == op) {
          written.add(version(history, op, versions, keyOf));
        }
      }
      int[] writes = ints(written);
      int first = steps.size();
      if (snapshot && writes.length > 0) {
        int[] claims = written.stream().mapToInt(keyOf::get).toArray();
        then.add(new ArrayList<>(List.of(first + 1)));
        steps.add(new Step(read, new int[0], claims, new int[0], new int[0]));
        steps.add(new Step(new int[0], writes, new int[0], claims, new int[0]));
      } else {
        steps.add(new Step(read, writes, new int[0], new int[0], new int[0]));
      }
      then.add(new ArrayList<>(1));
      if (sessions) {
        Integer before = lastOfSession.put(history.session(t), steps.size() - 1);
        if (before != null) {
          then.get(before).add(first);
        }
      }
    }
    for (int s = 0; s < steps.size(); s++) {
      Step step = steps.get(s);
      steps.set(
          s, new Step(step.reads(), step.writes(), step.claims(), step.frees(), ints(then.get(s))));
    }
    return new ExecutionSearch(steps, ints(keyOf), keys);
  }

  private static int version(
      RegisterHistory history, int write, Map<Integer, Integer> versions, List<Integer> keyOf) {
    return versions.computeIfAbsent(
        write,
        w -> {
          keyOf.add(history.key(w));
          return keyOf.size() - 1;
        });
  }

  /**
   * Committed transactions, by their position in their session: a file may list one session after
   * another.
   */
  private static List<Integer> order(RegisterHistory history, ReadsFrom readsFrom) {
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
          java.util.Comparator.comparingDouble(
              t -> (double) places[t] / lengths.getOrDefault(history.session(t), 1)));
    }
    return order;
  }

  private static int[] ints(List<Integer> list) {
    return list.stream().mapToInt(Integer::intValue).toArray();
  }

  /** Whether a phenomenon violates a level. */
  static boolean isProscribed(Phenomenon phenomenon, IsolationLevel level) {
    return io.txwatch.anomaly.AdyaLevel.of(level).compareTo(phenomenon.proscribedFrom()) >= 0
        || level == IsolationLevel.SNAPSHOT
            && phenomenon != Phenomenon.WRITE_SKEW
            && phenomenon != Phenomenon.G2_ITEM;
  }
}
