package io.txwatch.jdbc.execution;

import io.txwatch.capture.Observation;
import io.txwatch.capture.SessionTracker;
import io.txwatch.history.GapReason;
import io.txwatch.jdbc.plan.CachedPlan;
import io.txwatch.plan.TransactionControl;
import java.util.List;
import java.util.Optional;

/**
 * Texts that control the transaction (BEGIN, COMMIT, SAVEPOINT; DDL where it commits), maybe with
 * other statements in the same string: what they do is reported once they were executed.
 */
final class ControlStatements {

  private static final String CREATE = "CREATE ";

  private final ExecutionContext context;
  private final CachedPlan cached;

  private ControlStatements(ExecutionContext context, CachedPlan cached) {
    this.context = context;
    this.cached = cached;
  }

  /** Such a text was executed. */
  static void executed(ExecutionContext context, CachedPlan cached) {
    new ControlStatements(context, cached).controlled(cached.plan().control());
    context.tracker().controlNoted();
  }

  private void controlled(TransactionControl control) {
    SessionTracker tracker = context.tracker();
    if (control instanceof TransactionControl.Several several) {
      several.parts().forEach(this::controlled);
    } else if (control instanceof TransactionControl.None) {
      afterwards(false, "several statements in one string");
    } else {
      tracker.controlled(control);
      if (control instanceof TransactionControl.RollbackTo) {
        context.state().knownRows().forget();
        context.state().catalog().rolledBackToSavepoint();
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
   * @param detail why its rows are not seen, if the plan does not state; empty if it touches none
   */
  private void afterwards(boolean alone, String detail) {
    Observation noted =
        context
            .tracker()
            .afterwards(cached.kind(), cached.shownSql(), context.callSites().current(), alone);
    if (context.rules().mayCommit(cached.kind(), cached.plan().original())) {
      noted.mayCommit();
    }
    Optional<GapReason> known = cached.plan().passThrough();
    if (known.isPresent()) {
      noted.notSeen(known.get(), cached.plan().passThroughDetail());
    } else if (!detail.isEmpty()) {
      noted.notSeen(GapReason.OPAQUE, detail);
    }
    if (cached.mayWriteUnnamed() || !detail.isEmpty()) {
      noted.mayWriteUnnamed();
    }
    if (alone && context.recordsValues() && !context.plans().isOff()) {
      noted.records(context.recording(cached, List.of()));
    }
    noted.succeeded(detail.isEmpty() && createsWithoutRows());
  }

  /** True for a CREATE that inserts no rows: no change that the DBMS records is its own. */
  private boolean createsWithoutRows() {
    return !cached.mayWriteRows()
        && cached
            .plan()
            .original()
            .stripLeading()
            .regionMatches(true, 0, CREATE, 0, CREATE.length());
  }
}
