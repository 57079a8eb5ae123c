package io.txwatch.interleave.explore;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * Lets the operation of the highest priority go on. Priorities are random, and at some random calls
 * the operation that would make it gets the lowest one: probabilistic concurrency testing
 * (Burckhardt et al., ASPLOS 2010, section 3), which finds a race that needs {@code changes + 1}
 * ordered pairs of calls with a probability of at least 1 / (operations · calls^changes). One
 * execution long.
 */
public final class RandomPriorities implements Program.Scheduler {

  /** The operations, the highest priority first. */
  private final List<Integer> ranking = new ArrayList<>();

  private final Set<Integer> changes = new HashSet<>();

  /**
   * The priorities of an execution.
   *
   * @param operations how many there are
   * @param calls how many calls they make about
   * @param changes how often an operation gets the lowest priority
   */
  public RandomPriorities(Random random, int operations, int calls, int changes) {
    for (int i = 0; i < operations; i++) {
      ranking.add(i);
    }
    Collections.shuffle(ranking, random);
    for (int i = 0; i < changes; i++) {
      this.changes.add(random.nextInt(Math.max(1, calls)));
    }
  }

  @Override
  public int next(int step, long enabled, int last) {
    int first = first(enabled);
    if (changes.contains(step)) {
      ranking.remove((Integer) first);
      ranking.add(first);
      first = first(enabled);
    }
    return first;
  }

  private int first(long enabled) {
    return ranking.stream().filter(one -> (enabled >> one & 1) != 0).findFirst().orElseThrow();
  }
}
