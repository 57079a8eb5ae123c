package io.txwatch.history;

import io.txwatch.history.wire.Entry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decodes entries of {@code history.proto} to events, with the dictionary of the current segment.
 * Not thread-safe.
 */
final class EventDecoder {

  private final Dictionary texts = new Dictionary();
  private final FrequentEntries frequent = new FrequentEntries(texts);

  /** Starts a segment: clears the dictionary. */
  void restart() {
    texts.clear();
  }

  /** Adds an entry's new texts to the dictionary. */
  void learn(Entry entry) {
    for (int i = 0; i < entry.getTextsCount(); i++) {
      texts.put(entry.getFirstText() + i, entry.getTexts(i));
    }
  }

  /** Decodes an entry of a frequent kind that adds no texts; returns null for every other entry. */
  @Nullable Event decode(byte[] encoded, int from, int length) {
    return frequent.decode(encoded, from, length);
  }

  /**
   * Decodes an entry whose texts {@link #learn} has added.
   *
   * @throws IllegalArgumentException if its kind is unknown, a text that it refers to was in a lost
   *     record, or it is malformed; the message states which
   */
  Event decode(Entry entry) {
    return switch (entry.getWhatCase()) {
      case STATEMENT_EXECUTED -> statement(entry.getStatementExecuted());
      case TRANSACTION_BEGAN -> {
        var e = entry.getTransactionBegan();
        yield new Event.TransactionBegan(
            e.getSession(),
            e.getTransaction(),
            WireNames.LEVEL.toOurs(e.getLevel()),
            e.getMicros(),
            text(e.getName()),
            e.getTraceId(),
            share(e.getShare()));
      }
      case TRANSACTION_ENDED -> {
        var e = entry.getTransactionEnded();
        yield new Event.TransactionEnded(
            e.getSession(),
            e.getTransaction(),
            WireNames.OUTCOME.toOurs(e.getOutcome()),
            e.getMicros(),
            e.getEvents());
      }
      case STATEMENTS_UNDONE -> {
        var e = entry.getStatementsUndone();
        yield new Event.StatementsUndone(
            e.getSession(), e.getTransaction(), e.getFirstStatement(), e.getLastStatement());
      }
      case TRANSACTION_IDENTIFIED -> {
        var e = entry.getTransactionIdentified();
        yield new Event.TransactionIdentified(e.getSession(), e.getTransaction(), e.getIdByDbms());
      }
      case ROW_NAMED -> {
        var e = entry.getRowNamed();
        yield new Event.RowNamed(e.getSession(), text(e.getTable()), e.getRow(), e.getKey());
      }
      case SESSION_OPENED -> {
        var e = entry.getSessionOpened();
        yield new Event.SessionOpened(
            e.getSession(),
            text(e.getName()),
            new Database(
                new Product(e.getProduct(), e.getVersion()),
                e.getSettingsMap(),
                text(e.getPlace()),
                text(e.getRun()),
                e.getCluster() == 0
                    ? Cluster.UNKNOWN
                    : new Cluster(text(e.getCluster()), e.getStandby())));
      }
      case SESSION_CLOSED -> new Event.SessionClosed(entry.getSessionClosed().getSession());
      case GAP -> {
        var e = entry.getGap();
        yield new Event.Gap(
            e.getSession(),
            e.getTransaction(),
            WireNames.GAP_REASON.toOurs(e.getReason()),
            text(e.getDetail()),
            e.getCount());
      }
      case ROWS_SHED -> {
        var e = entry.getRowsShed();
        yield new Event.RowsShed(
            e.getSession(), share(e.getShare()), e.getStatements(), e.getTransactions());
      }
      case VALUES_OBSERVED -> ValueEntries.toOurs(entry.getValuesObserved(), this::text);
      case END_TIMED -> ValueEntries.toOurs(entry.getEndTimed());
      case DEADLOCKED -> ValueEntries.toOurs(entry.getDeadlocked());
      case WAITED -> ValueEntries.toOurs(entry.getWaited());
      case COMMIT_FAILED -> ValueEntries.toOurs(entry.getCommitFailed());
      case WRITES_STATED -> ValueEntries.toOurs(entry.getWritesStated());
      case SESSION_IDENTIFIED -> ValueEntries.toOurs(entry.getSessionIdentified());
      case CHANGED -> ValueEntries.toOurs(entry.getChanged(), this::text);
      case VALUES_RECORDED -> ValueEntries.toOurs(entry.getValuesRecorded(), this::text);
      case CHANGES_READ -> ValueEntries.toOurs(entry.getChangesRead());
      case HEADER, CLOSED, ORIGIN, WHAT_NOT_SET ->
          throw new IllegalArgumentException("no event that this version knows");
    };
  }

  /** The smallest share stands for smaller ones, which this version does not know. */
  static RowShare share(int steps) {
    boolean isKnown = Integer.compareUnsigned(steps, RowShare.MAX_STEPS) <= 0;
    return steps == 0 ? RowShare.ALL : new RowShare(isKnown ? steps : RowShare.MAX_STEPS);
  }

  /** Returns the gap that replaces an event too large to be written. */
  static Event.Gap gapOf(Event event, String detail) {
    return new Event.Gap(event.session(), event.transaction(), GapReason.OVERFLOW, detail, 1);
  }

  /** Returns the gap that replaces an entry, in its transaction if it has one. */
  static Event.Gap gapOf(Entry entry, GapReason reason, String detail) {
    long session = 0;
    long transaction = 0;
    switch (entry.getWhatCase()) {
      case STATEMENT_EXECUTED -> {
        session = entry.getStatementExecuted().getSession();
        transaction = entry.getStatementExecuted().getTransaction();
      }
      case TRANSACTION_BEGAN -> {
        session = entry.getTransactionBegan().getSession();
        transaction = entry.getTransactionBegan().getTransaction();
      }
      case TRANSACTION_ENDED -> {
        session = entry.getTransactionEnded().getSession();
        transaction = entry.getTransactionEnded().getTransaction();
      }
      case VALUES_OBSERVED -> {
        session = entry.getValuesObserved().getSession();
        transaction = entry.getValuesObserved().getTransaction();
      }
      case VALUES_RECORDED -> {
        session = entry.getValuesRecorded().getSession();
        transaction = entry.getValuesRecorded().getTransaction();
      }
      case END_TIMED -> {
        session = entry.getEndTimed().getSession();
        transaction = entry.getEndTimed().getTransaction();
      }
      default -> {}
    }
    return new Event.Gap(session, transaction, reason, detail, 1);
  }

  private Event.StatementExecuted statement(io.txwatch.history.wire.StatementExecuted e) {
    List<RowAccess> rows = new ArrayList<>(e.getRowsCount());
    for (io.txwatch.history.wire.RowAccess row : e.getRowsList()) {
      rows.add(
          new RowAccess(
              WireNames.ACCESS.toOurs(row.getAccess()),
              text(row.getTable()),
              row.getRow(),
              writers(row),
              !row.getUncertain()));
    }
    List<VersionSet> versionSets = new ArrayList<>(e.getVersionSetsCount());
    for (io.txwatch.history.wire.VersionSet set : e.getVersionSetsList()) {
      versionSets.add(
          new VersionSet(
              text(set.getTable()),
              set.getPredicate(),
              set.getRowsList().stream().mapToLong(Long::longValue).toArray(),
              set.getWriters(),
              !set.getUncertain(),
              set.getPlaces()));
    }
    return new Event.StatementExecuted(
        e.getSession(),
        e.getTransaction(),
        e.getStatement(),
        WireNames.STATEMENT_KIND.toOurs(e.getKind()),
        text(e.getSql()),
        text(e.getCallSite()),
        rows,
        e.getWritesSeen(),
        e.hasSqlState() ? e.getSqlState() : null,
        List.copyOf(versionSets),
        text(e.getColumns()),
        e.getKeyValuesList().stream()
            .map(
                values ->
                    new KeyValues(
                        text(values.getTable()), text(values.getColumn()), values.getHashesList()))
            .toList());
  }

  private static WriterList writers(io.txwatch.history.wire.RowAccess row) {
    return row.getWriters().isEmpty() && !row.getCut()
        ? WriterList.INITIAL
        : new WriterList(row.getWriters(), !row.getCut());
  }

  private String text(int number) {
    if (number == 0) {
      return "";
    }
    String text = texts.get(number);
    if (text == null) {
      throw new IllegalArgumentException("a text that stood in a lost record");
    }
    return text;
  }
}
