package io.txwatch.interleave.explore;

/** Concurrent operations that can be executed again and again, one call at a time. */
public interface Program {

  /** Chooses which operation goes on. */
  interface Scheduler {
    /**
     * Chooses.
     *
     * @param step how many calls have been made
     * @param enabled the operations that can make their next call, as bits; at least one
     * @param last the operation that made the last call; -1 at first
     */
    int next(int step, long enabled, int last);
  }

  /**
   * Executes all operations from their beginning to their end.
   *
   * @return what was executed
   * @throws DivergedException if an operation makes another call than in the execution before, in
   *     the same order
   * @throws InterruptedException if the thread is interrupted
   */
  ExecutedSchedule execute(Scheduler scheduler) throws InterruptedException;
}
