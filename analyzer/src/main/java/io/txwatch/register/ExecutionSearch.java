package io.txwatch.register;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Searches for an execution of a history's committed transactions in which every read returns what
 * it did return. Such an execution proves that the history satisfies its level. If an exhaustive
 * search finds none, it does not.
 *
 * <p><b>Steps.</b> For SERIALIZABLE a transaction is one step, which reads and then writes. For
 * SNAPSHOT it is two: the snapshot reads, and the commit of the writes. Of two transactions that
 * write one key, the second takes its snapshot after the first one's commit (Biswas and Enea,
 * OOPSLA 2019, section 4).
 *
 * <p><b>When a step may be taken.</b> When the versions that it reads are current, and no other
 * step still has to read a version that it replaces. So the set of steps taken determines which
 * version of a key is current, as far as it matters to later steps, and a set that led nowhere is
 * not tried again. With session order there are at most as many sets as the product of the
 * sessions' lengths. A step that writes nothing is taken at once, since it never blocks another.
 *
 * <p>The first attempt does not backtrack and follows the order of the file. It is linear, and most
 * valid histories pass it. Sets are remembered by two sums of 64 random bits each.
 */
final class ExecutionSearch {

  private record Fingerprint(long one, long other) {}

  private final Step[] steps;
  private final int[] keyOf;
  private final int[] pendingReaders;
  private final int[] current;
  private final boolean[] claimed;
  private final int keys;
  private final int[] waitsFor;
  private final boolean[] taken;
  private int left;

  /**
   * A step.
   *
   * @param reads the versions that it reads
   * @param writes the versions that it writes
   * @param claims the keys that no other step may claim from then on
   * @param frees the keys that others may claim again
   * @param then the steps that must come later
   */
  record Step(int[] reads, int[] writes, int[] claims, int[] frees, int[] then) {}

  /**
   * Creates a search.
   *
   * @param steps the steps; earlier ones are tried first
   * @param keyOf the key of each version; version k is the initial version of key k
   * @param keys the number of keys
   */
  ExecutionSearch(List<Step> steps, int[] keyOf, int keys) {
    this.steps = steps.toArray(new Step[0]);
    this.keyOf = keyOf;
    this.keys = keys;
    this.pendingReaders = new int[keyOf.length];
    this.current = new int[keys];
    this.claimed = new boolean[keys];
    this.waitsFor = new int[this.steps.length];
    this.taken = new boolean[this.steps.length];
    begin();
  }

  private void begin() {
    java.util.Arrays.fill(pendingReaders, 0);
    java.util.Arrays.fill(waitsFor, 0);
    java.util.Arrays.fill(taken, false);
    java.util.Arrays.fill(claimed, false);
    for (int key = 0; key < keys; key++) {
      current[key] = key;
    }
    for (Step step : steps) {
      for (int version : step.reads) {
        pendingReaders[version]++;
      }
      for (int next : step.then) {
        waitsFor[next]++;
      }
    }
    left = steps.length;
  }

  /**
   * Searches.
   *
   * @param withinBudget polled for whether budget is left
   * @return whether there is such an execution; empty if the budget ended first
   */
  Optional<Boolean> search(BooleanSupplier withinBudget) {
    if (attempt()) {
      return Optional.of(true);
    }
    begin();
    return new Backtracking(withinBudget).search();
  }

  // One attempt: a blocked step waits for the key that blocks it.

  private boolean attempt() {
    PriorityQueue<Integer> ready = new PriorityQueue<>();
    List<List<Integer>> waiting = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      waiting.add(new ArrayList<>(0));
    }
    for (int s = 0; s < steps.length; s++) {
      if (waitsFor[s] == 0) {
        ready.add(s);
      }
    }
    for (Integer s = ready.poll(); s != null; s = ready.poll()) {
      int obstacle = obstacle(s);
      if (obstacle >= 0) {
        waiting.get(obstacle).add(s);
        continue;
      }
      take(s);
      wakeAfter(steps[s], waiting, ready);
    }
    return left == 0;
  }

  /** Makes the steps ready that a step, which was taken, may have blocked. */
  private void wakeAfter(Step step, List<List<Integer>> waiting, PriorityQueue<Integer> ready) {
    for (int next : step.then) {
      if (waitsFor[next] == 0) {
        ready.add(next);
      }
    }
    for (int version : step.reads) {
      if (pendingReaders[version] <= 1) {
        wake(waiting.get(keyOf[version]), ready);
      }
    }
    for (int version : step.writes) {
      wake(waiting.get(keyOf[version]), ready);
    }
    for (int key : step.frees) {
      wake(waiting.get(key), ready);
    }
  }

  private static void wake(List<Integer> waiting, PriorityQueue<Integer> ready) {
    ready.addAll(waiting);
    waiting.clear();
  }

  /** The key that blocks a step; -1 if none does. */
  private int obstacle(int s) {
    Step step = steps[s];
    for (int version : step.reads) {
      if (current[keyOf[version]] != version) {
        return keyOf[version];
      }
    }
    for (int version : step.writes) {
      int key = keyOf[version];
      int replaced = current[key];
      int own = 0;
      for (int read : step.reads) {
        own += read == replaced ? 1 : 0;
      }
      if (pendingReaders[replaced] > own) {
        return key;
      }
    }
    for (int key : step.claims) {
      if (claimed[key]) {
        return key;
      }
    }
    return -1;
  }

  /** Takes a step; returns the versions that it replaced. */
  private int[] take(int s) {
    Step step = steps[s];
    int[] replaced = new int[step.writes.length];
    for (int version : step.reads) {
      pendingReaders[version]--;
    }
    for (int i = 0; i < replaced.length; i++) {
      int key = keyOf[step.writes[i]];
      replaced[i] = current[key];
      current[key] = step.writes[i];
    }
    for (int key : step.claims) {
      claimed[key] = true;
    }
    for (int key : step.frees) {
      claimed[key] = false;
    }
    for (int next : step.then) {
      waitsFor[next]--;
    }
    taken[s] = true;
    left--;
    return replaced;
  }

  private void undo(int s, int[] replaced) {
    Step step = steps[s];
    left++;
    taken[s] = false;
    for (int next : step.then) {
      waitsFor[next]++;
    }
    for (int key : step.frees) {
      claimed[key] = true;
    }
    for (int key : step.claims) {
      claimed[key] = false;
    }
    for (int i = replaced.length - 1; i >= 0; i--) {
      current[keyOf[step.writes[i]]] = replaced[i];
    }
    for (int version : step.reads) {
      pendingReaders[version]++;
    }
  }

  /** A step that was taken, and the versions that it replaced. */
  private record Taken(int step, int[] replaced) {}

  private static final class Choice {
    final int depth;
    final List<Integer> options;
    int next;

    Choice(int depth, List<Integer> options) {
      this.depth = depth;
      this.options = options;
    }
  }

  /** All attempts: takes a step, or undoes those after the last choice that has options left. */
  private final class Backtracking {
    private final BooleanSupplier withinBudget;
    private final long[] one;
    private final long[] other;
    private final Set<Fingerprint> seen = new HashSet<>();
    private final List<Taken> path = new ArrayList<>();
    private final List<Choice> choices = new ArrayList<>();

    Backtracking(BooleanSupplier withinBudget) {
      this.withinBudget = withinBudget;
      Random random = new Random(7);
      this.one = random.longs(steps.length).toArray();
      this.other = random.longs(steps.length).toArray();
    }

    Optional<Boolean> search() {
      boolean advanced = true;
      while (true) {
        if (advanced) {
          takeReads(path);
          if (left == 0) {
            return Optional.of(true);
          }
          if (seen.add(fingerprint())) {
            choices.add(new Choice(path.size(), options()));
          }
          if (!withinBudget.getAsBoolean()) {
            return Optional.empty();
          }
        }
        if (choices.isEmpty()) {
          return Optional.of(false);
        }
        advanced = takeNextOption(choices.get(choices.size() - 1));
      }
    }

    private Fingerprint fingerprint() {
      long first = 0;
      long second = 0;
      for (Taken step : path) {
        first ^= one[step.step];
        second ^= other[step.step];
      }
      return new Fingerprint(first, second);
    }

    /** Returns to the last choice and takes its next option; drops it if there is none left. */
    private boolean takeNextOption(Choice choice) {
      while (path.size() > choice.depth) {
        Taken last = path.remove(path.size() - 1);
        undo(last.step, last.replaced);
      }
      if (choice.next == choice.options.size()) {
        choices.remove(choices.size() - 1);
        return false;
      }
      int step = choice.options.get(choice.next++);
      path.add(new Taken(step, take(step)));
      return true;
    }
  }

  /** Takes all read-only steps that can be taken. */
  private void takeReads(List<Taken> path) {
    boolean more = true;
    while (more) {
      more = false;
      for (int s = 0; s < steps.length; s++) {
        if (!taken[s]
            && waitsFor[s] == 0
            && steps[s].writes.length == 0
            && steps[s].claims.length == 0
            && obstacle(s) < 0) {
          path.add(new Taken(s, take(s)));
          more = true;
        }
      }
    }
  }

  private List<Integer> options() {
    List<Integer> options = new ArrayList<>();
    for (int s = 0; s < steps.length; s++) {
      if (!taken[s] && waitsFor[s] == 0 && obstacle(s) < 0) {
        options.add(s);
      }
    }
    return options;
  }
}
