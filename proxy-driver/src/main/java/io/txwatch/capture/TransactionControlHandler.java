package io.txwatch.capture;

import io.txwatch.history.IsolationLevel;
import io.txwatch.history.Outcome;
import io.txwatch.plan.LevelChange;
import io.txwatch.plan.TransactionControl;
import java.sql.SQLException;

/**
 * Applies transaction control statements sent as SQL to a session's state: BEGIN, COMMIT,
 * SAVEPOINT, XA …
 */
final class TransactionControlHandler {

  private final SessionTracker tracker;
  private final SessionState state;

  TransactionControlHandler(SessionTracker tracker, SessionState state) {
    this.tracker = tracker;
    this.state = state;
  }

  void succeeded(TransactionControl control) {
    if (control instanceof TransactionControl.BranchStart start) {
      tracker.branchStarted(start.id());
    } else if (control instanceof TransactionControl.BranchEnd) {
      tracker.branchEnded(false);
    } else if (control instanceof TransactionControl.Prepare prepare) {
      tracker.prepared(prepare.id());
    } else if (control instanceof TransactionControl.BranchOutcome outcome) {
      tracker.branchOutcome(
          outcome.id(), outcome.committed() ? Outcome.COMMITTED : Outcome.ABORTED);
    } else {
      synchronized (tracker) {
        succeededHere(control);
      }
    }
  }

  private void succeededHere(TransactionControl control) {
    state.endSingle();
    if (control instanceof TransactionControl.Begin begin) {
      state.begin(begin);
    } else if (control instanceof TransactionControl.Commit commit) {
      IsolationLevel level = state.currentLevel();
      state.commit();
      next(commit.chain(), level);
    } else if (control instanceof TransactionControl.Rollback rollback) {
      IsolationLevel level = state.currentLevel();
      state.end(Outcome.ABORTED);
      next(rollback.chain(), level);
    } else if (control instanceof TransactionControl.Savepoint savepoint) {
      tracker.savepoint(savepoint.name());
    } else if (control instanceof TransactionControl.RollbackTo rollbackTo) {
      tracker.rolledBackTo(rollbackTo.name());
    } else if (control instanceof TransactionControl.Release release) {
      tracker.released(release.name());
    } else if (control instanceof TransactionControl.SetTransaction set) {
      if (state.inTransactionMode() || !state.rules.setTransactionNeedsTransaction()) {
        state.setLevelOnce(set.level());
      }
    } else if (control instanceof TransactionControl.SetSession set) {
      if (state.rules.levelCommits() && !state.autoCommit) {
        tracker.committed();
      }
      state.setLevel(set.level(), true);
    } else if (control instanceof TransactionControl.SetAutocommit set) {
      tracker.autoCommit(set.on());
    } else if (control instanceof TransactionControl.ImplicitCommit commit) {
      state.commit();
      state.explicit = false;
      switch (commit.locks()) {
        case HELD -> state.holdsTableLocks = true;
        case RELEASED -> state.holdsTableLocks = false;
        case AS_BEFORE -> {}
      }
    }
  }

  /**
   * A transaction has ended.
   *
   * @param chains true if another one of the same level has begun
   */
  private void next(boolean chains, IsolationLevel level) {
    state.explicit = chains && state.autoCommit;
    state.levelOnce = chains && level != state.level ? level : state.levelOnce;
  }

  /** A statement failed. Must be called with the session's lock. */
  void failed(TransactionControl control, SQLException error) {
    if (control instanceof TransactionControl.Several) {
      // How far it got is unknown. It may have committed.
      state.end(Outcome.UNKNOWN);
      state.explicit = false;
      state.noteIfLost(error);
      state.levelMayHaveChanged(LevelChange.ANY);
    } else if (control instanceof TransactionControl.Commit
        || (control instanceof TransactionControl.Prepare
            && state.branch == null
            && state.current != null)) {
      tracker.commitFailed(error);
    } else if (control instanceof TransactionControl.BranchOutcome) {
      state.noteIfLost(error); // it can be ended again
    } else if (control instanceof TransactionControl.ImplicitCommit) {
      if (state.rules.failedBeforeCommit(error)) {
        state.note(state.rules.afterError(error));
        return;
      }
      state.end(Outcome.UNKNOWN); // the DBMS may have committed before it failed, or not
      state.noteIfLost(error);
    } else if (control instanceof TransactionControl.SetAutocommit set && set.on()) {
      tracker.commitFailed(error);
    } else {
      state.note(state.rules.afterError(error));
    }
  }
}
