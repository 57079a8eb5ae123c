package io.txwatch.history;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Emits the events of one transaction, except its statements on rows outside its {@linkplain
 * RowShare share}. Not thread-safe.
 *
 * <p>A statement that accessed rows outside the share only is omitted, and of another one these
 * rows are. Kept is everything that may concern a row of the share: statements whose rows were not
 * observed, gaps, ids by the DBMS. Version sets are omitted under every share but {@link
 * RowShare#ALL}: each contains a whole table.
 *
 * <p>The beginning is emitted before the first other event. A transaction without one is not
 * emitted at all, but counted.
 */
public final class TransactionEvents {

  private final LoadShedding shedding;
  private final Consumer<Event> out;
  private final RowShare share;

  private Event.TransactionBegan began;

  private boolean isEmitted;

  /** The number of emitted events that {@link Event.TransactionEnded#events} counts. */
  private int emitted;

  private int omitted;

  /** Whether the last event was the gap of a statement. */
  private boolean isAfterGap;

  /**
   * A transaction begins.
   *
   * @param shedding decides on its share
   * @param out receives its events
   */
  public TransactionEvents(
      LoadShedding shedding,
      Consumer<Event> out,
      long session,
      long transaction,
      IsolationLevel level,
      long micros,
      String name,
      String traceId) {
    this.shedding = shedding;
    this.out = out;
    this.share = shedding.began();
    this.began =
        new Event.TransactionBegan(session, transaction, level, micros, name, traceId, share);
    if (share.isAll()) {
      emitBeginning();
    }
  }

  private void emitBeginning() {
    if (!isEmitted) {
      isEmitted = true;
      emitted++;
      out.accept(began);
    }
  }

  /** The level of the transaction is another, or not known any more. */
  public void level(IsolationLevel level) {
    Event.TransactionBegan event = began;
    began =
        new Event.TransactionBegan(
            event.session(),
            event.transaction(),
            level,
            event.micros(),
            event.name(),
            event.traceId(),
            event.share());
    if (isEmitted) {
      emitted++;
      out.accept(began);
    }
  }

  /** A statement was executed. */
  public void executed(Event.StatementExecuted event) {
    boolean isUnobserved = isAfterGap;
    isAfterGap = false;
    if (share.isAll()) {
      emit(event);
      return;
    }
    List<RowAccess> rows = event.rows();
    int inside = 0;
    for (int i = 0; i < rows.size(); i++) { // an iterator would be a new object for each event
      inside += share.contains(rows.get(i).table(), rows.get(i).row()) ? 1 : 0;
    }
    boolean isKept = inside > 0 || isUnobserved || !isWhole(event);
    if (isKept && inside == rows.size() && event.versionSets().isEmpty()) {
      emit(event);
      return;
    }
    omitted++;
    if (isKept) {
      emit(event.withRows(inShare(rows)));
    }
  }

  /**
   * A statement was executed, of whose rows the keys and values are known. None is omitted: which
   * changes in the DBMS's record are a transaction's follows from those of the transactions before.
   *
   * @param values the event that follows it; null if there is none
   */
  public void executed(Event.StatementExecuted event, Event.@Nullable ValuesObserved values) {
    if (values == null) {
      executed(event);
      return;
    }
    isAfterGap = false;
    emit(event);
    out.accept(values);
  }

  /** What a statement was executed with and returned. Emitted only if all rows are observed. */
  public void recorded(Event.ValuesRecorded event) {
    if (share.isAll()) {
      out.accept(event);
    }
  }

  /** The DBMS ended a deadlock by an error of a statement that was just {@link #executed}. */
  public void deadlocked(Event.Deadlocked event) {
    emitBeginning();
    out.accept(event);
  }

  /** A statement that was just {@link #executed} waited for locks. */
  public void waited(Event.Waited event) {
    emitBeginning();
    out.accept(event);
  }

  /** COMMIT failed. Precedes {@link #ended}. */
  public void commitFailed(Event.CommitFailed event) {
    if (isEmitted) {
      out.accept(event);
    }
  }

  /** When the transaction ended became known. Precedes {@link #ended}. */
  public void endTimed(Event.EndTimed event) {
    if (isEmitted) {
      out.accept(event);
    }
  }

  private void emit(Event.StatementExecuted event) {
    emitBeginning();
    emitted++;
    out.accept(event);
  }

  private List<RowAccess> inShare(List<RowAccess> rows) {
    List<RowAccess> inside = new ArrayList<>();
    for (RowAccess row : rows) {
      if (share.contains(row.table(), row.row())) {
        inside.add(row);
      }
    }
    return inside;
  }

  /** Whether a statement accessed no other rows than those of its event. */
  private static boolean isWhole(Event.StatementExecuted event) {
    return event.kind() == StatementKind.SELECT
        || event.succeeded() && event.writesSeen() && !event.rows().isEmpty();
  }

  /** Something was not observed: if that was a statement, the one that follows. */
  public void gap(Event.Gap event) {
    boolean isOfVersionSet =
        event.reason() == GapReason.TOO_LARGE || event.reason() == GapReason.NO_VERSION_SET;
    if (share.isAll() || !isOfVersionSet) {
      isAfterGap = event.reason().isOfStatement();
      emitBeginning();
      out.accept(event);
    }
  }

  /** The writes of statements were undone. */
  public void undone(Event.StatementsUndone event) {
    if (isEmitted) { // otherwise they were omitted
      emitted++;
      out.accept(event);
    }
  }

  /** The id that the DBMS gave to the transaction became known. */
  public void identified(Event.TransactionIdentified event) {
    emitBeginning();
    out.accept(event);
  }

  /** The transaction ended. */
  public void ended(long session, long transaction, Outcome outcome, long micros) {
    if (isEmitted) {
      out.accept(new Event.TransactionEnded(session, transaction, outcome, micros, emitted));
    }
    shedding.ended(share, omitted, !isEmitted);
  }
}
