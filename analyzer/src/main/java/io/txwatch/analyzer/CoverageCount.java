package io.txwatch.analyzer;

import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import java.util.EnumMap;
import java.util.Map;

/** Counts {@link Coverage} as events pass. */
final class CoverageCount {

  private long sessions;
  private long transactions;
  private long committed;
  private long statements;
  private long unseen;
  private long rowsRead;
  private long rowsWritten;
  private final Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);

  void count(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      statements++;
      if (e.succeeded() && !e.writesSeen()) {
        unseen++;
      }
      for (RowAccess access : e.rows()) {
        if (access.access().isWrite()) {
          rowsWritten++;
        } else {
          rowsRead++;
        }
      }
    } else if (event instanceof Event.SessionOpened) {
      sessions++;
    } else if (event instanceof Event.TransactionEnded e) {
      transactions++;
      if (e.outcome() == Outcome.COMMITTED) {
        committed++;
      }
    } else if (event instanceof Event.Gap e) {
      gaps.merge(e.reason(), e.count(), Long::sum);
      if (isStatement(e.reason())) {
        unseen += e.count();
      }
    }
  }

  /** Whether a gap of that reason comes beside a statement's own event. */
  private static boolean isStatement(GapReason reason) {
    return switch (reason) {
      case SHAPE, NOT_UNDERSTOOD, NOT_PREPARED, NO_RIGHTS, NOT_A_BASE_TABLE, OPAQUE -> true;
      case BYPASS, OVERFLOW, FAULT, TORN_RECORD -> false;
    };
  }

  Coverage coverage() {
    return new Coverage(
        sessions,
        transactions,
        committed,
        statements,
        Math.max(0, statements - unseen),
        rowsRead,
        rowsWritten,
        Map.copyOf(gaps));
  }
}
