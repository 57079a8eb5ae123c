package io.txwatch.capture;

import io.txwatch.history.Outcome;

/**
 * A session's work in the branches of distributed transactions (X/Open XA): a branch begins and
 * ends on the session, and is committed or rolled back later, perhaps by another one. To be used
 * with the session's lock, but for {@link #outcome}.
 */
final class SessionBranches {

  private final SessionTracker tracker;
  private final SessionState state;

  /** How many transactions of this session wait in {@link Branches}. */
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
    for (Branches.Branch own : Branches.HERE.takeOwn(key(id), tracker)) {
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
      Branches.HERE.prepared(key(id));
    }
  }

  /** A branch, of whatever session, has ended. To be called without the lock of any session. */
  void outcome(String id, Outcome outcome) {
    Branches.HERE.ended(key(id), outcome);
  }

  /** A branch in which this session did something has ended. */
  void done(SessionState.Transaction transaction, Outcome outcome) {
    waiting--;
    state.events.ended(transaction, outcome);
  }

  /** Ids are those of the server: whose tables a session sees is no part of its place. */
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
      Branches.HERE.add(key(id), new Branches.Branch(tracker, open, mustBeRolledBack, prepared));
    }
  }
}
