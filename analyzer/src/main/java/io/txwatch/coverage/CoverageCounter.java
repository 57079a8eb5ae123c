package io.txwatch.coverage;

import io.txwatch.dependency.KnownRow;
import io.txwatch.history.Access;
import io.txwatch.history.Event;
import io.txwatch.history.GapReason;
import io.txwatch.history.Outcome;
import io.txwatch.history.RowAccess;
import io.txwatch.history.RowShare;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import io.txwatch.rules.registry.RulesRegistry;
import io.txwatch.version.Resolution;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
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

  /** Of these, writes that are no gaps, and may become known. */
  private long unseenWrites;

  private long rowsRead;
  private long rowsWritten;
  private long uncertain;
  private long forbidden;
  private final Map<GapReason, Long> gaps = new EnumMap<>(GapReason.class);

  /** The share of each process that observes a part of the rows, by the ids of its node. */
  private final Map<Long, RowShare> shares = new HashMap<>();

  private RowShare smallestShare = RowShare.ALL;
  private long shedTransactions;

  private static final int MAX_PENDING_GAPS = 1 << 12;

  /** More than any server's text would help to find; the history has the whole of it. */
  private static final int MAX_EXAMPLE_CHARACTERS = 400;

  /**
   * The sessions whose last event was a gap, and whose statement has not arrived yet, each with
   * true if it was not understood.
   */
  private final Map<Long, Boolean> pendingGaps = new LinkedHashMap<>();

  /** Sessions that read the DBMS's record of changes. */
  private final Set<Long> recorders = new HashSet<>();

  private GapContext context = GapContext.UNKNOWN;

  /** Whether a session's database is one that is watched, rather than one of a foreign history. */
  private boolean watched;

  private boolean queries;
  private boolean inserts;
  private boolean versionSets;
  private boolean emptyDeletes;
  private boolean byValue;

  public void count(Event event) {
    if (event instanceof Event.StatementExecuted e) {
      statement(e);
    } else if (event instanceof Event.SessionOpened e) {
      sessions++;
      watched |= RulesRegistry.of(e.database().product()).isWatched();
    } else if (event instanceof Event.TransactionEnded e) {
      transactions++;
      if (e.outcome() == Outcome.COMMITTED) {
        committed++;
      }
    } else if (event instanceof Event.Gap e) {
      gap(e);
    } else if (event instanceof Event.RowsShed e) {
      shed(e);
    } else if (event instanceof Event.Changed e) {
      recorded(e.session());
    } else if (event instanceof Event.ValuesObserved) {
      byValue = true;
    } else if (event instanceof Event.ChangesRead e) {
      recorded(e.session());
    } else if (event instanceof Event.SessionClosed e) {
      recorders.remove(e.session());
      pendingGaps.remove(e.session());
    }
  }

  /** That "session" is the DBMS's record of changes, and none of the application's. */
  private void recorded(long session) {
    if (recorders.add(session)) {
      sessions--;
    }
  }

  private void statement(Event.StatementExecuted event) {
    statements++;
    Boolean gap = pendingGaps.isEmpty() ? null : pendingGaps.remove(event.session());
    if (gap != null && gap && context.notUnderstood().isEmpty()) {
      String sql = event.sql();
      context =
          context.plus(
              new GapContext(
                  sql.length() <= MAX_EXAMPLE_CHARACTERS
                      ? sql
                      : sql.substring(0, MAX_EXAMPLE_CHARACTERS) + "...",
                  List.of(),
                  false,
                  false,
                  false));
    }
    if (gap == null && event.succeeded() && !event.writesSeen()) {
      unseen++;
      unseenWrites++;
    }
    List<RowAccess> rows = event.rows();
    for (int i = 0; i < rows.size(); i++) { // an iterator would be a new object for each event
      row(rows.get(i));
    }
    queries |= event.kind() == StatementKind.SELECT;
    emptyDeletes |= event.kind() == StatementKind.DELETE && event.succeeded() && rows.isEmpty();
    inserts |= event.kind() == StatementKind.INSERT;
    if (!event.versionSets().isEmpty()) {
      versionSets = true;
      for (VersionSet set : event.versionSets()) {
        uncertain += set.certain() ? 0 : 1;
      }
    }
  }

  /** Counts rows that became known after their statement's event. A row read is counted once. */
  public void countKnown(List<KnownRow> rows) {
    for (KnownRow known : rows) {
      if (known.bound() == KnownRow.Bound.EXACT && known.access().certain()) {
        row(known.access());
      } else if (known.bound() == KnownRow.Bound.LOWER) {
        rowsRead++;
      }
    }
  }

  /**
   * Writes became known after their statements' events.
   *
   * @param count how many of which an event stated that not all rows were seen
   */
  public void countKnownWrites(int count) {
    long known = Math.min(count, unseenWrites); // a gap may have been counted in place of one
    unseenWrites -= known;
    unseen -= known;
  }

  private void row(RowAccess access) {
    if (access.access().isWrite()) {
      rowsWritten++;
    } else if (access.access() == Access.READ) {
      rowsRead++;
    }
    // A row found by its key was not returned by a side read.
    uncertain += access.certain() || access.access() == Access.TARGET ? 0 : 1;
  }

  private void gap(Event.Gap gap) {
    gaps.merge(gap.reason(), gap.count(), Long::sum);
    versionSets |= gap.reason() == GapReason.NO_VERSION_SET || gap.reason() == GapReason.TOO_LARGE;
    if (gap.reason() == GapReason.SHAPE) {
      context = context.withShape(gap.detail());
    }
    // A statement on a table that is too large is observed in full, except for its version set.
    if (gap.reason().isOfStatement() && gap.reason() != GapReason.TOO_LARGE) {
      unseen += gap.count();
      pendingGaps.merge(
          gap.session(), gap.reason() == GapReason.NOT_UNDERSTOOD, Boolean::logicalOr);
      if (pendingGaps.size() > MAX_PENDING_GAPS) { // the statement never arrived
        Iterator<Long> eldest = pendingGaps.keySet().iterator();
        eldest.next();
        eldest.remove();
      }
    }
  }

  private void shed(Event.RowsShed event) {
    if (event.statements() > 0) {
      gaps.merge(GapReason.SHED, event.statements(), Long::sum);
    }
    shedTransactions += event.transactions();
    smallestShare = smallestShare.and(event.share());
    if (event.share().isAll()) {
      shares.remove(event.session() >>> Integer.SIZE);
    } else {
      shares.put(event.session() >>> Integer.SIZE, event.share());
    }
  }

  /** Counts a possible anomaly that is not reported, because the level forbids it. */
  public void countForbidden() {
    forbidden++;
  }

  /**
   * The coverage so far.
   *
   * @param rowLevel the pairs of accesses that only the row connects
   * @param resolution what became of the rows that were read by value
   */
  public Coverage coverage(long rowLevel, Resolution resolution) {
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
        rowLevel,
        Map.copyOf(gaps),
        new Shed(
            shares.values().stream().reduce(RowShare.ALL, RowShare::and),
            smallestShare,
            shedTransactions),
        context.with(
            watched && queries && inserts && !versionSets,
            watched && emptyDeletes && !versionSets,
            byValue),
        resolution,
        OperationWaits.NONE,
        List.of());
  }
}
