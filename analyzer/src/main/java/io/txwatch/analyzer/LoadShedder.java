package io.txwatch.analyzer;

import io.txwatch.history.Event;
import io.txwatch.history.EventSink;
import io.txwatch.history.GapReason;
import io.txwatch.history.RowAccess;
import io.txwatch.history.StatementKind;
import io.txwatch.history.VersionSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Passes on what an analyzer can take. When the queue in front of it fills, the {@linkplain
 * RowShare share} of the rows that is analyzed is halved, as often as necessary. Not thread-safe.
 *
 * <p>Dropping whatever finds no place in the queue would leave a part of each transaction, and no
 * verdict. By rows, everything is known about those that are kept, so whatever is reported about
 * them is certain; anomalies that need another row are missed. Transactions that access no such row
 * are not passed on at all.
 *
 * <ul>
 *   <li>The omitted statements of a transaction are counted by a {@link GapReason#SHED} before its
 *       end, and its count of events excludes them.
 *   <li>A write that does not show its rows is passed on, since a row that is read later shows it.
 *   <li>When the share grows, the analysis starts again: of the rows that are added, an earlier
 *       read or write may be missing. Transactions that are active take part in nothing.
 * </ul>
 */
public final class LoadShedder implements EventSink {

  /** The share is halved while more than this share (1/n) of the queue is used. */
  private static final int HALVING_FILL = 2;

  /** It may grow if no more than this share (1/n) of the queue was used for some time. */
  private static final int QUIET_FILL = 16;

  /** The events that have an effect on the queue before it is halved again, in parts of it. */
  private static final int EVENTS_BETWEEN_HALVINGS = 8;

  private static final long MIN_QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long MAX_QUIET_NANOS = TimeUnit.MINUTES.toNanos(10);

  private final EventSink analysis;
  private final Runnable restart;
  private final Consumer<String> log;
  private final LongSupplier nanos;
  private RowShare share = RowShare.ALL;

  /** The active transactions of which anything was omitted. */
  private final Map<Long, Partial> partial = new HashMap<>();

  /** The omitted statements of transactions that were not passed on. */
  private long shedStatements;

  private long events;
  private long halvedAtEvent = Long.MIN_VALUE / 2; // never
  private long quietSince;
  private long quietNanos = MIN_QUIET_NANOS;
  private long grownAt;

  /** What was omitted of a transaction. */
  private static final class Partial {
    /** Its beginning, until it is passed on. */
    private Event.@Nullable TransactionBegan began;

    private int omitted;

    Partial(Event.@Nullable TransactionBegan began) {
      this.began = began;
    }
  }

  /**
   * Passes everything on at first.
   *
   * @param restart makes the analysis discard what it knows
   * @param log receives a line whenever the share changes
   * @param nanos the time
   */
  public LoadShedder(
      EventSink analysis, Runnable restart, Consumer<String> log, LongSupplier nanos) {
    this.analysis = analysis;
    this.restart = restart;
    this.log = log;
    this.nanos = nanos;
    this.quietSince = nanos.getAsLong();
    this.grownAt = quietSince - MAX_QUIET_NANOS;
  }

  @Override
  public void accept(Event event) {
    events++;
    if (share.isAll()) {
      analysis.accept(event);
    } else if (event instanceof Event.StatementExecuted e) {
      executed(e);
    } else if (event instanceof Event.TransactionBegan e) {
      partial.put(e.transaction(), new Partial(e));
    } else if (event instanceof Event.TransactionEnded e) {
      ended(e);
    } else {
      if (event.transaction() != 0) {
        passBeginning(partial.get(event.transaction()));
      }
      analysis.accept(event);
    }
  }

  private void executed(Event.StatementExecuted event) {
    List<RowAccess> rows = share.of(event.rows());
    boolean hidesRows = hidesRows(event);
    if (rows.isEmpty() && !hidesRows && event.versionSets().isEmpty()) {
      partial.computeIfAbsent(event.transaction(), t -> new Partial(null)).omitted++;
      return;
    }
    passBeginning(partial.get(event.transaction()));
    analysis.accept(
        rows == event.rows() && event.versionSets().isEmpty() ? event : reduced(event, rows));
  }

  /** Whether it may have accessed further rows, which only a later read would show. */
  private static boolean hidesRows(Event.StatementExecuted event) {
    return event.kind().mayWrite() && !event.writesSeen()
        || event.rows().isEmpty()
            && (event.kind().mayWrite() || event.kind() == StatementKind.LOCKING_SELECT);
  }

  private Event.StatementExecuted reduced(Event.StatementExecuted event, List<RowAccess> rows) {
    List<VersionSet> sets = event.versionSets();
    return new Event.StatementExecuted(
        event.session(),
        event.transaction(),
        event.statement(),
        event.kind(),
        event.sql(),
        event.callSite(),
        rows,
        event.writesSeen(),
        event.sqlState(),
        sets.isEmpty() ? sets : sets.stream().map(share::of).toList(),
        event.columns());
  }

  private void passBeginning(@Nullable Partial of) {
    if (of != null && of.began != null) {
      analysis.accept(of.began);
      of.began = null;
    }
  }

  private void ended(Event.TransactionEnded event) {
    Partial of = partial.remove(event.transaction());
    if (of == null || of.omitted == 0 && of.began == null) {
      analysis.accept(event);
      return;
    }
    if (of.began != null) {
      shedStatements += of.omitted;
      return;
    }
    analysis.accept(
        new Event.Gap(event.session(), event.transaction(), GapReason.SHED, "", of.omitted));
    int counted = event.events() == 0 ? 0 : Math.max(1, event.events() - of.omitted);
    analysis.accept(
        new Event.TransactionEnded(
            event.session(), event.transaction(), event.outcome(), event.micros(), counted));
  }

  @Override
  public void backlog(int queued, int capacity) {
    if (queued > capacity / HALVING_FILL) {
      boolean waits = events - halvedAtEvent < capacity / EVENTS_BETWEEN_HALVINGS;
      if (!waits && share.halvings() < RowShare.MAX_HALVINGS) {
        halve();
      }
    } else if (!share.isAll()) {
      growIfQuiet(queued <= capacity / QUIET_FILL);
    }
  }

  private void halve() {
    share = new RowShare(share.halvings() + 1);
    halvedAtEvent = events;
    long now = nanos.getAsLong();
    boolean isAfterGrowth = now - grownAt < quietNanos;
    quietNanos = isAfterGrowth ? Math.min(MAX_QUIET_NANOS, 2 * quietNanos) : quietNanos;
    quietSince = now;
    log.accept(
        "more events arrive than can be analyzed: " + share + " of the rows are, from now on");
  }

  private void growIfQuiet(boolean quiet) {
    long now = nanos.getAsLong();
    if (!quiet) {
      quietSince = now;
    } else if (now - quietSince > quietNanos) {
      reportShed();
      share = new RowShare(share.halvings() - 1);
      partial.clear();
      restart.run();
      quietSince = now;
      grownAt = now;
      log.accept(
          share.isAll()
              ? "all rows are analyzed again"
              : share + " of the rows are analyzed again");
    }
  }

  @Override
  public void caughtUp() {
    reportShed();
    analysis.caughtUp();
  }

  private void reportShed() {
    if (shedStatements > 0) {
      analysis.accept(new Event.Gap(0, 0, GapReason.SHED, "", shedStatements));
      shedStatements = 0;
    }
  }

  @Override
  public void close() {
    reportShed();
    analysis.close();
  }
}
