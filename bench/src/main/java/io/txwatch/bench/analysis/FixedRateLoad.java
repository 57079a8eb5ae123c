package io.txwatch.bench.analysis;

import io.txwatch.history.EventSink;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ObjLongConsumer;

/** Emits operations at a fixed rate, with planted lost updates. */
final class FixedRateLoad {

  static final long PLANT_EVERY_OPERATIONS = 5_000;

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final PlantedLostUpdates planted;
  private final TwoPhaseLockingSimulation<String> execution;
  private long done;

  /** Creates the load of one of several processes, each with a database of its own. */
  FixedRateLoad(EventSink to, int process) {
    this.planted = new PlantedLostUpdates(to::accept, to.shedding(), process);
    this.execution =
        new TwoPhaseLockingSimulation<>(
            new SimulatedDriverEvents(to::accept, to.shedding(), process),
            TwoPhaseLockingSimulation.SEED,
            Integer.MAX_VALUE);
  }

  /**
   * Emits operations.
   *
   * @param rate operations per second
   * @param committed receives the transaction whose commit proves a lost update, and the time of
   *     that commit ({@link System#nanoTime})
   * @return the number of planted lost updates
   */
  long offer(long rate, int seconds, ObjLongConsumer<Long> committed) throws IOException {
    long before = done;
    long all = before + rate * seconds;
    long plants = 0;
    long started = System.nanoTime();
    while (done < all) {
      long passed = System.nanoTime() - started + STEP_NANOS;
      long due = Math.min(all, before + passed * rate / 1_000_000_000 + 1);
      while (done < due) {
        done = Math.min(due, done + PLANT_EVERY_OPERATIONS - done % PLANT_EVERY_OPERATIONS);
        execution.runUntil(done);
        if (done % PLANT_EVERY_OPERATIONS == 0) {
          plant(committed);
          plants++;
        }
      }
      LockSupport.parkNanos(STEP_NANOS);
    }
    return plants;
  }

  /** Ends the open transactions. */
  void finish() throws IOException {
    execution.run(done);
  }

  private void plant(ObjLongConsumer<Long> committed) {
    long transaction = planted.nextTransactionId();
    Runnable commit = planted.plant();
    committed.accept(transaction, System.nanoTime());
    commit.run();
  }

  /** A quantile of sorted nanoseconds, in milliseconds. */
  static String millis(List<Long> sorted, double part) {
    if (sorted.isEmpty()) {
      return "–";
    }
    int index = (int) Math.ceil(part * sorted.size()) - 1;
    return String.format(Locale.ROOT, "%.1f", sorted.get(Math.max(0, index)) / 1e6);
  }
}
