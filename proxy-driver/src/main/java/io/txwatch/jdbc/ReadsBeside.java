package io.txwatch.jdbc;

import io.txwatch.capture.SnapshotRules;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the reads that stand beside one execution: which of them are to come after it,
 * how many were put off, and whether they returned all that the statement wrote.
 */
final class ReadsBeside {

  /** What was decided of each; null before that, and once those after the statement were sent. */
  private SnapshotRules.SideReadTiming @Nullable [] decided;

  private Parameters parameters = Parameters.NONE;
  private boolean returnWrites;
  private boolean returnedAll = true;
  private boolean returnedTakenAway;
  private int putOff;
  private boolean ended;
  private boolean writesSeen;
  private int timeout;
  private boolean inBatch;

  /** The application's time limit, in seconds, which holds for the reads beside it too. */
  int timeout() {
    return timeout;
  }

  void timeout(int seconds) {
    this.timeout = seconds;
  }

  /** True if others of its batch may have written over what it wrote, before that is read. */
  boolean standsInBatch() {
    return inBatch;
  }

  void standsInBatch(boolean withOthers) {
    this.inBatch = withOthers;
  }

  /** What becomes of each was decided, and those before the statement were sent. */
  void decided(SnapshotRules.SideReadTiming[] sendings, Parameters values) {
    this.decided = sendings;
    this.parameters = values;
  }

  /** What was decided, for those after the statement; null if that was asked before. */
  SnapshotRules.SideReadTiming @Nullable [] takeDecided() {
    SnapshotRules.SideReadTiming[] taken = decided;
    decided = null;
    return taken;
  }

  /** The statement's parameters. */
  Parameters parameters() {
    return parameters;
  }

  /** One that returns written rows was executed; {@code all} if it returned all of them. */
  void returned(boolean all) {
    returnedAll &= all;
  }

  /** One has returned rows that are about to go. */
  void returnedTakenAway() {
    returnedTakenAway = true;
  }

  /** True once one has returned the rows that a REPLACE was about to take away. */
  boolean hasReturnedTakenAway() {
    return returnedTakenAway;
  }

  /** Some of them return the written rows, and those that were not put off are done. */
  void returnWrites() {
    returnWrites = true;
  }

  /** True if they returned all that the statement wrote. */
  boolean haveReturnedAllWrites() {
    return returnWrites && returnedAll;
  }

  /** One was put off: the observation stays open until it is done. */
  void hold() {
    putOff++;
  }

  /**
   * The statement has ended.
   *
   * @param seen true if every row that it wrote was noted
   * @return true if the observation may end, for none is put off
   */
  boolean mayEnd(boolean seen) {
    if (putOff > 0) {
      ended = true;
      writesSeen = seen;
    }
    return putOff == 0;
  }

  /** One that was put off is done with; true if the observation may end now. */
  boolean release() {
    putOff--;
    return putOff == 0 && ended;
  }

  /** True if every row was noted that it wrote: at its end, or by these. */
  boolean allSeen() {
    return writesSeen || haveReturnedAllWrites();
  }
}
