package io.txwatch.capture;

import io.txwatch.history.Outcome;

/**
 * A session's work in branches of distributed transactions (X/Open XA): a branch begins and ends on
 * the session and is committed or rolled back later, possibly by another session. Guarded by the
 * session's lock, except {@link #outcome}.
 */
final class SessionBranches {

  private final SessionTracker tracker;
  private final SessionState state;

  /** The number of this session's transactions in {@link PendingBranches}. */
  private int waiting;

  SessionBranches(SessionTracker tracker, SessionState state) {
    this.tracker = tracker;
    this.state = state;
  }

  boolean isWaiting() {
    return waiting > 0;
  }

  /** {@code XA START}, also to join or resume. */
  void started(String id) {
    SessionState.Transaction open = state.current;
    if (open != null) {
      state.end(open.single ? Outcome.COMMITTED : Outcome.UNKNOWN);
    }
    state.branch = id;
    for (PendingBranches.Branch own : PendingBranches.OF_THIS_PROCESS.takeOwn(key(id), tracker)) {
      waiting--;
      state.current = own.transaction();
      state.mustRollBack = own.failed();
    }
  }

  /** {@code XA END}, also to suspend. */
  void ended(boolean failed) {
    String id = state.branch;
    if (id != null) {
      detach(id, failed, false);
    }
  }

  /** {@code XA PREPARE}. */
  void prepared(String id) {
    SessionState.Transaction open = state.current;
    if (state.branch == null && open != null && !open.single) {
      detach(id, false, true); // PREPARE TRANSACTION ends the work as well
      state.explicit = false;
    } else {
      PendingBranches.OF_THIS_PROCESS.prepared(key(id));
    }
  }

  /** A branch of any session has ended. Must be called without holding a session's lock. */
  void outcome(String id, Outcome outcome) {
    PendingBranches.OF_THIS_PROCESS.ended(key(id), outcome);
  }

  /** The outcome of a branch is about to be sent. Must be called without a session's lock. */
  void endSent(String id) {
    PendingBranches.OF_THIS_PROCESS.endSent(key(id), System.nanoTime());
  }

  /** A branch with work of this session has ended. */
  void done(SessionState.Transaction transaction, Outcome outcome) {
    waiting--;
    state.events.ended(transaction, outcome);
  }

  /** Branch ids are scoped to the server, so the session's schema is not part of the key. */
  private String key(String id) {
    return state.events.database().place().replaceFirst("#.*", "") + "\0" + id;
  }

  private void detach(String id, boolean failed, boolean prepared) {
    boolean mustBeRolledBack = failed || state.mustRollBack;
    state.branch = null;
    SessionState.Transaction open = state.leave(false);
    if (open != null) {
      state.flush(open);
      waiting++;
      PendingBranches.OF_THIS_PROCESS.add(
          key(id), new PendingBranches.Branch(tracker, open, mustBeRolledBack, prepared));
    }
  }
}
