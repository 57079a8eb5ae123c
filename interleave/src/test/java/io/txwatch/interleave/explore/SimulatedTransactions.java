package io.txwatch.interleave.explore;

import io.txwatch.interleave.explore.ExecutedSchedule.Step;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Transactions on a few items, as at READ COMMITTED: a read returns the last committed value or the
 * transaction's own, a write waits for the item's other writer, and whoever closes a cycle of
 * waiters is rolled back.
 */
final class SimulatedTransactions implements Program {

  /**
   * A call.
   *
   * @param item what it reads or writes; -1 of a commit
   */
  record Call(int item, boolean writes) {
    static final Call COMMIT = new Call(-1, false);

    @Override
    public String toString() {
      return item < 0 ? "commit" : (writes ? "w" : "r") + item;
    }
  }

  /** What a call uses; a commit uses what its transaction has used. */
  record Items(BitSet read, BitSet written) implements CallFootprint {
    @Override
    public boolean conflictsWith(CallFootprint other) {
      return other instanceof Items items
          && (written.intersects(items.read)
              || written.intersects(items.written)
              || read.intersects(items.written));
    }
  }

  private final List<List<Call>> operations;
  private final int items;
  private String outcome = "";

  /** Decides whether another transaction of a deadlock fails; null if none ever does. */
  private @Nullable Random chance;

  SimulatedTransactions(List<List<Call>> operations, int items) {
    this.operations = operations;
    this.items = items;
  }

  static SimulatedTransactions random(Random random, int operations, int maxCalls, int items) {
    List<List<Call>> all = new ArrayList<>();
    for (int i = 0; i < operations; i++) {
      List<Call> calls = new ArrayList<>();
      int transactions = 1 + random.nextInt(2);
      for (int t = 0; t < transactions; t++) {
        int size = 1 + random.nextInt(maxCalls);
        for (int c = 0; c < size; c++) {
          calls.add(new Call(random.nextInt(items), random.nextBoolean()));
        }
        calls.add(Call.COMMIT);
      }
      all.add(calls);
    }
    return new SimulatedTransactions(all, items);
  }

  /** As if one of ten deadlocks had been noticed by another transaction than the last to wait. */
  void setChance(Random newChance) {
    chance = newChance;
  }

  /** The values read and left by the last execution. */
  String outcome() {
    return outcome;
  }

  @Override
  public String toString() {
    return operations.toString();
  }

  @Override
  public ExecutedSchedule execute(Scheduler scheduler) {
    Run run = new Run();
    List<Step> steps = new ArrayList<>();
    int last = -1;
    for (long enabled = run.enabled(); enabled != 0; enabled = run.enabled()) {
      int chosen = scheduler.next(steps.size(), enabled, last);
      steps.add(new Step(chosen, enabled, run.footprint(chosen)));
      run.call(chosen);
      last = chosen;
    }
    outcome = run.outcome();
    return new ExecutedSchedule(steps);
  }

  private final class Run {
    private final int count = operations.size();
    private final int[] committed = new int[items];
    private final int[] writer = new int[items];
    private final int[][] own = new int[count][items];
    private final int[] position = new int[count];
    private final int[] waitsFor = new int[count];
    private final int[] sum = new int[count];
    private final StringBuilder[] seen = new StringBuilder[count];

    Run() {
      java.util.Arrays.fill(writer, -1);
      java.util.Arrays.fill(waitsFor, -1);
      for (int i = 0; i < count; i++) {
        seen[i] = new StringBuilder();
      }
    }

    long enabled() {
      long enabled = 0;
      for (int i = 0; i < count; i++) {
        if (waitsFor[i] < 0 && position[i] < operations.get(i).size()) {
          enabled |= 1L << i;
        }
      }
      return enabled;
    }

    CallFootprint footprint(int operation) {
      List<Call> calls = operations.get(operation);
      Call call = calls.get(position[operation]);
      BitSet read = new BitSet();
      BitSet written = new BitSet();
      for (int at = position[operation]; at >= 0; at--) {
        Call used = calls.get(at);
        if (used.item < 0) {
          if (at < position[operation]) {
            break;
          }
          continue;
        }
        (used.writes ? written : read).set(used.item);
        if (call.item >= 0 && !isBlocked(operation, call)) {
          break;
        }
      }
      return new Items(read, written);
    }

    /** Whom a call waits for depends on what its transaction has locked: it may be a deadlock. */
    private boolean isBlocked(int operation, Call call) {
      return call.writes && writer[call.item] >= 0 && writer[call.item] != operation;
    }

    void call(int operation) {
      Call call = operations.get(operation).get(position[operation]);
      if (call.item < 0) {
        end(operation, true);
        position[operation]++;
      } else if (!call.writes) {
        int value =
            writer[call.item] == operation ? own[operation][call.item] : committed[call.item];
        sum[operation] = 31 * sum[operation] + value;
        seen[operation].append(' ').append(value);
        position[operation]++;
      } else if (writer[call.item] >= 0 && writer[call.item] != operation) {
        waitsFor[operation] = call.item;
        if (closesCycle(operation)) {
          boolean byChance = chance != null && chance.nextInt(10) == 0;
          fail(byChance ? writer[call.item] : operation);
        }
      } else {
        write(operation, call.item);
      }
    }

    private void fail(int operation) {
      waitsFor[operation] = -1;
      seen[operation].append(" deadlock");
      position[operation] = operations.get(operation).size();
      end(operation, false);
    }

    private boolean closesCycle(int operation) {
      int at = operation;
      for (int i = 0; i <= count; i++) {
        if (waitsFor[at] < 0) {
          return false;
        }
        at = writer[waitsFor[at]];
        if (at == operation) {
          return true;
        }
      }
      return false;
    }

    private void write(int operation, int item) {
      writer[item] = operation;
      own[operation][item] = 7 * sum[operation] + position[operation] + 100 * (operation + 1);
      position[operation]++;
    }

    private void end(int operation, boolean commits) {
      for (int item = 0; item < items; item++) {
        if (writer[item] == operation) {
          committed[item] = commits ? own[operation][item] : committed[item];
          writer[item] = -1;
        }
      }
      for (int other = 0; other < count; other++) {
        if (waitsFor[other] >= 0 && writer[waitsFor[other]] < 0) {
          int item = waitsFor[other];
          waitsFor[other] = -1;
          write(other, item);
        }
      }
    }

    String outcome() {
      return java.util.Arrays.toString(committed) + java.util.Arrays.toString(seen);
    }
  }
}
