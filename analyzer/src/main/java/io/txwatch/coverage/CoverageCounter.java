package io.txwatch.coverage;

import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.VersionSet;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Computes {@link Coverage} from events. */
public final class CoverageCounter {

  private long sessions;
  private long transactions;
  private long committed;
  private long statements;
  private long unseen;
  private long rowsRead;
  private long rowsWritten;
  private long uncertain;
  private long forbidden;
  private final Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);

  /** The most sessions with a gap whose statement has not arrived yet. */
  private static final int MAX_GAPS_TOLD = 1 << 12;

  /** The sessions whose last event was the gap of the statement that comes next. */
  private final Set<Long> gapTold = new LinkedHashSet<>();

  /** Counts an event. */
  public void count(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      statements++;
      boolean told = !gapTold.isEmpty() && gapTold.remove(e.session());
      if (!told && e.succeeded() && !e.writesSeen()) {
        unseen++;
      }
      List<RowAccess> rows = e.rows();
      for (int i = 0; i < rows.size(); i++) { // an iterator would be a new object for each event
        RowAccess access = rows.get(i);
        if (access.access().isWrite()) {
          rowsWritten++;
        } else if (access.access() == Access.READ) {
          rowsRead++;
        }
        // A row found by its key was not returned by a side read.
        uncertain += access.certain() || access.access() == Access.TARGET ? 0 : 1;
      }
      if (!e.versionSets().isEmpty()) {
        for (VersionSet set : e.versionSets()) {
          uncertain += set.certain() ? 0 : 1;
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
      // A statement on a table that is too large is observed in full, except for its version set.
      if (e.reason().isOfStatement() && e.reason() != GapReason.TOO_LARGE) {
        unseen += e.count();
        gapTold.add(e.session());
        if (gapTold.size() > MAX_GAPS_TOLD) { // the statement never arrived
          Iterator<Long> eldest = gapTold.iterator();
          eldest.next();
          eldest.remove();
        }
      }
    } else if (event instanceof Event.SessionClosed e) {
      gapTold.remove(e.session());
    }
  }

  /** Counts a possible anomaly that is not reported, because the level forbids it. */
  public void countForbidden() {
    forbidden++;
  }

  /** What was counted so far. */
  public Coverage coverage() {
    return new Coverage(
        sessions,
        transactions,
        committed,
        statements,
        Math.max(0, statements - unseen),
        rowsRead,
        rowsWritten,
        uncertain,
        forbidden,
        Map.copyOf(gaps));
  }
}
