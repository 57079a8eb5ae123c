package io.txwatch.interleave.explore;

import io.txwatch.interleave.explore.ExecutedSchedule.Step;
import java.util.ArrayList;
import java.util.List;

/**
 * Executes a program in different orders, until each possible order within a bound on preemptions
 * is equivalent to one that was executed. For one thread, and for one program.
 */
public final class Explorer {

  /**
   * How often an order is executed that leads to other calls than before. A DBMS is not always
   * deterministic: which transaction of a deadlock fails may depend on a timer, and which rows
   * InnoDB locks on whether deleted ones were purged.
   */
  public static final int MAX_ATTEMPTS = 4;

  /** How often what happens then is explored in the place of what had happened before. */
  private static final int MAX_REPLACEMENTS = 5;

  private final Program program;
  private final int maxPreemptions;
  private final int maxExecutions;

  /** The path to the order that is executed next. */
  private final List<Node> path = new ArrayList<>();

  private int executions;
  private boolean bounded;

  /** How often this order led to other calls than before, and how often that replaced the path. */
  private int divergences;

  private int replacements;

  /** The call of this execution that is another one than before; -1 if there is none. */
  private int divergedAt = -1;

  /** What is known of the state before a call, which the calls before it lead to. */
  private static final class Node {
    final long enabled;

    /** The operation that made the call before; -1 at first. */
    final int last;

    /** The preemptions before. */
    final int preemptions;

    /** The operations that were to be tried here, as bits. */
    long wanted;

    /** Those that were. */
    long tried;

    int chosen;

    Node(long enabled, int last, int preemptions) {
      this.enabled = enabled;
      this.last = last;
      this.preemptions = preemptions;
    }

    /** The preemptions after an operation has gone on. */
    int preemptionsWith(int operation) {
      boolean preempts = last >= 0 && operation != last && (enabled >> last & 1) != 0;
      return preemptions + (preempts ? 1 : 0);
    }
  }

  /** Judges executions. */
  public interface Judge {
    /** An order was executed; returns false to end the exploration. */
    boolean goesOn(ExecutedSchedule execution) throws InterruptedException;
  }

  /** How an exploration has ended. */
  public enum End {
    /** Each possible order is equivalent to one that was executed. */
    ALL,
    /** The same of the orders with as many preemptions as allowed. */
    ALL_WITHIN_BOUND,
    /** There were more orders than may be executed. */
    TOO_MANY,
    /** The caller has stopped it. */
    STOPPED
  }

  /**
   * An exploration.
   *
   * @param maxPreemptions how often an operation may have to stop although it could go on
   * @param maxExecutions how many orders are executed at most
   */
  public Explorer(Program program, int maxPreemptions, int maxExecutions) {
    this.program = program;
    this.maxPreemptions = maxPreemptions;
    this.maxExecutions = maxExecutions;
  }

  /** The number of orders that were executed. */
  public int executions() {
    return executions;
  }

  /**
   * How often an order always led to other calls than at first, which were not explored further.
   */
  public int replacements() {
    return replacements;
  }

  /**
   * Explores. An order that leads to other calls than before is executed again. If other operations
   * could go on, the execution is judged as well; and if that is so each time, what happened first
   * was the exception: it is explored no further.
   *
   * @param judge called after each execution
   * @throws DivergedException if orders led to other calls too often
   */
  public End explore(Judge judge) throws InterruptedException {
    do {
      if (executions == maxExecutions) {
        return End.TOO_MANY;
      }
      divergedAt = -1;
      int known = path.size();
      ExecutedSchedule execution;
      try {
        execution = program.execute(this::next);
      } catch (DivergedException e) {
        if (++divergences >= MAX_ATTEMPTS) {
          throw e;
        }
        path.subList(known, path.size()).clear();
        divergedAt = known;
        continue;
      }
      executions++;
      if (execution.steps().size() < path.size() && divergedAt < 0) {
        diverge(execution.steps().size());
      }
      if (divergedAt < 0) {
        divergences = 0;
        addRaces(execution.steps());
      }
      if (!judge.goesOn(execution)) {
        return End.STOPPED;
      }
    } while (divergedAt >= 0 || toNext());
    return bounded ? End.ALL_WITHIN_BOUND : End.ALL;
  }

  // ---------------------------------------------------------------- one execution

  /** The operation that goes on: along the path, and beyond it the one that went on before. */
  private int next(int step, long enabled, int last) {
    if (divergedAt < 0 && step < path.size()) {
      Node node = path.get(step);
      if (node.enabled == enabled) {
        return node.chosen;
      }
      diverge(step);
    }
    boolean canGoOn = last >= 0 && (enabled >> last & 1) != 0;
    int chosen = canGoOn ? last : Long.numberOfTrailingZeros(enabled);
    if (divergedAt >= 0) {
      return chosen;
    }
    Node before = step == 0 ? null : path.get(step - 1);
    Node node = new Node(enabled, last, before == null ? 0 : before.preemptionsWith(before.chosen));
    node.chosen = chosen;
    node.wanted = 1L << node.chosen;
    node.tried = node.wanted;
    path.add(node);
    return node.chosen;
  }

  /** A call is another one than before: the order is executed again, or the path is replaced. */
  private void diverge(int step) {
    if (++divergences < MAX_ATTEMPTS) {
      divergedAt = step;
    } else if (++replacements <= MAX_REPLACEMENTS) {
      path.subList(step, path.size()).clear();
    } else {
      throw new DivergedException(step);
    }
  }

  /** Goes back to the last place at which another operation is to be tried. */
  private boolean toNext() {
    while (!path.isEmpty()) {
      Node node = path.get(path.size() - 1);
      long rest = node.wanted & ~node.tried;
      while (rest != 0) {
        int operation = Long.numberOfTrailingZeros(rest);
        rest &= rest - 1;
        node.tried |= 1L << operation;
        if (node.preemptionsWith(operation) <= maxPreemptions) {
          node.chosen = operation;
          return true;
        }
        bounded = true;
      }
      path.remove(path.size() - 1);
    }
    return false;
  }

  // ---------------------------------------------------------------- races

  /**
   * Finds the pairs of calls that conflict and between which no other call makes an order, and
   * wants an order of each in which the second one comes first.
   */
  private void addRaces(List<Step> steps) {
    int size = steps.size();
    boolean[][] before = new boolean[size][size];
    List<int[]> races = new ArrayList<>();
    for (int later = 0; later < size; later++) {
      for (int earlier = later - 1; earlier >= 0; earlier--) {
        Step one = steps.get(earlier);
        Step other = steps.get(later);
        if (one.operation() == other.operation()
            || one.footprint().conflictsWith(other.footprint())) {
          boolean direct = true;
          for (int between = earlier + 1; between < later; between++) {
            direct &= !(before[earlier][between] && before[between][later]);
          }
          before[earlier][later] = true;
          if (direct && one.operation() != other.operation()) {
            races.add(new int[] {earlier, later});
          }
          for (int first = 0; first < earlier; first++) {
            before[first][later] |= before[first][earlier];
          }
        }
      }
    }
    for (int[] race : races) {
      reverse(steps, before, race[0], race[1]);
    }
  }

  /** Wants an order in which the calls that do not need the earlier one come before it. */
  private void reverse(List<Step> steps, boolean[][] before, int earlier, int later) {
    List<Integer> moved = new ArrayList<>();
    for (int step = earlier + 1; step <= later; step++) {
      if (step == later || !before[earlier][step]) {
        moved.add(step);
      }
    }
    long initials = 0;
    for (int step : moved) {
      boolean first = true;
      for (int other : moved) {
        first &= !(other < step && before[other][step]);
      }
      if (first) {
        initials |= 1L << steps.get(step).operation();
      }
    }
    want(earlier, initials);
    // With a bound, the order may need a preemption less if it departs where an operation began to
    // go on.
    int start = earlier;
    while (start > 0 && steps.get(start - 1).operation() == steps.get(earlier).operation()) {
      start--;
    }
    if (start != earlier) {
      want(start, 1L << steps.get(later).operation());
    }
  }

  /** Wants one of these operations to be tried at a place; all if none of them can go on there. */
  private void want(int step, long operations) {
    Node node = path.get(step);
    long possible = operations & node.enabled;
    if (possible == 0) {
      node.wanted |= node.enabled;
    } else if ((possible & node.wanted) == 0) {
      node.wanted |= Long.lowestOneBit(possible);
    }
  }
}
