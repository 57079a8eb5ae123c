package io.txwatch.jdbc;

import io.txwatch.capture.SnapshotRules;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the reads that stand beside one execution: which of them are to come after it,
 * how many were put off, and whether they told of all that the statement wrote.
 */
final class ReadsBeside {

  /** What was decided of each; null before that, and once those after the statement were sent. */
  private SnapshotRules.SideReadTiming @Nullable [] decided;

  private Parameters parameters = Parameters.NONE;
  private boolean tellOfWrites;
  private boolean toldAll = true;
  private boolean toldTakenAway;
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

  /** One that tells of writes was done with; {@code all} if it told of all that it was to. */
  void told(boolean all) {
    toldAll &= all;
  }

  /** One has told of rows that are about to go. */
  void toldTakenAway() {
    toldTakenAway = true;
  }

  /** True once one has told of the rows that a REPLACE was about to take away. */
  boolean hasToldTakenAway() {
    return toldTakenAway;
  }

  /** Some of them are there to tell of the writes, and those that were not put off are done. */
  void tellOfWrites() {
    tellOfWrites = true;
  }

  /** True if they told of all that the statement wrote. */
  boolean toldAllWrites() {
    return tellOfWrites && toldAll;
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
    return writesSeen || toldAllWrites();
  }
}
