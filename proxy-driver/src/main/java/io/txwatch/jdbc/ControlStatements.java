package io.txwatch.jdbc;

import io.txwatch.capture.Observation;
import io.txwatch.capture.SessionTracker;
import io.txwatch.history.GapReason;
import io.txwatch.sql.TransactionControl;
import java.util.Optional;

/**
 * Texts that control the transaction (BEGIN, COMMIT, SAVEPOINT; DDL where it commits), maybe with
 * other statements in the same string: what they do is reported once they were executed.
 */
final class ControlStatements {

  private final WatchedConnection connection;
  private final CachedPlan cached;

  private ControlStatements(WatchedConnection connection, CachedPlan cached) {
    this.connection = connection;
    this.cached = cached;
  }

  /** Such a text was executed. */
  static void executed(WatchedConnection connection, CachedPlan cached) {
    new ControlStatements(connection, cached).controlled(cached.plan().control());
  }

  private void controlled(TransactionControl control) {
    SessionTracker tracker = connection.tracker();
    if (control instanceof TransactionControl.Several several) {
      several.parts().forEach(this::controlled);
    } else if (control instanceof TransactionControl.None) {
      afterwards(false, "several statements in one string");
    } else {
      tracker.controlled(control);
      if (control instanceof TransactionControl.RollbackTo) {
        connection.knownRows.forget();
      }
      if (control instanceof TransactionControl.ImplicitCommit) {
        afterwards(true, "");
      }
    }
  }

  /**
   * What the text did besides.
   *
   * @param alone true if it was a transaction of its own
   * @param detail why its rows are not seen, if the plan does not say; empty if it touches none
   */
  private void afterwards(boolean alone, String detail) {
    Observation noted =
        connection
            .tracker()
            .afterwards(cached.kind(), cached.shownSql(), connection.callSites().current(), alone);
    Optional<GapReason> known = cached.plan().passThrough();
    if (known.isPresent()) {
      noted.notSeen(known.get(), cached.plan().passThroughDetail());
    } else if (!detail.isEmpty()) {
      noted.notSeen(GapReason.OPAQUE, detail);
    }
    if (cached.mayWriteUnnamed() || !detail.isEmpty()) {
      noted.mayWriteUnnamed();
    }
    noted.succeeded(false);
  }
}
